// `by` is value or label, or the other where no option has that, or index. `wanted` null: the option itself.
// Without `act` it only tells whether they are chosen (`kept`), or why they cannot be.
function (by, wanted, act) {
  // @include control_at
  // @include left
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
  const indices = (all, one) => all.flatMap((each, index) => each === one ? [index] : []);
  const valued = (one) => indices(values, one), labelled = (one) => indices(labels, squeezed(one));
  const either = (first, second) => first.length ? first : second;
  const found = {
    value: (one) => either(valued(one), labelled(one)),
    label: (one) => either(labelled(one), valued(one)),
    index: (one) => one < options.length ? [one] : [],
  };
  const isOff = (index) => matches(options[index], ":disabled");
  // Which of two that have the same words and the same value is chosen, no form tells. Two groups may, but not
  // where one of them stands in none: what is chosen often is listed once more above the groups.
  const groupOf = (index) => Element.prototype.closest.call(options[index], "optgroup");
  const isAlike = (a, b) => values[a] === values[b] && labels[a] === labels[b]
    && (groupOf(a) === groupOf(b) || !groupOf(a) || !groupOf(b));
  const chosen = new Set();
  for (const one of wanted ?? []) {
    const all = found[by](one);
    if (!all.length) return { refused: "no such option", missing: one, labels };
    const able = either(all.filter((index) => !isOff(index)), all);
    if (!able.every((index) => isAlike(index, able[0]))) {
      const several = able.map((index) => ({ index, label: labels[index], value: values[index] }));
      return { refused: "several", one, several };
    }
    chosen.add(able[0]);
  }
  if (!wanted) chosen.add(options.indexOf(at));
  for (const index of chosen) if (isOff(index)) return { refused: "disabled", option: labels[index] };
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
    leave(select, false);
    fire(select, "input");
    fire(select, "change");
  }
  return { changes, hides: hides || unseen, kept: areChosen() };
}
