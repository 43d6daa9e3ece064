function (action, by, one) {
  // @include control_at
  if (!at) return { known: false };
  // @include listbox
  const items = alone && one === null ? [alone] : matching(by, one), item = items[0] ?? null;
  // What lies over the combobox itself, other than its list, keeps the pointer from all of the page. It is pressed
  // there, so it must be nothing that a press operates. A cover of the whole viewport may leave a hole for the
  // combobox: its press closes the list then (Base UI).
  const OPERATED = "a, button, input, select, textarea, label, summary, [tabindex], [onclick], "
    + "[role]:not([role=presentation], [role=none])";
  const list = box ? around(box) : null;
  const holders = [];
  for (let node = combo; node; node = around(node)) holders.push(node);
  const boundsOf = (one) => Element.prototype.getBoundingClientRect.call(one);
  const hitAt = (x, y) => {
    let hit = Document.prototype.elementFromPoint.call(document, x, y);
    for (let root; hit && (root = get(Element, "shadowRoot", hit));) {
      const inner = ShadowRoot.prototype.elementFromPoint.call(root, x, y);
      if (!inner || inner === hit || rootOf(inner) !== root) break;
      hit = inner;
    }
    return hit;
  };
  const covers = (hit) => {
    for (let node = hit; node; node = around(node)) {
      if ([combo, at, box].includes(node)) return false;
      if (node === list && list !== get(Document, "body", document)) return false;
    }
    if (holders.includes(hit)) return matches(hit, "body, html");
    for (let node = hit; node && !holders.includes(node); node = around(node)) {
      if (node instanceof Element && matches(node, OPERATED)) return false;
    }
    return hit !== null;
  };
  const isShut = () => {
    const { left, right, top, bottom } = boundsOf(combo);
    const x = (left + right) / 2, y = (top + bottom) / 2, beside = 3;
    if (covers(hitAt(x, y))) return true;
    const hits = [[left - beside, y], [right + beside, y], [x, top - beside]].map(([x, y]) => hitAt(x, y));
    const cover = hits.find(Boolean);
    if (!cover || holders.includes(cover) || hits.some((hit) => hit && hit !== cover)) return false;
    const all = boundsOf(cover);
    return all.left <= 0 && all.top <= 0 && all.right >= innerWidth && all.bottom >= innerHeight && covers(cover);
  };
  const isOff = (one) => attribute(one, "aria-disabled") === "true";
  // A list may call selected what its keys point at, too (Choices). What is chosen stands in the select that the
  // combobox keeps for its form, where it has one.
  const kept = combo ? within(combo, (one) => one instanceof HTMLSelectElement && !sized(one))[0] : null;
  const isKept = (label) => !kept || [...get(HTMLSelectElement, "selectedOptions", kept)]
    .some((one) => squeezed(get(HTMLOptionElement, "text", one)).includes(label));
  const state = item && (attribute(item, "aria-selected") ?? attribute(item, "aria-checked"));
  const refused = refusalOf(at);
  // What opens may be no list, or one of which the combobox does not say so.
  const came = opened();
  const expanded = combo !== null
    && (attribute(combo, "aria-expanded") === "true" || (came.length > 0 && (!box || came.includes(box))));
  const editable = combo instanceof HTMLInputElement && !combo.readOnly && sized(combo);
  return {
    known: Boolean(combo || box),
    refused: refused || (isOff(combo ?? at) ? "disabled" : ""),
    opens: Boolean(combo),
    open: Boolean(box && (all.some(sized) || expanded)),
    expanded,
    noted: before !== null,
    still: before ? shownPopups().filter((one) => before.has(one)).length : 0,
    listed: Boolean(box),
    shut: Boolean(box) && expanded && isShut(),
    several: Boolean(box) && attribute(box, "aria-multiselectable") === "true",
    editable,
    shows: [combo, at].filter(Boolean).map((one) => one instanceof HTMLInputElement
      ? get(HTMLInputElement, "value", one) : squeezed(one.innerText).slice(0, 2000)).join(" "),
    text: editable ? get(HTMLInputElement, "value", combo) : "",
    found: Boolean(item),
    hides: !item && one !== null && meant(by, one).length > 0,
    indices: items.length > 1 ? items.map((one) => all.indexOf(one)) : [],
    off: Boolean(item) && isOff(item),
    selected: state === "true" && isKept(labelOf(item)),
    // It says of itself that it is not chosen, and no select of a form tells otherwise.
    denies: state === "false" && !(kept && isKept(labelOf(item))),
    label: item ? labelOf(item) : "",
    labels: all.slice(0, 60).map(labelOf),
    lines: box && !all.length && sized(box) ? box.innerText.split("\n").slice(0, 60)
      .map(squeezed).filter(Boolean) : [],
    count: all.length,
  };
}
