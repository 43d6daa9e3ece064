// On a node: (direction) → {at, from, first, items, size}: how far the view, and the nearest scroller, are
// scrolled; where the view's first item stands; the places and words of all, and how much of the view is
// seen.
function (direction) {
  // @include scrollers
  const view = viewOf(this), scroller = scrollerOf(this);
  const bounds = (one) => Element.prototype.getBoundingClientRect.call(one);
  const corner = bounds(view);
  const items = [...Element.prototype.querySelectorAll.call(view, "*")].slice(0, 300).map((one) => {
    const box = bounds(one);
    return [Math.round(box.left - corner.left), Math.round(box.top - corner.top)];
  });
  const words = (view.textContent ?? "").slice(0, 5000);
  return { at: [left(view), top(view)], from: scroller ? [left(scroller), top(scroller)] : [0, 0],
    first: items[0] ?? [0, 0], items: JSON.stringify([items, words]), size: seen(view) };
}
