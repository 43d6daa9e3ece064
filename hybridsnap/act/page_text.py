"""The functions that waiting calls in a page's isolated worlds: what a frame shows, and when it changes.

Accessors are taken off the prototypes: the named parts of a form or a document hide its own properties.
What is kept between two calls stands in the isolated world, which the page's script does not see.
"""

from __future__ import annotations

#: The characters that are left out of text before it is compared: they do not show.
UNSEEN = "\u00ad\u200b-\u200f\u2060\ufeff"

_GETTERS = """
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const shadow = getter(Element, "shadowRoot"), parent = getter(Node, "parentNode");
  const host = getter(ShadowRoot, "host");
  const childrenOf = getter(Node, "childNodes");
  const all = (root, query) => (root instanceof Document ? Document : root instanceof Element ? Element
    : DocumentFragment).prototype.querySelectorAll.call(root, query);
  const visible = (element) => Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
"""
#: (key, texts, closed roots…) → whether each text is there, the document's state, whether the frame has room
#: to show anything. It also begins to watch for changes, under the key.
LOOK = (
    """function (key, texts, ...closed) {"""
    + _GETTERS
    + """
  const roots = [document], hosts = new Map();
  for (const root of closed) hosts.set(host.call(root), root);
  const special = new Set();
  const mark = (node) => {
    for (let one = node; one instanceof Element && !special.has(one); one = parent.call(one)) {
      special.add(one);
    }
  };
  for (let at = 0; at < roots.length; at++) {
    for (const element of all(roots[at], "*")) {
      const inner = shadow.call(element) || hosts.get(element);
      if (inner) { hosts.set(element, inner); roots.push(inner); mark(element); }
      else if (at && element instanceof HTMLSlotElement) mark(element);
    }
  }

  const watches = globalThis[Symbol.for("hybridsnap waits")] ??= new Map();
  let watch = watches.get(key);
  if (!watch) {
    watch = { changed: false, wake: null, roots: new WeakSet() };
    watch.observer = new MutationObserver(() => { watch.changed = true; watch.wake?.(); });
    watches.set(key, watch);
  }
  watch.observer.takeRecords();
  watch.changed = false;
  const every = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const root of roots) {
    if (!watch.roots.has(root)) { watch.roots.add(root); watch.observer.observe(root, every); }
  }

  const room = innerWidth > 0 && innerHeight > 0;
  const state = getter(Document, "readyState").call(document);
  if (!texts.length || !room) return { found: texts.map(() => false), state, room };

  const innerText = getter(HTMLElement, "innerText"), data = getter(CharacterData, "data");
  const content = getter(Node, "textContent"), assigned = HTMLSlotElement.prototype.assignedNodes;
  const pieces = [];
  const written = (text) => {
    const range = new Range();
    range.selectNodeContents(text);
    if (!range.getClientRects().length) return "";
    const above = parent.call(text);
    const style = getComputedStyle(above instanceof ShadowRoot ? host.call(above) : above);
    if (style.visibility !== "visible") return "";
    const words = data.call(text);
    if (style.textTransform === "uppercase") return words.toUpperCase();
    if (style.textTransform === "lowercase") return words.toLowerCase();
    if (style.textTransform !== "capitalize") return words;
    return words.replace(/(^|\\s)(\\S)/gu, (_, space, letter) => space + letter.toUpperCase());
  };
  const top = getter(Document, "documentElement").call(document);
  const open = top ? [top] : [];
  while (open.length) {
    const node = open.pop();
    if (typeof node === "string") pieces.push(node);
    else if (node instanceof Text) pieces.push(written(node));
    else if (node instanceof Element) {
      const display = getComputedStyle(node).display;
      if (display === "none") continue;
      const edge = /^(inline|contents)/.test(display) && !(node instanceof HTMLBRElement) ? "" : " ";
      pieces.push(edge);
      if (!special.has(node)) {
        if (node instanceof HTMLElement) pieces.push(innerText.call(node));
        else if (visible(node)) pieces.push(content.call(node));
        pieces.push(edge);
        continue;
      }
      open.push(edge);
      const inner = hosts.get(node);
      const slotted = node instanceof HTMLSlotElement ? assigned.call(node) : [];
      const children = inner ? childrenOf.call(inner) : slotted.length ? slotted : childrenOf.call(node);
      for (let at = children.length - 1; at >= 0; at--) open.push(children[at]);
    }
  }
  for (const root of roots) {
    for (const button of all(root, "input[type=submit], input[type=button], input[type=reset]")) {
      if (visible(button)) pieces.push(" ", getter(HTMLInputElement, "value").call(button), " ");
    }
  }
  const shown = pieces.join("").replace(/["""
    + UNSEEN
    + """]/g, "").replace(/\\s+/g, " ");
  return { found: texts.map((text) => shown.includes(text)), state, room };
}"""
)
#: (key, most) → resolves when something has changed since the last look, and after `most` ms in any case.
CHANGED = """function (key, most) {
  const watch = globalThis[Symbol.for("hybridsnap waits")]?.get(key);
  if (!watch || watch.changed) return true;
  return new Promise((done) => {
    watch.wake = () => done(true);
    setTimeout(() => done(false), most);
  });
}"""
#: (key): watch no more.
END = """function (key) {
  const watches = globalThis[Symbol.for("hybridsnap waits")], watch = watches?.get(key);
  if (!watch) return;
  watch.observer.disconnect();
  watch.wake?.();
  watches.delete(key);
  if (!watches.size) delete globalThis[Symbol.for("hybridsnap waits")];
}"""
#: (nodes…) → whether any of them is displayed. Options are where their list is.
DISPLAYED = (
    """function (...nodes) {"""
    + _GETTERS
    + """
  const drawn = (node) => {
    const range = new Range();
    range.selectNodeContents(node);
    return range.getClientRects().length > 0;
  };
  const seen = (node) => {
    if (node instanceof Document) return true;
    if (node instanceof Text) {
      const above = parent.call(node);
      const element = above instanceof ShadowRoot ? host.call(above) : above;
      return drawn(node) && getComputedStyle(element).visibility === "visible";
    }
    if (!(node instanceof Element)) return false;
    if (node instanceof HTMLOptionElement || node instanceof HTMLOptGroupElement) {
      node = Element.prototype.closest.call(node, "select") || node;
    }
    const style = getComputedStyle(node);
    return style.display === "contents" ? style.visibility === "visible" && drawn(node) : visible(node);
  };
  return nodes.some(seen);
}"""
)
