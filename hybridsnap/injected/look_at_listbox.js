function (by, one) {
  // @include controls
  // @include control_at
  if (!at) return { known: false };
  // @include listbox
  const item = alone && one === null ? alone : find(by, one);
  const isOff = (one) => attribute(one, "aria-disabled") === "true";
  const refused = refusalOf(at);
  return {
    known: Boolean(combo || box),
    refused: refused || (isOff(combo ?? at) ? "disabled" : ""),
    opens: Boolean(combo),
    open: Boolean(box && (all.some(sized) || (combo && attribute(combo, "aria-expanded") === "true"))),
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
