// (direction, distance or null, node or null, from or null) → {x, y, what}: how far what scrolls went. Of a
// node it is the nearest that scrolls that way, from itself upwards; else the page, or the largest that
// scrolls in it. `view`, and nothing is done, where the wheel may scroll something nearer to the node; with
// `from`, where the scroller stood before the wheel was tried, that does not count.
function (direction, distance, node, from) {
  // @include scrollers
  if (node && !from && hides(viewOf(node) ?? null)) return { x: 0, y: 0, what: "view" };
  let scroller = scrollerOf(node);
  if (!node && !scroller) {
    const inside = [...Document.prototype.querySelectorAll.call(document, "*")].filter(scrolls);
    scroller = inside.sort((a, b) => area(b) - area(a))[0];
  }
  if (!scroller || (!node && scroller !== root && !area(scroller))) return { x: 0, y: 0, what: "nothing" };
  const far = (distance ?? (scroller === root ? (across ? innerWidth : innerHeight) : seen(scroller)))
    * (forward ? 1 : -1);
  const before = from ?? [left(scroller), top(scroller)];
  if (from) Element.prototype.scrollTo.call(scroller, { left: from[0], top: from[1], behavior: "instant" });
  Element.prototype.scrollBy.call(scroller, {
    left: across ? far : 0, top: across ? 0 : far, behavior: "instant" });
  const what = scroller === node ? "element" : scroller === root ? "page" : node ? "ancestor" : "inside";
  return { x: left(scroller) - before[0], y: top(scroller) - before[1], what };
}
