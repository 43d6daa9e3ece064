// On an element: whether another node is in it, or in a shadow root in it.
function (other) {
  const read = (type, name, on) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(on);
  for (let node = other; node; ) {
    if (node === this) return true;
    node = read(Node, "parentNode", node) || (node instanceof ShadowRoot ? read(ShadowRoot, "host", node) :
    null);
  }
  return false;
}
