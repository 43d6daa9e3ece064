// Whether an element may be another one that the page has rendered anew: it is, and says, the same. Include `pointing`
// before.
const textOf = (one) => (reader(Node, "textContent")(one) ?? "").replace(/\s+/g, " ").trim();
const TELLING = ["id", "role", "type", "name", "href", "aria-label", "title", "alt"];
const isLike = (one, other) => one instanceof Element && other instanceof Element
  && reader(Element, "localName")(one) === reader(Element, "localName")(other) && textOf(one) === textOf(other)
  && TELLING.every((name) => attribute(one, name) === attribute(other, name));
