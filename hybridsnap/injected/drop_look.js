// (source, x, y, rest) → {box, origin, over, alike, akin, clear, back, native}, after `rest` ms and two frames.
// `box` is the target's, `origin` where what the target's parent holds begins: both go together when the
// page scrolls. `over`: what the pointer is over, seen through the dragged element: target, other, or
// nothing. `alike`: source and target are items of one list, or all that is in them; `box` is the item's
// then. `akin`: they are items of two lists. `clear`: the middle is in view, and nothing but the dragged
// element lies over it. `back`: the source comes after the target. `native`: the source says that it is for
// HTML's drag and drop. `changed`: source or target stands beside something else than it was proven by.
async function (source, x, y, rest) {
  // @include dragged
  if (rest) await new Promise((done) => setTimeout(done, rest));
  for (let n = 0; n < 2 && !isHidden(document); n++) await frame(100);
  if (!isAttached()) return { box: null, origin: [0, 0], over: "other", alike: false, akin: false,
    clear: false, back: false, native: false, changed: "" };
  const proofs = globalThis[Symbol.for("hybridsnap proofs")];
  // A source that the page has taken out, or rendered anew, stands beside nothing.
  const connected = reader(Node, "isConnected");
  const changed = (!source || connected(source)) && proofs?.get(source ?? this)?.isDisplaced() ? "source"
    : proofs?.get(this)?.isDisplaced() ? "target" : "";
  // The two items that hold source and target, and no words but theirs.
  const own = line(dragged, composedParent), other = line(subject, composedParent);
  const shared = other.find((one) => own.includes(one));
  const [from, item] = [own, other].map((nodes) => nodes[nodes.indexOf(shared) - 1]);
  const near = (a, b) => Math.abs(a - b) < 2;
  const isItem = (one, part) => one instanceof Element && textOf(one) === textOf(part);
  const alike = Boolean(dragged) && isItem(from, dragged) && isItem(item, subject)
    && nameOf(from) === nameOf(item) && (near(boundsOf(from).width, boundsOf(item).width)
      || near(boundsOf(from).height, boundsOf(item).height) || from === dragged
      && (near(size.width, boundsOf(item).width) || near(size.height, boundsOf(item).height)));
  const [left, list] = [dragged, subject].map((one) => one && composedParent(one));
  const akin = Boolean(left && list) && left !== list && nameOf(left) === nameOf(list)
    && nameOf(dragged) === nameOf(subject) && (near(size.width, boundsOf(subject).width)
      || near(size.height, boundsOf(subject).height));
  const whole = alike ? item : subject;
  const bounds = boundsOf(whole);
  const around = above(whole);
  const held = around instanceof Element ? boundsOf(around) : { left: 0, top: 0 };
  const origin = around instanceof Element
    ? [held.left - reader(Element, "scrollLeft")(around), held.top - reader(Element, "scrollTop")(around)]
    : [0, 0];
  const [first] = stack(x, y);
  const middle = [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
  const inView = middle[0] > 0 && middle[1] > 0 && middle[0] < innerWidth && middle[1] < innerHeight;
  const isTarget = (one) => Boolean(one) && (isOwn(one) || line(one).includes(whole));
  return { box: boxOf(bounds), origin, over: !first ? "nothing" : isTarget(first) ? "target" : "other",
    alike: alike && inView, akin: akin && inView, clear: inView && isTarget(stack(...middle)[0]),
    back: alike && Boolean(caller(Node, "compareDocumentPosition")(item, from)
      & Node.DOCUMENT_POSITION_FOLLOWING),
    native: own.some((one) => one instanceof Element && matches(one, "[draggable=true]")), changed };
}
