// On a node: what it says of itself, apart from the accessibility tree: words that a name may be made of, and
// the texts in it one by one, each cut to a number of characters, and so many texts at most.
function (most) {
  const get = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const text = (node) => get(Node, "textContent").call(node) || "";
  const said = [text(this)];
  const texts = [];
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
    const walk = Document.prototype.createTreeWalker.call(document, this, NodeFilter.SHOW_TEXT);
    while (texts.length < most && walk.nextNode()) texts.push(text(walk.currentNode));
  }
  const cut = (words) => words.filter((one) => one).map((one) => one.slice(0, most));
  return { words: cut(said), texts: cut(texts) };
}
