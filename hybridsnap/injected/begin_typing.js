function (key, whole) {
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
  const selection = getSelection();
  if (!inEditable) {
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
  const before = inEditable ? get(Node, "textContent", at) : whole ? "" : at.value;
  guardAgainst(["keydown", "keypress", "beforeinput"], target, before);
  const empty = inEditable ? !get(Node, "textContent", this) : at.value === "" && !at.validity.badInput;
  return { kind, empty };
}
