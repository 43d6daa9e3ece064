// For functions that scroll in a `direction`. `views` are elements that cut off what is in them, and may move it by
// script when the wheel is turned.
const across = direction === "left" || direction === "right";
const forward = direction === "right" || direction === "down";
// @include composed
const slotOf = reader(Element, "assignedSlot");
const above = (one) => (one instanceof Element && slotOf(one)) || composedParent(one);
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
  for (one = one instanceof Document ? root : one; one; one = above(one)) found.push(one);
  return found;
};
const area = (one) => {
  const box = Element.prototype.getBoundingClientRect.call(one);
  return Math.max(0, Math.min(box.right, innerWidth) - Math.max(box.left, 0))
    * Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
};
// Many boxes that are not meant to scroll cut off less than this.
const SMALL = 20;
const hides = (one) => {
  if (!(one instanceof Element) || one === root || one.localName === "body") return false;
  if (whole(one) - seen(one) < SMALL || seen(one) < SMALL) return false;
  const style = getComputedStyle(one), how = across ? style.overflowX : style.overflowY;
  return how === "hidden" || how === "clip";
};
const viewOf = (node) => line(node).find((one) => hides(one) || scrolls(one));
const scrollerOf = (node) => node ? line(node).find(scrolls) : scrolls(root) ? root : null;
