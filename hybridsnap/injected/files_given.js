// (most) → once the input has its files, or after `most` ms: the browser looks through a folder before it gives them.
// 0: begin to wait for them, before they are given.
async function (most) {
  // @include control_at
  const waits = globalThis[Symbol.for("hybridsnap files")] ??= new WeakMap();
  if (most) return Promise.race([waits.get(at), new Promise((done) => setTimeout(done, most))]);
  waits.set(at, new Promise((done) => {
    const add = EventTarget.prototype.addEventListener;
    for (const type of ["change", "cancel"]) add.call(at, type, () => done(), { once: true, capture: true });
  }));
}
