// (action) → takes the focus away from a combobox, or from the field in it that has the focus (Choices).
function (action) {
  // @include control_at
  // @include listbox
  let active = get(Document, "activeElement", document);
  for (let root; active && (root = get(Element, "shadowRoot", active));) {
    const inner = get(ShadowRoot, "activeElement", root);
    if (!inner) break;
    active = inner;
  }
  const type = [HTMLElement, SVGElement].find((type) => active instanceof type);
  for (let node = active; type && node; node = around(node)) {
    if (node === combo) type.prototype.blur.call(active);
  }
  return {};
}
