// Accessors off the prototypes.
const get = (type, name, on) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(on);
const elementOf = (node) => node instanceof Element ? node : get(Node, "parentElement", node);
const textOf = (node) => get(Node, "textContent", node);
const rootOf = (node) => Node.prototype.getRootNode.call(node);
const closest = (element, selector) => Element.prototype.closest.call(element, selector);
const all = (root, selector) => [Document, Element, DocumentFragment].find((type) => root instanceof type)
  .prototype.querySelectorAll.call(root, selector);
