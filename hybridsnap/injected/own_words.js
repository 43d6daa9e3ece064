// On a node: what it says of itself, apart from the accessibility tree: words that a name may be made of,
// each cut to a number of characters.
function (most) {
  const get = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const text = (node) => get(Node, "textContent").call(node) || "";
  const said = [text(this)];
  if (this instanceof Element) {
    const attribute = (name) => Element.prototype.getAttribute.call(this, name) || "";
    said.push(...["aria-label", "alt", "title", "placeholder", "label", "value"].map(attribute));
    const root = Node.prototype.getRootNode.call(this);
    const named = attribute("aria-labelledby").split(/\s+/).filter((id) => id);
    const find = (root instanceof Document ? Document : DocumentFragment).prototype.getElementById;
    said.push(named.map((id) => find.call(root, id)).filter((one) => one).map(text).join(" "));
    for (const type of [HTMLInputElement, HTMLButtonElement, HTMLSelectElement, HTMLTextAreaElement,
        HTMLMeterElement, HTMLOutputElement, HTMLProgressElement]) {
      if (this instanceof type) said.push([...(get(type, "labels").call(this) || [])].map(text).join(" "));
    }
  }
  return said.filter((one) => one).map((one) => one.slice(0, most));
}
