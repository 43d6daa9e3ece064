// @include control_at
// For functions on a node: puts the guard over typing up. `types` are events that only the element may get,
// `target` is what has the focus. After the first stray event nothing comes through, so that no text arrives with
// holes in it. `isProxy`: it passes the text on, and need not hold it afterwards: `before` and `after` are of the
// caret's line. `isWhole`: the text is all that it is to hold.
const aroundCaret = (text, start, end = start) =>
  [text.slice(0, start).split("\n").at(-1), text.slice(end).split("\n")[0]];
const guardAgainst = (types, target, before, after = "", isProxy = false, isWhole = false) => {
  const guards = globalThis[Symbol.for("hybridsnap guards")] ??= new Map();
  guards.get(key)?.end();
  const kind = kindOf(at);
  const read = () => kind === "edit context" ? contextOf(at).text
    : kind === "editable" ? get(Node, "textContent", at) : at.value;
  const line = () => isProxy ? aroundCaret(at.value, at.selectionStart) : [];
  const original = read();
  const guard = { at, before, after, isProxy, isWhole, stray: 0, first: "", changed: "" };
  proof?.accept();  // what its own getting the focus has changed
  let begun = false;
  // A row that repeats what is typed in it ("Ann" in the heading above the field of the name) is the same row.
  const moved = () => displaced() && !proof.says(at.value ?? get(Node, "textContent", at)) ? "changed" : "";
  const watch = (event) => {
    guard.changed ||= begun ? moved() : changed();
    begun = true;
    if (!guard.stray && !guard.changed && isActive(target) && hasFocus()) return;
    guard.stray += 1;
    guard.first ||= event.type;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // What the browser makes of a key that has come (a text, a click) is not for another row, either: of what a
  // page has drawn into the same nodes upon that key.
  const behind = ["keypress", "beforeinput", "click"].filter((type) => !types.includes(type));
  const look = (event) => {
    if (!begun || !event.isTrusted || !isActive(target)) return;
    guard.changed ||= moved();
    if (!guard.changed) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of behind) addEventListener(type, look, true);
  addEventListener("beforeinput", look, false);  // the page has heard it, and no text has come yet
  for (const type of types) addEventListener(type, watch, true);
  // The last event of an input tells that it is over: behind the page's listeners, and not in a task of its own,
  // which Chromium puts off behind a key until it has drawn a frame. In a task where the page keeps the event from
  // getting so far, and of a blank, which may yet click.
  const come = { keyup: 0, input: 0 };
  let told = () => {}, heard = () => {};
  const hear = (event) => heard(event);
  const count = ({ type, isTrusted }) => {
    if (!begun || !isTrusted) return;  // not of this input: sent by a script, or before it
    come[type] += 1;
    removeEventListener(type, hear);
    addEventListener(type, hear);
    told();
  };
  for (const type of Object.keys(come)) addEventListener(type, count, true);
  guard.comes = (last, times, ms) => new Promise((done) => {
    const isOver = () => come[last] >= times, finish = () => done(true);
    if (isOver()) finish();
    told = () => { if (isOver()) scheduler.postTask(finish, { priority: "user-blocking" }); };
    heard = ({ key }) => { if (isOver() && key !== " ") finish(); };
    setTimeout(done, ms, false);
  });
  guard.holds = () => {
    guard.changed ||= begun ? moved() : "";
    return !guard.stray && !guard.changed && isActive(target) && hasFocus();
  };
  // What it holds before a key that may send the text off; where that is not asked, what it holds in the end.
  guard.note = () => { [guard.noted, guard.line] = [read(), line()]; };
  guard.held = () => guard.noted ?? read();
  guard.lineHeld = () => guard.line ?? line();
  guard.tookNone = () => !come.input && guard.held() === original;
  guard.entered = () => come.input + come.keyup > 0;
  // Behind a text that came at once: many pages look at what is typed, complete it and check it when a key comes up.
  guard.letUp = (key) => {
    if (guard.stray || guard.changed || moved() || !isActive(target) || !hasFocus()) return;
    const init = { ...key, bubbles: true, cancelable: true, composed: true, view: window };
    target.dispatchEvent(new KeyboardEvent("keyup", init));
  };
  guard.end = () => {
    for (const type of behind) removeEventListener(type, look, true);
    removeEventListener("beforeinput", look, false);
    for (const type of types) removeEventListener(type, watch, true);
    for (const type of Object.keys(come)) {
      removeEventListener(type, count, true);
      removeEventListener(type, hear);
    }
    guards.delete(key);
  };
  guards.set(key, guard);
};
