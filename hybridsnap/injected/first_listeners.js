// Called as a document begins, before any script of the page: listens on the window in the capture phase, for
// the guards over presses that are put up later. Listeners are called in the order in which they came, so
// what a guard stops is not heard by the page's own listeners on the window either.
//
// A press that is older than the document was meant for the one before it: it is stopped, with all that
// belongs to it. So is the release alone, where the button was pressed in the document before.
//
// `Symbol.for("hybridsnap first listeners")` is the set of functions that get the events; its `stopped` counts
// the presses that were stopped here.
() => {
  const KEY = Symbol.for("hybridsnap first listeners");
  if (globalThis[KEY]) return;
  const KINDS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick",
    "contextmenu", "touchstart", "touchend"];
  const born = performance.now(), first = globalThis[KEY] = new Set();
  first.stopped = 0;
  let older;  // whether the last press here was older; undefined before the first
  const isOlder = (event) => {
    if (!event.isTrusted || (event.type === "click" && event.detail === 0)) return false;  // by the keyboard
    if (event.type === "pointerdown" || event.type === "mousedown") older = event.timeStamp < born;
    if (older && event.type === "pointerdown") first.stopped += 1;  // prevented, it brings no mousedown
    // A release without a press belongs to a press in the document before.
    return older ?? event.timeStamp < born;
  };
  const hear = (event) => {
    if (!isOlder(event)) {
      for (const one of first) one(event);
      return;
    }
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const listen = () => {
    for (const kind of KINDS) addEventListener(kind, hear, { capture: true, passive: false });
  };
  listen();
  // `document.open` takes all listeners away.
  new MutationObserver(listen).observe(document, { childList: true });
}
