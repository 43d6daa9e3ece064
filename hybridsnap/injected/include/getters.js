// Accessors off the prototypes, and what is made of them.
const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
const shadow = getter(Element, "shadowRoot"), parent = getter(Node, "parentNode");
const host = getter(ShadowRoot, "host");
const childrenOf = getter(Node, "childNodes");
const all = (root, query) => (root instanceof Document ? Document : root instanceof Element ? Element
  : DocumentFragment).prototype.querySelectorAll.call(root, query);
const visible = (element) => Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
