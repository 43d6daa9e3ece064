// On an element: whether another node is in it, or in a shadow root in it.
function (other) {
  // @include composed
  let node = other;
  while (node && node !== this) node = composedParent(node);
  return Boolean(node);
}
