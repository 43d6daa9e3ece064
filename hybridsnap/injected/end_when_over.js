// (key, keepCover, ms) → as the guard's `end`, as soon as its presses are over; null, and it stands, where they
// do not come within so many milliseconds.
async function (key, keepCover, ms) {
  const guard = globalThis[Symbol.for("hybridsnap guards")]?.get(key);
  const late = new Promise((done) => setTimeout(done, ms, false));
  return guard?.isOver && await Promise.race([guard.isOver, late]) ? guard.end(false, keepCover) : null;
}
