// On the node: (key, x, y, own, presses, hold, isThrough) → whether the guard stands: the point still hits the node.
// Of a frame's owner (`own` false) the guard lets no press through: it would be one beside the frame.
function (key, x, y, own, presses, hold, isThrough) {
  // @include guards
  // @include choosing
  through = isThrough;
  const found = hit(x, y);
  if (!isAttached() || !(own ? isOwn(found) : found === target)) return false;
  guard(key, own ? isOwn : () => false, presses, hold, own ? proofOf() : null, own ? placeOf(found) : () => false);
  return true;
}
