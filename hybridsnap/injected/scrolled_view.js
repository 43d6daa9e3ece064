// (direction, node) → the element that cuts off what is in it, nearest to the node.
function (direction, node) {
  // @include scrollers
return viewOf(node) ?? null; }
