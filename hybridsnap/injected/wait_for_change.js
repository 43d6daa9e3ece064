// (key, most) → resolves when something has changed since the last look, and after `most` ms in any case.
function (key, most) {
  const watch = globalThis[Symbol.for("hybridsnap waits")]?.get(key);
  if (!watch || watch.changed) return true;
  return new Promise((done) => {
    watch.wake = () => done(true);
    setTimeout(() => done(false), most);
  });
}
