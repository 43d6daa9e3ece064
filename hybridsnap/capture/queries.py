"""The functions that are called in a page's isolated worlds. They read, and write nothing.

Accessors are taken off the prototypes: the named parts of a form or a document hide its own properties
(``<input name=parentNode>``).
"""

from __future__ import annotations

#: On a node: the document, …, the node; null when the node is in no document, or in another one.
ANCESTORS = """function () {
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get;
  const host = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "host").get;
  const line = [];
  for (let node = this; node; ) {
    line.push(node);
    node = parent.call(node) || (node instanceof ShadowRoot ? host.call(node) : null);
  }
  return line[line.length - 1] === document ? line.reverse() : null;
}"""
#: On an element: whether what it stands in, or the slot it is shown in, shows a pointer.
POINTED_ABOVE = """function () {
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get;
  const host = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "host").get;
  const slot = Object.getOwnPropertyDescriptor(Element.prototype, "assignedSlot").get;
  const above = slot.call(this) || parent.call(this);
  const element = above instanceof ShadowRoot ? host.call(above) : above;
  return element instanceof Element && getComputedStyle(element).cursor === "pointer";
}"""
#: (kind, selector, nth or null, shadow root or element to begin in or null, closed roots…) → the nth match,
#: or undefined; all matches when nth is null.
MATCHES = """function (kind, selector, nth, start, ...closed) {
  const evaluate = Document.prototype.evaluate;
  const shadow = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot").get;
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get;
  const host = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "host").get;
  const all = (root, query) => [Document, DocumentFragment, Element].find((type) => root instanceof type)
    .prototype.querySelectorAll.call(root, query);
  const top = start || document;
  const found = [];
  if (kind === "xpath") {
    if (start instanceof ShadowRoot)
      throw new TypeError("an XPath cannot begin in a shadow root; use CSS there");
    const path = start ? selector.replace(/^[/]/, "./") : selector;  // below an element, not from the top
    if (evaluate.call(document, path, top, null, 0, null).resultType !== 4)
      throw new TypeError("it gives a value, not nodes");
    const result = evaluate.call(document, path, top, null, 7, null);
    for (let at = 0; at < result.snapshotLength; at++) {
      const node = result.snapshotItem(at);
      if (node instanceof Attr) throw new TypeError("it gives attributes, not nodes of the tree");
      found.push(node);
    }
  } else {
    const below = (root) => {
      for (let node = root; node; ) {
        if (node === top) return true;
        node = parent.call(node) || (node instanceof ShadowRoot ? host.call(node) : null);
      }
      return false;
    };
    const later = closed.filter((root) => root !== top && below(root));
    const roots = [top], only = start && /^:host\\b/.test(selector);
    for (let at = 0; at < roots.length; at++) {
      for (const element of all(roots[at], selector)) found.push(element);
      if (only || (nth !== null && found.length > nth)) break;
      for (const element of all(roots[at], "*")) {
        const inner = shadow.call(element);
        if (inner && !later.includes(inner) && !roots.includes(inner)) roots.push(inner);
      }
      if (at === roots.length - 1) {
        const next = later.find((root) => !roots.includes(root));
        if (next) roots.push(next);
      }
    }
  }
  return nth === null ? found : found[nth];
}"""
