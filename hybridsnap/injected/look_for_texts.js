// (key, texts, closed roots…) → whether each text is there, the document's state, whether the frame has
// room to show anything. It also begins to watch for changes, under the key.
function (key, texts, ...closed) {
  // @include getters

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
  const pieces = [], slotOf = new Map();
  const written = (text) => {
    const range = new Range();
    range.selectNodeContents(text);
    if (!range.getClientRects().length) return "";
    const above = slotOf.get(text) || parent.call(text);  // styles come from where it is shown
    const style = getComputedStyle(above instanceof ShadowRoot ? host.call(above) : above);
    if (style.visibility !== "visible") return "";
    const words = data.call(text);
    if (style.textTransform === "uppercase") return words.toUpperCase();
    if (style.textTransform === "lowercase") return words.toLowerCase();
    if (style.textTransform !== "capitalize") return words;
    return words.replace(/(^|\s)(\S)/gu, (_, space, letter) => space + letter.toUpperCase());
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
      for (const one of slotted) slotOf.set(one, node);
      const children = inner ? childrenOf.call(inner) : slotted.length ? slotted : childrenOf.call(node);
      for (let at = children.length - 1; at >= 0; at--) open.push(children[at]);
    }
  }
  for (const root of roots) {
    for (const button of all(root, "input[type=submit], input[type=button], input[type=reset]")) {
      if (visible(button)) pieces.push(" ", getter(HTMLInputElement, "value").call(button), " ");
    }
  }
  const shown = pieces.join("").replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "").replace(/\s+/g, " ");
  return { found: texts.map((text) => shown.includes(text)), state, room };
}
