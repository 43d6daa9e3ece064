// On a node: the element of its frame that has the focus, in whatever open shadow root; null where that is the body.
function () {
  // @include prototypes
  const openRoot = reader(Element, "shadowRoot"), body = reader(Document, "body")(document);
  let found = reader(Document, "activeElement")(document);
  for (let root; found && (root = openRoot(found));) {
    const inner = reader(ShadowRoot, "activeElement")(root);
    if (!inner) break;
    found = inner;
  }
  return found === body ? null : found;
}
