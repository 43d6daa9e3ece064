// (key, whole, selected) → {refused, kind, empty, asleep, undrawn, selectAll, secret, isTerminal}. `whole`: what it
// holds is replaced; `selected`: what is selected in it is; otherwise the text goes behind what it holds. `undrawn`:
// the editor draws a part of its text, and an empty box in the place of the end. `selectAll`: the keys that select
// the text of an editor that holds its text elsewhere; "" of all other elements.
function (key, whole, selected) {
  // @include typing_guard
  // In CSS px: no text area in which a person sees what they write is narrower.
  const NARROW = 30;
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
  // A text area of which nothing is seen takes the input of an editor that draws and selects its text itself (as
  // CodeMirror 5 and Ace have it): what such a text area holds, and has selected, is the editor's affair. One that
  // says that it takes a line only is a terminal's, where the keys that select all mean something else.
  const isThin = (one) => get(Element, "clientWidth", one) < 2 || get(Element, "clientHeight", one) < 2;
  const isCut = (one) => isThin(one) && getComputedStyle(one).overflowY !== "visible";
  const holder = get(Node, "parentElement", at);
  const isLine = at && attribute(at, "aria-multiline") === "false";
  const isUnseen = kind === "textarea" && (isThin(at) || (holder && isCut(holder))
    || (get(Element, "clientWidth", at) < NARROW && !isShown(at, { opacityProperty: true })));
  const isProxy = isUnseen && !isLine, isTerminal = isUnseen && isLine;
  let undrawn = false;
  const selection = getSelection(), picked = selected && !whole ? String(selection) : "";
  if (isProxy || picked || (selected && !whole && inEditable && !selection.isCollapsed)) {
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
  if (isProxy) {
    [before, after] = whole ? ["", ""] : aroundCaret(at.value, at.selectionStart, at.selectionEnd);
  } else if (picked && !inEditable) {
    const start = at.selectionStart ?? at.value.indexOf(picked);  // null of numbers and addresses
    after = at.value.slice(at.selectionEnd ?? start + picked.length);
    before = at.value.slice(0, start);
  }
  guardAgainst(["keydown", "keypress", "beforeinput"], target, before, after, isProxy, whole && this === at);
  const selectAll = !isProxy ? "" : navigator.platform.startsWith("Mac") ? "Meta+a" : "Control+a";
  const isEmpty = inEditable ? !get(Node, "textContent", this) : at.value === "" && !at.validity.badInput;
  return { kind, empty: isEmpty && !isProxy, undrawn, selectAll, secret: isPassword(at), isTerminal };
}
