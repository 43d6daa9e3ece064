function (by, one) {
  // @include controls
  // @include control_at
  if (!at) return { known: false };
  // @include listbox
  const item = alone && one === null ? alone : find(by, one);
  // What lies over the combobox itself, other than its list, keeps the pointer from all of the page. It is pressed
  // there, so it must be nothing that a press operates.
  const OPERATED = "a, button, input, select, textarea, label, summary, [tabindex], [onclick], "
    + "[role]:not([role=presentation], [role=none])";
  const isShut = () => {
    const bounds = Element.prototype.getBoundingClientRect.call(combo);
    const x = bounds.x + bounds.width / 2, y = bounds.y + bounds.height / 2;
    let hit = Document.prototype.elementFromPoint.call(document, x, y);
    for (let root; hit && (root = get(Element, "shadowRoot", hit));) {
      const inner = ShadowRoot.prototype.elementFromPoint.call(root, x, y);
      if (!inner || inner === hit || rootOf(inner) !== root) break;
      hit = inner;
    }
    const list = around(box);
    for (let node = hit; node; node = around(node)) {
      if ([combo, at, box].includes(node)) return false;
      if (node === list && list !== get(Document, "body", document)) return false;
    }
    const holders = [];
    for (let node = combo; node; node = around(node)) holders.push(node);
    if (holders.includes(hit)) return matches(hit, "body, html");
    for (let node = hit; node && !holders.includes(node); node = around(node)) {
      if (node instanceof Element && matches(node, OPERATED)) return false;
    }
    return hit !== null;
  };
  const isOff = (one) => attribute(one, "aria-disabled") === "true";
  const refused = refusalOf(at);
  return {
    known: Boolean(combo || box),
    refused: refused || (isOff(combo ?? at) ? "disabled" : ""),
    opens: Boolean(combo),
    open: Boolean(box && (all.some(sized) || (combo && attribute(combo, "aria-expanded") === "true"))),
    shut: Boolean(combo && box) && attribute(combo, "aria-expanded") === "true" && isShut(),
    several: Boolean(box) && attribute(box, "aria-multiselectable") === "true",
    editable: combo instanceof HTMLInputElement && !combo.readOnly && sized(combo),
    found: Boolean(item),
    off: Boolean(item) && isOff(item),
    selected: Boolean(item)
      && (attribute(item, "aria-selected") ?? attribute(item, "aria-checked")) === "true",
    label: item ? labelOf(item) : "",
    labels: all.slice(0, 60).map(labelOf),
    count: all.length,
  };
}
