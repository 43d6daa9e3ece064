// On the node: whether a press on it may be meant for a frame that it holds. A custom element without an
// open root cannot be seen into, and may hold one.
function () {
  const read = (name) => Object.getOwnPropertyDescriptor(Element.prototype, name).get;
  const openRoot = read("shadowRoot"), children = read("children"), localName = read("localName");
  const open = this instanceof Element ? [this] : [];
  for (let seen = 0; open.length; seen++) {
    const one = open.pop(), root = openRoot.call(one), name = localName.call(one);
    if (seen > 5000 || /^(i?frame|object|embed|fencedframe)$/.test(name)) return true;
    if (name.includes("-") && !root) return true;
    if (one instanceof HTMLSlotElement) open.push(...one.assignedElements({ flatten: true }));
    for (const child of children.call(one)) open.push(child);
    for (const child of root ? root.children : []) open.push(child);
  }
  return false;
}
