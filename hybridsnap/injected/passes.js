// On the element that holds a frame: (key, points, force) → {reason, passed}: which points of this frame
// lead into that one.
function (key, points, force) {
  // @include guards
  const passed = points.map(([x, y]) => force
    ? x >= 0 && y >= 0 && x < innerWidth && y < innerHeight : hit(x, y) === target);
  if (passed.some(Boolean)) return { reason: "", passed };
  const reason = force ? "off screen" : blame(key, hit(...points[0]), true);
  return { reason, passed };
}
