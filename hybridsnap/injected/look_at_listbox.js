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
  const holds = (outer, one) => {
    for (let node = one; node; node = around(node)) if (node === outer) return true;
    return false;
  };
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
  // combobox keeps for its form, where it has one. A style of the page's may show it, though it says it is hidden.
  const keeps = (one) => one instanceof HTMLSelectElement && (attribute(one, "hidden") !== null || !sized(one));
  const kept = combo ? within(combo, keeps)[0] : null;
  const isKept = (label) => !kept || [...get(HTMLSelectElement, "selectedOptions", kept)]
    .some((one) => squeezed(get(HTMLOptionElement, "text", one)).includes(label));
  // A box to tick in an option says what is chosen, also where `aria-selected` tells of something else (Carbon).
  const TICKED = "input[type=checkbox], [role=checkbox]";
  const tickOf = (one) => within(one, (each) => isOption(each) || matches(each, TICKED))
    .find((each) => !isOption(each)) ?? null;
  const stateOf = (one) => {
    const tick = tickOf(one);
    if (tick instanceof HTMLInputElement) return String(get(HTMLInputElement, "checked", tick));
    return (tick && attribute(tick, "aria-checked")) ?? attribute(one, "aria-selected")
      ?? attribute(one, "aria-checked");
  };
  const state = item && stateOf(item);
  const takesSeveral = Boolean(box) && (attribute(box, "aria-multiselectable") === "true"
    || (kept && get(HTMLSelectElement, "multiple", kept)) || all.slice(0, 60).some((one) => tickOf(one) !== null));
  const editable = combo instanceof HTMLInputElement && !combo.readOnly && sized(combo);
  // In a list that takes one, a field that takes text may call selected what its keys point at, as in the pattern of
  // ARIA. The value is what the field holds, unless it was only typed, or stands beside the field.
  const isPointedAt = () => !takesSeveral && editable && !tickOf(item) && attribute(item, "aria-checked") === null
    && (attribute(combo, "aria-activedescendant") ?? "") === get(Element, "id", item);
  const holdsIt = () => {
    const label = labelOf(item), value = get(HTMLInputElement, "value", combo);
    const typed = globalThis[Symbol.for("hybridsnap typed")]?.get(combo);
    if (squeezed(value) === label) return value !== typed;
    const isOther = (one) => one !== combo && matches(one, "input, textarea, select, [role=combobox]") && sized(one);
    for (let above = around(combo), n = 0; above && n < 4; above = around(above), n++) {
      if (holds(above, box) || within(above, isOther).length) break;
      if (within(above, (one) => sized(one) && squeezed(one.innerText) === label).length) return true;
    }
    return false;
  };
  const refused = refusalOf(at);
  // What opens may be no list, or one of which the combobox does not say so.
  const came = opened();
  const expanded = combo !== null
    && (attribute(combo, "aria-expanded") === "true" || (came.length > 0 && (!box || came.includes(box))));
  return {
    known: Boolean(combo || box),
    alone: Boolean(alone),
    refused: refused || (isOff(combo ?? at) ? "disabled" : ""),
    opens: Boolean(combo),
    open: Boolean(box && (all.some(sized) || expanded)),
    expanded,
    noted: before !== null,
    still: before ? shownPopups().filter((one) => before.has(one)).length : 0,
    listed: Boolean(box),
    shut: Boolean(box) && expanded && isShut(),
    several: takesSeveral,
    // Neither this option nor another says whether it is chosen.
    silent: Boolean(item) && takesSeveral && !kept && all.slice(0, 60).every((one) => stateOf(one) === null),
    editable,
    shows: [combo, at].filter(Boolean).map((one) => one instanceof HTMLInputElement
      ? get(HTMLInputElement, "value", one) : squeezed(one.innerText).slice(0, 2000)).join(" "),
    text: editable ? get(HTMLInputElement, "value", combo) : "",
    found: Boolean(item),
    hides: !item && one !== null && meant(by, one).length > 0,
    indices: items.length > 1 ? items.map((one) => placeOf(one)) : [],
    off: Boolean(item) && isOff(item),
    selected: state === "true" && isKept(labelOf(item)) && (!isPointedAt() || holdsIt()),
    // It says of itself that it is not chosen, and no select of a form tells otherwise.
    denies: state === "false" && !(kept && isKept(labelOf(item))),
    label: item ? labelOf(item) : "",
    labels: all.slice(0, 60).map(labelOf),
    lines: box && !all.length && sized(box) ? box.innerText.split("\n").slice(0, 60)
      .map(squeezed).filter(Boolean) : [],
    count: all.length,
    size,
  };
}
