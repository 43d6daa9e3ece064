// On a node: (direction) → the element that cuts off what is in it, nearest to the node.
function (direction) {
  // @include scrollers
  return viewOf(this) ?? null;
}
