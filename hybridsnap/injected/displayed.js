// (nodes…) → whether any of them is displayed. Options are where their list is.
function (...nodes) {
  // @include getters

  const drawn = (node) => {
    const range = new Range();
    range.selectNodeContents(node);
    return range.getClientRects().length > 0;
  };
  const seen = (node) => {
    if (node instanceof Document) return true;
    if (node instanceof Text) {
      const above = parent.call(node);
      const element = above instanceof ShadowRoot ? host.call(above) : above;
      return drawn(node) && getComputedStyle(element).visibility === "visible";
    }
    if (!(node instanceof Element)) return false;
    if (node instanceof HTMLOptionElement || node instanceof HTMLOptGroupElement) {
      node = Element.prototype.closest.call(node, "select") || node;
    }
    const style = getComputedStyle(node);
    return style.display === "contents" ? style.visibility === "visible" && drawn(node) : visible(node);
  };
  return nodes.some(seen);
}
