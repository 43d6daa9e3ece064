// What a page puts off. The browser numbers the timers, frames and idle callbacks of a document one by one,
// whichever world asks for them (measured in Chromium 156). So a number that is ahead by more than what our
// own scripts have asked for shows that the page asked, too: of what is put off from now on, and for how long,
// nothing is known.
const asked = globalThis[Symbol.for("hybridsnap asked")] ??= (() => {
  const ours = {};
  for (const [ask, cancel] of [["setTimeout", clearTimeout], ["requestAnimationFrame", cancelAnimationFrame],
    ["requestIdleCallback", cancelIdleCallback]]) {
    const plain = globalThis[ask];
    ours[ask] = { count: 0, number() { const id = plain(() => {}); cancel(id); return id - this.count++; } };
    globalThis[ask] = (...given) => { ours[ask].count++; return plain(...given); };
  }
  return ours;
})();
const numbers = () => Object.fromEntries(Object.entries(asked).map(([name, one]) => [name, one.number()]));
