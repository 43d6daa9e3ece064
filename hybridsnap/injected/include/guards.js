// @include pointing
// @include alike
// For functions on a node: what lies over it, and the guard over presses on it.
// What is to blame when no point of it can be hit.
const isInert = () => getComputedStyle(subject).interactivity === "inert";
// The modal dialog that keeps it from being used.
const modalOver = (cover) => {
  const own = line(subject);
  const modal = (one) => one instanceof HTMLDialogElement && matches(one, ":modal") && !own.includes(one);
  const open = [...queryAll(document, "dialog:modal")];
  return (cover && line(cover).find(modal)) || (open.every(modal) ? open.at(-1) : undefined);
};
const SAYS = "[role]:not([role=presentation], [role=none], [role=generic]), [aria-label], [aria-labelledby], "
  + "dialog, button, a[href], input, select, textarea, header, nav, footer, aside, form, img, iframe, "
  + "video, label, h1, h2, h3, summary";
// Some dialogs do not say that they are modal, and hide from assistive technology what stands beside them (Radix).
const DIALOGS = '[aria-modal="true"], [role="dialog"], [role="alertdialog"]';
const hides = (dialog, own) => own.some((one) => one instanceof Element && attribute(one, "aria-hidden") === "true"
  && line(dialog).includes(parentOf(one)) && !line(dialog).includes(one));
// A backdrop has no name; the open dialog that it belongs to has one.
const openDialog = (cover, own) => [rootOf(cover), document].flatMap((root) => {
  const type = root instanceof Document ? Document : DocumentFragment;
  return [...caller(type, "querySelectorAll")(root, DIALOGS)];
}).find((one) => !own.includes(one) && shown(one, { visibilityProperty: true }) && boxesOf(one).length
  && (attribute(one, "aria-modal") === "true" || hides(one, own)));
// The nearest part of it that means something, short of what holds the target too.
const nameable = (cover) => {
  const own = line(subject);
  for (const one of line(cover)) {
    if (own.includes(one)) break;
    if (one instanceof Element && matches(one, SAYS)) return one;
  }
  return openDialog(cover, own) ?? cover;
};
const behind = (cover) => modalOver(cover) ?? openDialog(subject, line(subject));
// The open dialog for which a script has made the whole page let the pointer through.
const shutBy = () => {
  const body = reader(Document, "body")(document);
  return body && getComputedStyle(body).pointerEvents === "none" ? openDialog(subject, line(subject)) : undefined;
};
const connected = reader(Node, "isConnected");
const NOTHING = { reached: 0, arrived: -1, slipped: false, stray: false };
const guards = globalThis[Symbol.for("hybridsnap guards")] ??= new Map();
// What a look or a guard has found, in case it is asked for.
const leaveFound = (key, found) => {
  guards.set(key, found);
  setTimeout(() => guards.delete(key), 10000);
};
const proofOf = () => globalThis[Symbol.for("hybridsnap proofs")]?.get(target) ?? null;
const blame = (key, cover, inView) => {
  guards.delete(key);
  const because = (found, reason) => {
    if (found) leaveFound(key, { cover: found, end: () => NOTHING });
    return reason;
  };
  if (modalOver(cover) || isInert()) return because(behind(cover), "inert");
  const through = getComputedStyle(subject).pointerEvents === "none", dialog = through && shutBy();
  if (dialog) return because(dialog, "covered");
  const there = cover && inView && !(through && matches(cover, ":root, body")) ? nameable(cover) : null;
  return because(there, through ? "pointer-events" : there ? "covered" : "off screen");
};

// Whether an event that was for a frame came to the element that holds the frame. The browser sends it there until
// it has drawn a frame that has just got a process of its own, or when that process has crashed; what lies in the
// element's border or padding is for the element.
const HOLDERS = [HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement];
const isForFrame = (node, event) => {
  const holder = HOLDERS.find((one) => node instanceof one);
  if (!holder || !reader(holder, "contentWindow")(node)) return false;
  const box = boundsOf(node), style = getComputedStyle(node);
  const isWithin = (at, start, length, whole, sides) => {
    const edge = (side) => parseFloat(style[`border${side}Width`]) + parseFloat(style[`padding${side}`]);
    const [first, last] = sides.map(edge), scale = length / whole;
    return at >= start + first * scale && at < start + length - last * scale;
  };
  return isWithin(event.clientX, box.left, box.width, node.offsetWidth, ["Left", "Right"])
    && isWithin(event.clientY, box.top, box.height, node.offsetHeight, ["Top", "Bottom"]);
};

// Stops what would press another node, until it is ended. It may never be ended, as when a dialog keeps
// the page and the driver has gone: it is spent once its own presses are over, and after a while.
// `proof` (`injected/proof.js`) tells in the same turn whether the node still is what was checked. What a
// page does to it as the pointer comes is not a change: all events of one move have the same time.
const HOVERS = ["pointerover", "pointerenter", "pointermove", "mouseover", "mouseenter", "mousemove"];
const guard = (key, isMine, presses, hold, proof = null, isPlace = isMine) => {
  let changed = "", moved = -1;
  const hover = (event) => {
    if (!event.isTrusted || downs || changed) return;
    if (event.timeStamp === moved) proof.accept(); else changed = proof.changed();
    moved = event.timeStamp;
  };
  // Between down and click, too. What the page does to the node as it hears of the press, or of the focus that goes
  // with it, is not a change, unless the node stands for another row then; where it keeps the press from coming
  // through, or the button is held for a while, no more is known of it. A press that has brought its context menu
  // is done, whatever becomes of the node then.
  let pressed = false, withheld = false, menu = false;
  const heardDown = (event) => {
    if (!event.isTrusted || downs !== 1 || ups || hold) return;
    proof.retake();
    pressed = true;
  };
  const lookBehindDown = () => {
    if (!proof || withheld || !reached || reached !== ups) return;
    withhold(pressed && !menu ? proof.changed() : displaced());
    pressed = false;
  };
  const withhold = (why) => {
    if (!why || withheld) return;
    changed = why;
    withheld = true;
    if (!menu) reached -= 1;
  };
  const displaced = () => proof?.isDisplaced() ? "what it stands beside" : "";
  const KINDS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick",
    "contextmenu", "touchstart", "touchend"];
  let reached = 0, stray = null, slipped = false, forFrame = false, downAt = [0, 0], downOn = [];
  // A page that takes a touch for itself (preventDefault) gets no mouse events and no click of it.
  const touches = [];
  let clicked = false;
  // When its presses have come with all that belongs to them. The click is the last of one; what comes behind
  // another's end (auxclick, dblclick) comes in the same task.
  let finish;
  const isOver = new Promise((done) => { finish = done; });
  const finishBehind = () => scheduler.postTask(() => finish(true), { priority: "user-blocking" });
  let heard = 0, downs = 0, ups = 0, downPaired = false, upPaired = false, captor = null;
  // Counted by the browser itself, also where a listener of the page's own swallows them (measured).
  const counted = (kind) => performance.eventCounts?.get(kind) ?? -1;
  const pointers = counted("pointerdown"), mice = counted("mousedown");
  // The pointer came in from another frame with its button down: its end is not awaited here.
  const begunElsewhere = () => !downs && mice >= 0
    && counted("mousedown") === mice && counted("pointerdown") === pointers;
  const drop = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };
  const look = (event) => {
    if (!event.isTrusted) return;
    const kind = event.type;
    if (kind.startsWith("touch")) {  // each comes right behind the pointer event of the same touch
      touches.push(event);
      if (stray) drop(event);
      return;
    }
    clicked ||= kind === "click";
    const down = kind === "pointerdown" || kind === "mousedown";
    const up = kind === "pointerup" || kind === "mouseup";
    if (!down && begunElsewhere()) {
      slipped = true;
      drop(event);
      return;
    }
    heard += 1;
    const at = event.composedPath()[0], node = inward(at, event.clientX, event.clientY);
    if (down) {
      // A press has both, or the first (a page can keep the second from coming), or, where another button
      // is down, the second.
      const begins = kind === "pointerdown" || !downPaired;
      downPaired = kind === "pointerdown";
      pressed = false;
      if (begins && ups >= presses) {
        leave();
        return;
      }
      if (begins) downs += 1;
      if (!(begins && downs === 1 ? isPlace(node) : isMine(node))) {
        if (begins) {
          forFrame ||= node === target && isForFrame(node, event);
          stray ??= node;
        } else if (!stray) {  // what has heard the press is gone since
          slipped = true;
          drop(event);
        }
      } else if (begins && !stray) {
        // A second press of a double click: what the first has made of the node is known to be the node.
        if (proof) changed ||= reached ? displaced() : proof.changed();
        forFrame = !changed && isForFrame(node, event);
        if (changed || forFrame) stray = node; else reached += 1;
        downAt = [event.clientX, event.clientY];
        downOn = line(node);
      } else if (!begins && !stray) {
        withhold(displaced());
        if (withheld) drop(event);
      }
    } else {
      if (up && (kind === "pointerup" || !upPaired) && downs > ups) ups += 1;
      if (up) upPaired = kind === "pointerup";
      if (up || kind === "click") lookBehindDown();
      if (kind === "contextmenu" && reached && !hold) withhold(displaced());
      menu ||= kind === "contextmenu" && reached > 0 && !withheld && isMine(node);
      if (up && ups >= presses) finishBehind();
      if (kind === "click" && presses === 1) finish(true);
      // A page may have what is left of a press go where it likes (setPointerCapture).
      if (kind === "pointerup" && at instanceof Element && captures(at, event.pointerId)) captor = at;
      if (!stray && at !== captor && !isMine(node)) {
        // Let go over another node, the press still ends: scripts wait for that. It is a click on neither node.
        slipped = true;
        if (!up) drop(event);
      }
    }
    if (stray || (withheld && !down && !up)) drop(event);
  };
  const options = { capture: true, passive: false };
  // Before all listeners of the page, where the document began with ours (`injected/first_listeners.js`).
  const first = globalThis[Symbol.for("hybridsnap first listeners")];
  const listeners = first ? [] : KINDS.map((kind) => [kind, look, options]);
  first?.add(look);
  if (proof) {
    for (const kind of HOVERS) listeners.push([kind, hover, true], [kind, hover, false]);
    for (const kind of ["pointerdown", "mousedown", "focusout", "focusin"]) listeners.push([kind, heardDown, false]);
  }
  const listen = () => { for (const one of listeners) window.addEventListener(...one); };
  listen();
  // `document.open` empties the document, and takes all listeners away.
  const emptied = new MutationObserver(listen);
  emptied.observe(document, { childList: true });
  const stop = () => {
    emptied.disconnect();
    first?.delete(look);
    for (const one of listeners) window.removeEventListener(...one);
    clearTimeout(timer);
    guards.delete(key);
  };
  const isOpen = () => Boolean(subject) && isAttached() && attribute(subject, "aria-expanded") === "true";
  const wasOpen = isOpen();
  // Whether the node has gone from under the pointer since it was pressed.
  const isAway = () => {
    const { left, top, right, bottom } = boundsOf(subject), [x, y] = downAt;
    return right > left && (x < left - 2 || x > right + 2 || y < top - 2 || y > bottom + 2);
  };
  const isUnseen = () => {
    const { left, right } = boundsOf(subject);
    return !isAttached() || right === left;
  };
  const told = () => {
    // A press on what is just being taken out is a pointerdown without a listener, and no mousedown
    // (measured): it counts as lost.
    const arrived = mice < 0 ? -1 : counted("mousedown") - mice + heard;
    const moved = slipped && reached > 0 && isAway();
    // What the press was for has opened, and came under the pointer before the button was let go.
    const opened = (menu || (!wasOpen && isOpen())) && reached > 0 && !moved;
    const gone = slipped && reached > 0 && isUnseen();
    const isStopped = stray !== null || (withheld && !menu);
    return { reached, arrived, slipped: slipped && !opened, moved, stray: isStopped, changed, forFrame,
      withheld, gone };
  };
  const leave = () => {
    const found = told();
    stop();
    leaveFound(key, { end: () => found });
  };
  const timer = setTimeout(leave, hold + 10000);
  // For HTML's drag and drop the browser takes what stands at the place when the pointer moves, which may be another
  // by then. Once more `end` tells whether it was kept from that.
  const watchDrag = (found) => {
    // Of what the page has rendered anew meanwhile, what went out of the page together has to be there alike.
    const isDraggedFor = (one) => {
      const gone = downOn.filter((held) => !connected(held));
      return downOn.includes(one) || (gone.some((held) => isLike(one, held))
        && line(one).some((around) => isLike(around, gone.at(-1))));
    };
    const begin = (event) => {
      if (!event.isTrusted || isDraggedFor(event.composedPath()[0])) return;
      drop(event);
      found.stray = true;
    };
    const end = () => {
      window.removeEventListener("dragstart", begin, true);
      guards.delete(key);
      return found;
    };
    window.addEventListener("dragstart", begin, true);
    setTimeout(end, hold + 10000);
    guards.set(key, { end });
  };
  guards.set(key, {
    isOver,
    tapped: () => clicked || touches.some((touch) => touch.defaultPrevented),
    end(unlessStray, keepCover) {
      // The button is held for a drag: if the node stands for another row by now, that row must not be dragged.
      // Nor where the node has gone from under the pointer: the browser drags what stands there by then.
      if (unlessStray && reached && !stray && !withheld) {
        changed = isAttached() ? displaced() : "";  // of what is out of the page, `watchDrag` sees to it
        withheld = Boolean(changed) || (isAway() && !isMine(hit(...downAt)));
        menu = false;  // a drag has yet to come
      }
      const found = told();
      if (unlessStray && (stray || withheld)) return found;
      stop();
      if (unlessStray && reached) watchDrag(found);
      if (stray && !changed && keepCover) leaveFound(key, { cover: nameable(stray), end: () => found });
      return found;
    },
  });
};
