"""A loop on Playwright: look, click what a model would choose, see what changed."""

# prints: Added to the cart: 1 × River Throw

import asyncio

from playwright.async_api import async_playwright

from hybridsnap.drivers import to_locator
from hybridsnap.drivers.playwright import snapshot


async def main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp("http://127.0.0.1:9222")
        page = await browser.contexts[0].new_page()
        await page.goto("https://shop.example/")
        shown = await snapshot(page)
        print(shown.render("ai", max_tokens=1000))
        for name in ("Buy River Throw", "Buy Indigo Cushion", "Pay now"):  # what a model would answer
            chosen = shown.find("button", name)[0]
            await (await to_locator(page, chosen.id)).click()
            shown, before = await snapshot(page), shown
            print(f"\n{chosen.id} {chosen.name}:\n{shown.diff(before)}")
        await page.close()


asyncio.run(main())
