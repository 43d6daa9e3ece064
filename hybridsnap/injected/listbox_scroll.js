// (action, back) → scrolls a list by what is seen of it, or back to its start: whether it has moved; once the page has
// drawn it. A list that has hundreds of options may draw those alone that are in view.
async function (action, back) {
  // @include control_at
  // @include listbox
  const isScrolled = (one) => /auto|scroll/.test(getComputedStyle(one).overflowY)
    && get(Element, "scrollHeight", one) > get(Element, "clientHeight", one) + 1;
  const holds = (outer) => {
    for (let node = combo; node; node = around(node)) if (node === outer) return true;
    return false;
  };
  let view = null;
  const HIGHEST = 3;  // levels above the list at which its view is looked for: beyond, it is the page's
  for (let node = all[0] ?? box, above = 0; node && above <= HIGHEST && !view; node = around(node)) {
    if (!(node instanceof Element)) continue;
    if (holds(node) || matches(node, OUTSIDE)) break;
    if (isScrolled(node)) view = node;
    if (above || node === box) above += 1;
  }
  if (!view) return { moved: false };
  const from = get(Element, "scrollTop", view);
  const step = Math.max(get(Element, "clientHeight", view) - 1, 1);
  Element.prototype.scrollTo.call(view, { top: back ? 0 : from + step, behavior: "instant" });
  if (get(Element, "scrollTop", view) === from) return { moved: false };
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const UNDRAWN = 200;  // ms, in a tab that is not drawn
  await Promise.race([frame().then(frame), new Promise((done) => setTimeout(done, UNDRAWN))]);
  return { moved: true };
}
