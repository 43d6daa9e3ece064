// On a node: () → {detached, box}: its bounding box in its frame's viewport, [x, y, width, height]; null
// where it is not laid out.
function () {
  // @include pointing
  if (!isAttached()) return { detached: true, box: null };
  const own = target instanceof Element && rectsOf(target).length ? boxOf(boundsOf(target)) : null;
  const all = own ? [own] : boxes();
  if (!all.length || (!(target instanceof HTMLAreaElement) && !shown(subject)
    && getComputedStyle(subject).display !== "contents")) return { detached: false, box: null };
  const box = [Math.min(...all.map((one) => one[0])), Math.min(...all.map((one) => one[1])),
    Math.max(...all.map((one) => one[2])), Math.max(...all.map((one) => one[3]))];
  return { detached: false, box: [box[0], box[1], box[2] - box[0], box[3] - box[1]] };
}
