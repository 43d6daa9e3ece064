// (key): watch no more.
function (key) {
  const watches = globalThis[Symbol.for("hybridsnap waits")], watch = watches?.get(key);
  if (!watch) return;
  watch.observer.disconnect();
  watch.wake?.();
  watches.delete(key);
  if (!watches.size) delete globalThis[Symbol.for("hybridsnap waits")];
}
