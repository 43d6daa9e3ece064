// On the target of a drag that is out of the page: (source, x, y) → the node that stands for it since the page has
// rendered it anew; null where none does for certain. At (x, y) the target was. There stands either an equal of the
// target; or an equal of the source, with one equal of the target beside it in the same list, which made room. Without
// a `source` only the first counts.
function (source, x, y) {
  // @include dragged
  const tagOf = reader(Element, "localName"), childrenOf = reader(Node, "childNodes");
  const isSame = (one) => one instanceof Text && textOf(one) === textOf(target);
  const nodeIn = (found) => !found || subject === target ? found : [...childrenOf(found)].find(isSame) ?? null;
  if (!subject) return null;
  const there = [...stack(x, y), ...line(hit(x, y)).filter((one) => !isDragged(one))];
  const equal = there.find((one) => isLike(one, subject));
  if (equal || !dragged) return nodeIn(equal ?? null);
  const moved = there.find((one) => isLike(one, dragged));
  let list = moved && parentOf(moved);
  while (list && textOf(list) === textOf(moved)) list = parentOf(list);
  if (!list) return null;
  const all = [...caller(Element, "querySelectorAll")(list, CSS.escape(tagOf(subject)))];
  const equals = all.filter((one) => isLike(one, subject));
  return nodeIn(equals.length === 1 ? equals[0] : null);
}
