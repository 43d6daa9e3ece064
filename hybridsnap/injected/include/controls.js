// What kind of control an element is, and why it cannot be acted on.
// @include accessors
const TEXT = new Set(["text", "search", "url", "tel", "email", "password"]);
const MOMENT = new Set(["date", "time", "datetime-local", "month", "week", "number", "range", "color"]);
const CHECKED = new Set(["checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"]);
const isActive = (one) => {
  const root = rootOf(one);
  if (root instanceof ShadowRoot) return get(ShadowRoot, "activeElement", root) === one;
  return root instanceof Document && get(Document, "activeElement", root) === one;
};
const hasFocus = () => Document.prototype.hasFocus.call(document);
const matches = (one, selector) => Element.prototype.matches.call(one, selector);
const roleOf = (one) => (attribute(one, "role") ?? "").trim().split(/\s+/)[0];
const isShown = (one, options) => Element.prototype.checkVisibility.call(one, options);
// An editor that draws its text itself, and takes input by an EditContext; no other element has one.
const contextOf = (one) => one instanceof HTMLElement ? get(HTMLElement, "editContext", one) : null;
const isChecked = (one) => CHECKED.has(roleOf(one));
// A separator that takes the focus is moved by keys, as a slider is: it may divide two panes.
const hasValue = (one) => attribute(one, "aria-valuenow") !== null;
const isMoved = (one) => attribute(one, "tabindex") !== null && hasValue(one);
const kindOf = (one) => {
  if (one instanceof HTMLInputElement) {
    if (TEXT.has(one.type)) return "text";
    if (MOMENT.has(one.type) || ["checkbox", "radio", "file"].includes(one.type)) return one.type;
    return isChecked(one) ? "aria" : "button";
  }
  if (one instanceof HTMLTextAreaElement) return "textarea";
  if (one instanceof HTMLSelectElement) return "select";
  if (one instanceof HTMLOptionElement) return "option";
  if (isEditable(one)) return "editable";
  if (contextOf(one)) return "edit context";
  if (one instanceof HTMLLabelElement) return "label";
  if (isChecked(one)) return "aria";
  const role = roleOf(one);
  // Likewise what holds no text to type over: the hours of a clock, drawn as a button.
  const isSpun = role === "spinbutton" && (isMoved(one) || (one instanceof HTMLButtonElement && hasValue(one)));
  if (role === "slider" || isSpun || (role === "separator" && isMoved(one))) return "slider";
  return one instanceof HTMLButtonElement ? "button" : "";
};
// What takes the focus: of a part of something editable the whole, of some sliders (Quasar's) a part.
const hostOf = (one) => {
  const kind = kindOf(one);
  if (kind === "slider" && attribute(one, "tabindex") === null) {
    return Element.prototype.querySelector.call(one, "[tabindex]") || one;
  }
  if (kind !== "editable") return one;
  if (get(Document, "designMode", document) === "on") return get(Document, "body", document);
  for (let above = one; ; above = get(Node, "parentElement", above)) {
    if (!isEditable(get(Node, "parentElement", above))) return above;
  }
};
// What gets the keys that are pressed on an element: an item of a check list in an editor takes the focus itself.
const pressedFor = (one) => isChecked(one) && attribute(one, "tabindex") !== null ? one : hostOf(one);
const around = (one) => one instanceof ShadowRoot ? get(ShadowRoot, "host", one)
  : (one instanceof Element && get(Element, "assignedSlot", one)) || get(Node, "parentNode", one);
const refusalOf = (one) => {
  if (!get(Node, "isConnected", one)) return "detached";
  if (matches(one, ":disabled")) return "disabled";
  if (!isShown(one)) return "not displayed";
  if (!isShown(one, { visibilityProperty: true })) return "invisible";
  for (let above = one; above; above = around(above)) {
    if (above instanceof Element && matches(above, "[inert]")) return "inert";
  }
  return "";
};
// Gives it the focus; why not, when it does not have it then.
const focusOn = (one) => {
  // The body is what is active where nothing has the focus.
  if (isActive(one) && one !== get(Document, "body", document)) return "";
  let had = false, left = false;
  const note = () => { had = true; }, leave = () => { left = true; };
  const { addEventListener: listen, removeEventListener: unlisten } = EventTarget.prototype;
  // Between two elements of a shadow root the window hears nothing of it.
  const places = [window, rootOf(one)];
  listen.call(one, "focus", note, true);
  for (const place of places) listen.call(place, "blur", leave, true);
  const type = [HTMLElement, SVGElement, MathMLElement].find((type) => one instanceof type);
  if (type) type.prototype.focus.call(one);
  // A field may take the focus back once, as it puts in what it completes (Bokeh's).
  if (type && left && !had && !isActive(one)) type.prototype.focus.call(one);
  unlisten.call(one, "focus", note, true);
  for (const place of places) unlisten.call(place, "blur", leave, true);
  if (isActive(one)) return "";
  if (had) return "focus moved";
  if (left) return get(Node, "isConnected", one) ? "focus taken" : "detached";
  const modal = Document.prototype.querySelector.call(document, ":modal");
  return modal && !Node.prototype.contains.call(modal, one) ? "inert" : "not focusable";
};
// What a page in the background needs before it takes an empty insertion, which would delete a selection.
const collapse = (one) => {
  if (one.selectionEnd != null) one.setSelectionRange(one.selectionEnd, one.selectionEnd);
  else getSelection().modify("move", "forward", "character");
};
const sleeps = (one) => {
  if (hasFocus()) return false;
  collapse(one);
  return true;
};
const fire = (one, type) => {
  EventTarget.prototype.dispatchEvent.call(
    one, new Event(type, { bubbles: true, composed: type === "input" }));
};
