// (source, x, y) → the element under the pointer, seen through the dragged element; null for none.
function (source, x, y) {
  // @include dragged
  const [first] = stack(x, y);
  return first ? inward(first, x, y) : null;
}
