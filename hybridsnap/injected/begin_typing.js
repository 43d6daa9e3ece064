// (key, whole, selected) → {refused, kind, empty, asleep, undrawn}. `whole`: what it holds is replaced; `selected`: what
// is selected in it is; otherwise the text goes behind what it holds. `undrawn`: the editor draws a part of its text,
// and an empty box in the place of the end.
function (key, whole, selected) {
  // @include controls
  // @include control_at
  // @include typing_guard
  const kind = at ? kindOf(at) : "";
  const inEditable = kind === "editable", ofContext = kind === "edit context";
  if (!(ofContext && !whole) && !["editable", "text", "textarea", "number"].includes(kind)) {
    return { refused: "wrong kind", kind };
  }
  const target = hostOf(at);
  const refused = refusalOf(at) || changed() || (!inEditable && !ofContext && at.readOnly && "read-only")
    || focusOn(target);
  if (refused) return { refused, kind };
  if (sleeps(target)) return { asleep: true };
  if (ofContext) {
    guardAgainst(["keydown", "keypress", "beforeinput"], target, contextOf(at).text);
    return { kind, empty: false };
  }
  let undrawn = false;
  const selection = getSelection(), picked = selected && !whole ? String(selection) : "";
  if (picked || (selected && !whole && inEditable && !selection.isCollapsed)) {
    // It stays as it is.
  } else if (!inEditable) {
    if (whole) at.select();
    else selection.modify("move", "forward", "documentboundary");
  } else if (this !== at) {
    selection.setBaseAndExtent(this, whole ? 0 : this.length, this, this.length);
  } else if (whole || at !== target || !selection.rangeCount) {
    selection.selectAllChildren(at);
    if (!whole) selection.collapseToEnd();
  } else {
    selection.modify("move", "forward", "documentboundary");
  }
  if (inEditable && this === at && !whole && !picked) {
    const end = at.lastElementChild;
    undrawn = end instanceof HTMLDivElement && !end.firstChild && end.offsetHeight > 0;
  }
  let before = inEditable ? get(Node, "textContent", at) : whole ? "" : at.value, after = "";
  if (picked && !inEditable) {
    const start = at.selectionStart ?? at.value.indexOf(picked);  // null of numbers and addresses
    after = at.value.slice(at.selectionEnd ?? start + picked.length);
    before = at.value.slice(0, start);
  }
  guardAgainst(["keydown", "keypress", "beforeinput"], target, before, after);
  const empty = inEditable ? !get(Node, "textContent", this) : at.value === "" && !at.validity.badInput;
  return { kind, empty, undrawn };
}
