// (key, most ms) → when nothing more is likely to open: an element has come into view, or the transitions are
// over and the page has set no timer; after `most` ms in any case.
async function (key, most) {
  const watch = globalThis[Symbol.for("hybridsnap watches")]?.get(key);
  const end = performance.now() + most;
  const moves = () => Document.prototype.getAnimations.call(document)
    .some((one) => one instanceof CSSTransition && one.playState === "running");
  return new Promise((done) => {
    const step = () => {
      const opens = moves() || (watch?.puts("setTimeout") && !watch.shown());
      if (!opens || performance.now() >= end) done(true); else setTimeout(step, 20);
    };
    step();
  });
}
