// @include accessors
const elementOf = (node) => node instanceof Element ? node : get(Node, "parentElement", node);
const textOf = (node) => get(Node, "textContent", node);
const closest = (element, selector) => Element.prototype.closest.call(element, selector);
const all = (root, selector) => [Document, Element, DocumentFragment].find((type) => root instanceof type)
  .prototype.querySelectorAll.call(root, selector);
