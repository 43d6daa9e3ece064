// Called on a node: the element so many levels above it in the composed tree; of a shadow root, its host.
function (level) {
  // @include composed
  let top = this;
  for (let at = 0; at < level && composedParent(top); at++) top = composedParent(top);
  return top instanceof ShadowRoot ? shadowHost(top) : top;
}
