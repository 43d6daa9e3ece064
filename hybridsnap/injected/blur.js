function () {
  // @include control_at
  const one = at && hostOf(at);
  if (!one || !get(Node, "isConnected", one)) return { refused: "detached" };
  const had = isActive(one) && one !== get(Document, "body", document);
  const type = [HTMLElement, SVGElement, MathMLElement].find((type) => one instanceof type);
  if (had && type) type.prototype.blur.call(one);
  return { had, has: had && isActive(one) };
}
