// Called on a node: the element so many levels above it in the composed tree; of a shadow root, its host.
function (level) {
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get;
  const host = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "host").get;
  const above = (one) => parent.call(one) || (one instanceof ShadowRoot ? host.call(one) : null);
  let top = this;
  for (let at = 0; at < level && above(top); at++) top = above(top);
  return top instanceof ShadowRoot ? host.call(top) : top;
}
