// `by` is value or label, or the other where no option has that, or index. `wanted` null: the option itself.
// Without `act` it only tells whether they are chosen (`kept`), or why they cannot be.
function (by, wanted, act) {
  // @include control_at
  const kind = at ? kindOf(at) : "";
  const select = kind === "option" ? Element.prototype.closest.call(at, "select") : at;
  if (!(select instanceof HTMLSelectElement) || (kind === "option") === Boolean(wanted)) {
    return { refused: "wrong kind", kind };
  }
  const reason = refusalOf(select);
  const boxOf = (one) => Element.prototype.getBoundingClientRect.call(one);
  const hasRoom = (one) => {
    const box = boxOf(one);
    return box.width > 1 && box.height > 1;
  };
  const isClipped = () => {
    for (let above = around(select); above; above = around(above)) {
      // The body's overflow is the viewport's: it may be flat itself where everything in it is positioned.
      if (!(above instanceof Element) || above === get(Document, "body", document) || hasRoom(above)) continue;
      if (getComputedStyle(above).overflow !== "visible") return true;
    }
    return false;
  };
  // By what stands in the same parent, as a widget of the page's does; a label does not hide its select.
  const isCovered = ({ left, top, width, height }) => {
    const root = rootOf(select), { elementFromPoint } = (root instanceof ShadowRoot ? ShadowRoot : Document).prototype;
    const over = elementFromPoint.call(root, left + width / 2, top + height / 2);
    const beside = get(Node, "parentNode", select);
    const holds = (one) => Node.prototype.contains.call(one, over);
    return over !== beside && holds(beside) && !holds(select) && !(over instanceof HTMLLabelElement);
  };
  const isUnseen = () => {
    const box = boxOf(select);
    return box.right + scrollX <= 0 || box.bottom + scrollY <= 0 || isCovered(box)
      || !isShown(select, { opacityProperty: true });
  };
  // A select that hides has a widget of the page's before it, which hears of the change.
  const undisplayed = reason === "not displayed" || reason === "invisible";
  const hides = undisplayed || !hasRoom(select) || isClipped();
  if (reason && !undisplayed) return { refused: reason };
  if (changed()) return { refused: "changed" };
  const squeezed = (text) => text.replace(/\s+/g, " ").trim();
  const options = [...select.options];
  const labels = options.map((option) => squeezed(option.label)), values = options.map((option) => option.value);
  const found = {
    value: (one) => values.includes(one) ? values.indexOf(one) : labels.indexOf(squeezed(one)),
    label: (one) => labels.includes(squeezed(one)) ? labels.indexOf(squeezed(one)) : values.indexOf(one),
    index: (one) => one < options.length ? one : -1,
  };
  const chosen = new Set();
  for (const one of wanted ?? []) {
    const index = found[by](one);
    if (index < 0) return { refused: "no such option", missing: one, labels };
    chosen.add(index);
  }
  if (!wanted) chosen.add(options.indexOf(at));
  for (const index of chosen) {
    if (matches(options[index], ":disabled")) return { refused: "disabled", option: labels[index] };
  }
  if (!select.multiple && chosen.size !== 1) return { refused: "wrong kind", kind: "single" };
  const areChosen = () => [...chosen].every((index) => options[index].selected);
  if (!act) return { kept: areChosen() };
  // As a person would; choosing does not need it, and a widget might open its list upon it.
  const unseen = !hides && isUnseen();
  if (!hides) focusOn(select);
  if (displaced()) return { refused: "changed" };
  if (!wanted && select.multiple) options.forEach((option, index) => option.selected && chosen.add(index));
  const changes = options.some((option, index) => option.selected !== chosen.has(index));
  if (changes) {
    if (select.multiple) options.forEach((option, index) => { option.selected = chosen.has(index); });
    else select.selectedIndex = [...chosen][0];
    (globalThis[Symbol.for("hybridsnap typed")] ??= new WeakMap()).set(select, select.value);
    fire(select, "input");
    fire(select, "change");
  }
  return { changes, hides: hides || unseen, kept: areChosen() };
}
