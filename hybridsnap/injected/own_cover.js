// () → whether what lies over the middle of a combobox belongs to it, as the text of what is chosen: they stand in one
// element, and that is not the body.
function () {
  const { left, top, width, height } = Element.prototype.getBoundingClientRect.call(this);
  const root = Node.prototype.getRootNode.call(this);
  const { elementFromPoint } = (root instanceof ShadowRoot ? ShadowRoot : Document).prototype;
  const over = elementFromPoint.call(root, left + width / 2, top + height / 2);
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get.call(this);
  return { own: !(parent instanceof HTMLBodyElement) && over !== null && Node.prototype.contains.call(parent, over) };
}
