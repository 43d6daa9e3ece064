// Stagehand's outline of pages, without any model: lines {"url": …} in, lines {"text": …} or {"error": …} out.
// node stagehand.mjs PACKAGE BROWSER WIDTH HEIGHT ARGUMENT…
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [packageFile, browser, width, height, ...args] = process.argv.slice(2);
const { Stagehand } = await import(pathToFileURL(packageFile));
const stagehand = new Stagehand({
  env: "LOCAL",
  verbose: 0,
  disablePino: true,
  logger: () => {},
  localBrowserLaunchOptions: {
    executablePath: browser,
    headless: true,
    args,
    viewport: { width: Number(width), height: Number(height) },
  },
});
await stagehand.init();
const page = stagehand.context.pages()[0];
for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    await page.goto(JSON.parse(line).url, { waitUntil: "load", timeoutMs: 60000 });
    const snapshot = await page.snapshot();
    reply = { text: snapshot.formattedTree };
  } catch (error) {
    reply = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
await stagehand.close();
process.exit(0);
