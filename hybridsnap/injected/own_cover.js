// () → whether what lies over the middle of a combobox belongs to it, as the text of what is chosen does: one of the
// three elements around the combobox, below the body, holds both.
function () {
  const { left, top, width, height } = Element.prototype.getBoundingClientRect.call(this);
  const root = Node.prototype.getRootNode.call(this);
  const { elementFromPoint } = (root instanceof ShadowRoot ? ShadowRoot : Document).prototype;
  const over = elementFromPoint.call(root, left + width / 2, top + height / 2);
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, "parentElement").get;
  let own = false, around = parentOf.call(this);
  for (let level = 0; over && !own && level < 3 && around && !(around instanceof HTMLBodyElement); level++) {
    own = Node.prototype.contains.call(around, over);
    around = parentOf.call(around);
  }
  return { own };
}
