// (key, ms) → whether the click of a tap has come within so many milliseconds, or will never come.
async function (key, ms) {
  const guard = globalThis[Symbol.for("hybridsnap guards")]?.get(key), until = performance.now() + ms;
  if (!guard?.tapped) return false;
  while (!guard.tapped() && performance.now() < until) await new Promise((done) => setTimeout(done, 4));
  return guard.tapped();
}
