// For functions on a node, behind `control_at`: puts the guard over typing up. `types` are events that only the
// element may get, `target` is what has the focus. After the first stray event nothing comes through, so that no
// text arrives with holes in it.
const guardAgainst = (types, target, before, after = "") => {
  const guards = globalThis[Symbol.for("hybridsnap guards")] ??= new Map();
  guards.get(key)?.end();
  const guard = { at, before, after, stray: 0, first: "", changed: "" };
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
  // The last event of an input tells that it is over: as a task of its own, behind what the page makes of it,
  // and ahead of what the browser makes of that (painting, looking through forms: 1 to 3 ms).
  const come = { keyup: 0, input: 0 };
  let told = () => {};
  const count = ({ type, isTrusted }) => {
    if (!begun || !isTrusted) return;  // not of this input: sent by a script, or before it
    come[type] += 1;
    told();
  };
  for (const type of Object.keys(come)) addEventListener(type, count, true);
  guard.comes = (last, times, ms) => new Promise((done) => {
    const isOver = () => scheduler.postTask(() => done(true), { priority: "user-blocking" });
    told = () => { if (come[last] >= times) isOver(); };
    told();
    setTimeout(done, ms, false);
  });
  guard.holds = () => {
    guard.changed ||= begun ? moved() : "";
    return !guard.stray && !guard.changed && isActive(target) && hasFocus();
  };
  guard.entered = () => come.input + come.keyup > 0;
  guard.end = () => {
    for (const type of behind) removeEventListener(type, look, true);
    removeEventListener("beforeinput", look, false);
    for (const type of types) removeEventListener(type, watch, true);
    for (const type of Object.keys(come)) removeEventListener(type, count, true);
    guards.delete(key);
  };
  guards.set(key, guard);
};
