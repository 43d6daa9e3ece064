"""The functions that scrolling and measuring call in the isolated worlds of a page."""

from __future__ import annotations

from hybridsnap.act.probes import CHOOSING, COMMON

#: On a node: () → {detached, box}: its bounding box in its frame's viewport, [x, y, width, height]; null
#: where it is not laid out.
BOX = (
    "function () {"
    + COMMON
    + """
  if (!isAttached()) return { detached: true, box: null };
  const own = target instanceof Element && rectsOf(target).length ? boxOf(boundsOf(target)) : null;
  const all = own ? [own] : boxes();
  if (!all.length || (!(target instanceof HTMLAreaElement) && !shown(subject)
    && getComputedStyle(subject).display !== "contents")) return { detached: false, box: null };
  const box = [Math.min(...all.map((one) => one[0])), Math.min(...all.map((one) => one[1])),
    Math.max(...all.map((one) => one[2])), Math.max(...all.map((one) => one[3]))];
  return { detached: false, box: [box[0], box[1], box[2] - box[0], box[3] - box[1]] };
}"""
)

#: On a node: (limit) → {reason, size}. Scrolled so that its middle is in view, in the frames around it too.
BRING = (
    "async function (limit) {"
    + COMMON
    + CHOOSING
    + """
  const size = [innerWidth, innerHeight];
  if (!isAttached()) return { reason: "detached", size };
  const all = boxes();
  if (!all.length) return { reason: shown(subject) ? "no size" : "not displayed", size };
  const comfortable = isComfortable(target, all);
  if (!comfortable || top !== window) bring(target, all, comfortable ? "nearest" : "center");
  if (target !== subject || target instanceof HTMLAreaElement) bringPoint(...centreOf(boxes()[0]));
  return { reason: await atRest(limit) ? "" : "moving", size };
}"""
)

#: (direction, distance or null, node or null) → {x, y, what}: how far what scrolls went. Of a node it is the
#: nearest that scrolls that way, from itself upwards; else the page, or the largest that scrolls in it.
SCROLL = """function (direction, distance, node) {
  const across = direction === "left" || direction === "right";
  const forward = direction === "right" || direction === "down";
  const reader = (type, name) => {
    const read = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (on) => read.call(on);
  };
  const parentOf = reader(Node, "parentNode"), hostOf = reader(ShadowRoot, "host");
  const slotOf = reader(Element, "assignedSlot");
  const above = (one) => (one instanceof Element && slotOf(one)) || parentOf(one)
    || (one instanceof ShadowRoot ? hostOf(one) : null);
  const root = reader(Document, "scrollingElement")(document)
    || reader(Document, "documentElement")(document);
  const whole = reader(Element, across ? "scrollWidth" : "scrollHeight");
  const seen = reader(Element, across ? "clientWidth" : "clientHeight");
  const left = reader(Element, "scrollLeft"), top = reader(Element, "scrollTop");
  const scrolls = (one) => {
    if (!(one instanceof Element) || whole(one) <= seen(one)) return false;
    const style = getComputedStyle(one), how = across ? style.overflowX : style.overflowY;
    return one === root ? how !== "hidden" && how !== "clip" : how === "auto" || how === "scroll";
  };
  const line = (one) => {
    const found = [];
    for (; one; one = above(one)) found.push(one);
    return found;
  };
  const area = (one) => {
    const box = Element.prototype.getBoundingClientRect.call(one);
    return Math.max(0, Math.min(box.right, innerWidth) - Math.max(box.left, 0))
      * Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
  };
  let scroller = node ? line(node).find(scrolls) : scrolls(root) ? root : null;
  if (!node && !scroller) {
    const inside = [...Document.prototype.querySelectorAll.call(document, "*")].filter(scrolls);
    scroller = inside.sort((a, b) => area(b) - area(a))[0];
  }
  if (!scroller || (!node && scroller !== root && !area(scroller))) return { x: 0, y: 0, what: "nothing" };
  const far = (distance ?? (scroller === root ? (across ? innerWidth : innerHeight) : seen(scroller)))
    * (forward ? 1 : -1);
  const before = [left(scroller), top(scroller)];
  Element.prototype.scrollBy.call(scroller, {
    left: across ? far : 0, top: across ? 0 : far, behavior: "instant" });
  const what = scroller === node ? "element" : scroller === root ? "page" : node ? "ancestor" : "inside";
  return { x: left(scroller) - before[0], y: top(scroller) - before[1], what };
}"""
