// For functions on the target of a drag. `source` is the dragged element, null where it is in another world. What
// moves with the pointer counts as part of the source: itself, and a positioned copy of it (a helper, a ghost).
// @include pointing
// @include alike

const stack = (x, y) => {
  const root = rootOf(target);
  const all = root instanceof ShadowRoot
    ? caller(ShadowRoot, "elementsFromPoint")(root, x, y)
    : caller(Document, "elementsFromPoint")(document, x, y);
  return all.filter((one) => !isDragged(one));
};
const contains = caller(Node, "contains"), nameOf = reader(Node, "nodeName");
const dragged = source instanceof Element ? source : source && parentOf(source);
const size = dragged && boundsOf(dragged);
const copies = (one) => {
  if (contains(one, dragged) || contains(one, target)) return false;
  if (!["absolute", "fixed"].includes(getComputedStyle(one).position)) return false;
  const words = textOf(dragged), box = boundsOf(one);
  if (words) return words === textOf(one);
  return nameOf(one) === nameOf(dragged) && Math.abs(box.width - size.width) < 2
    && Math.abs(box.height - size.height) < 2;
};
const isDragged = (node) => Boolean(dragged) && !line(dragged, composedParent).slice(1).includes(node)
  && line(node, composedParent).some((one) => one === dragged || (one instanceof Element && copies(one)));
