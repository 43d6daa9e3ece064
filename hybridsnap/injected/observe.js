// (key, target, id): observes the document, and the element acted on (`target`, with its backend node id; null
// for none), until it is stopped. It waits under its key, at the world's global object: by a symbol, as a page
// can give any name there to an element of its own.
//
// - roots: the document, and the shadow roots that are observed, too;
// - look(): what was seen so far;
// - shown(): whether an element has come into view;
// - puts(name): whether the page has put something off by this function since the observation began;
// - expects(): whether it has put anything off, or was scrolled, which handlers hear of later;
// - hasDrawn(): a frame was drawn, so handlers have heard of all that was scrolled before it;
// - stirs(): whether anything has happened so far that lets one expect more;
// - stop(): the end.
function (key, target, id) {
  // @include observed
  // @include takes
  // @include put_off
  const live = '[aria-live]:not([aria-live="off"]), [role="alert"], [role="status"], [role="log"], output';
  const attribute = (one, name) => Element.prototype.getAttribute.call(one, name);
  // What an editor holds; null where it has gone or hides, as its lines cannot be told then. An empty line is
  // all that an empty editor has.
  const written = (editor) => {
    if (!Element.prototype.checkVisibility.call(editor)) return null;
    const text = get(HTMLElement, "innerText", editor);
    return text === "\n" ? "" : text;
  };
  const state = (node) => {
    const at = node && elementOf(node);
    if (!at) return {};
    // What stands in a label is meant for its control, but for what is a control itself.
    const near = closest(at, `label, ${TAKES}`);
    const isEditable = (one) => one instanceof HTMLElement && get(HTMLElement, "isContentEditable", one);
    const element = (near instanceof HTMLLabelElement && near.control) || at;
    const tag = get(Element, "localName", element), type = tag === "input" && element.type;
    const yes = (value) => value === null || value === undefined ? undefined : String(value);
    const found = {};
    if (type === "file") {
      found.files = [...element.files].map((file) => file.name).join(", ");
    } else if (type === "checkbox" || type === "radio") {
      found.checked = element.indeterminate ? "mixed" : String(element.checked);
    } else if (type === "password") {
      found.secret = element.value;
    } else if (tag === "input" || tag === "textarea") {
      found.value = element.value;
    } else if (tag === "select") {
      found.value = [...element.selectedOptions].map((option) => option.label).join(", ");
    } else if (tag === "option") {
      found.selected = String(element.selected);
    } else if (isEditable(element)) {
      found.value = written(element);
    } else if (attribute(element, "aria-valuenow") !== null) {
      found.value = attribute(element, "aria-valuetext") ?? attribute(element, "aria-valuenow");
    } else if (textOf(element).length <= 200) {
      found.text = textOf(element).trim();
    }
    // Editable text hands clicks on to its label's control, and takes what is typed.
    if (element !== at && isEditable(at)) found.value = written(at);
    if (tag === "details" || tag === "summary") {
      const details = closest(element, "details");
      if (details) found.expanded = String(details.open);
    }
    for (const name of ["checked", "selected", "expanded", "pressed"]) {
      for (const one of [element, at]) {
        found[name] ??= yes(attribute(one, "aria-" + name));
      }
    }
    return found;
  };
  // What an editor of a whole page holds is too long to hand over: where it changed is.
  const cut = (old, fresh) => {
    let alike = 0;
    while (alike < old.length && old[alike] === fresh[alike]) alike += 1;
    const start = alike > 800 ? alike - 100 : 0;
    return [old, fresh].map((one) => (start ? "…" : "") + one.slice(start, start + 1000));
  };
  const closed = new Map(), roots = new Set([document]);
  for (let root = target && rootOf(target); root instanceof ShadowRoot; root = rootOf(root.host)) {
    roots.add(root);
    closed.set(root.host, root);
  }
  const walk = [...roots];
  while (walk.length) {
    for (const one of all(walk.pop(), "*")) {
      const inner = get(Element, "shadowRoot", one);
      if (!inner || roots.has(inner)) continue;
      roots.add(inner);
      walk.push(inner);
    }
  }
  const active = () => {
    let one = get(Document, "activeElement", document);
    for (;;) {
      const root = one && (get(Element, "shadowRoot", one) || closed.get(one));
      if (!root || !root.activeElement) break;
      one = root.activeElement;
    }
    return ["body", "documentElement"].some((name) => one === get(Document, name, document)) ? null : one;
  };
  const texts = new Map(), changed = new Set();
  for (const root of roots) for (const one of all(root, live)) texts.set(one, textOf(one));
  const around = (node) => {
    for (let one = node; one;) {
      const element = elementOf(one), region = element && closest(element, live);
      if (region) { changed.add(region); return; }
      const root = rootOf(one);
      one = root instanceof ShadowRoot ? root.host : null;
    }
  };
  let count = 0, shown = false;
  const look = (records) => {
    count += records.length;
    for (const record of records) {
      around(record.target);
      for (const node of record.addedNodes) {
        if (!(node instanceof Element)) continue;
        shown ||= Element.prototype.checkVisibility.call(node, { visibilityProperty: true });
        if (changed.size > 20) continue;
        if (Element.prototype.matches.call(node, live)) changed.add(node);
        for (const one of all(node, live)) changed.add(one);
      }
    }
  };
  const observer = new MutationObserver(look);
  const every = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const root of roots) observer.observe(root, every);
  // A page may ask its fields at every key. What counts is an attempt to submit.
  const FIELDS = "input:not([type=submit], [type=image], [type=button]), select, textarea, label, option";
  const MOST_INVALID = 5, invalid = new Map();
  let sending = false;
  const send = (event) => {
    const at = event.composedPath()[0];
    sending ||= event.type === "keydown" ? event.key === "Enter"
      : !(at instanceof Element && closest(at, FIELDS));
  };
  const note = ({ target: field }) => {
    if (!sending || invalid.size >= MOST_INVALID) return;
    invalid.set(field, [field.name || field.id || "", field.validationMessage || ""]);
  };
  // A click on a file field opens its chooser, be it a label's or a script's: for a gesture only, and
  // unless it is prevented, which shows in the end.
  const clicked = new Map();
  const choose = (event) => {
    const at = event.composedPath()[0];
    if (!(at instanceof HTMLInputElement) || at.type !== "file") return;
    if (navigator.userActivation.isActive) clicked.set(at, event);
  };
  // A link's download, also a script's: nothing else tells of it before the server has answered.
  const offered = [];
  const offer = (event) => { if (event.downloadRequest !== null) offered.push(event); };
  navigation.addEventListener("navigate", offer);
  addEventListener("click", choose, true);
  for (const type of ["click", "keydown"]) addEventListener(type, send, true);
  for (const root of roots) EventTarget.prototype.addEventListener.call(root, "invalid", note, true);
  // What is secret is compared here; neither it nor how long it is leaves the page.
  const hide = (old, fresh) => {
    const changed = old.secret !== fresh.secret;
    for (const one of [old, fresh]) if ("secret" in one) one.value = one.secret ? "(hidden)" : "";
    if (changed && old.value === fresh.value) fresh.value = "(hidden, another)";
  };
  const selected = () => {
    const one = active();
    for (const type of [HTMLInputElement, HTMLTextAreaElement]) {
      if (!(one instanceof type)) continue;
      const [start, end] = ["selectionStart", "selectionEnd"].map((name) => get(type, name, one));
      if (start === end) break;
      return one.type === "password" ? "(hidden)" : get(type, "value", one).slice(start, end);
    }
    if (one instanceof HTMLInputElement && one.type === "password") return "";
    const range = getSelection();
    return range ? Selection.prototype.toString.call(range).trim() : "";
  };
  const stateNow = () => ({ ...state(target), selection: selected() });
  // Of what was acted on here the ids are known: what has the focus is mostly one of these.
  const ids = globalThis[Symbol.for("hybridsnap ids")] ??= new WeakMap();
  if (target) ids.set(target, id);
  const idOf = (one) => one ? ids.get(one) ?? null : 0;
  // To a script, the host of a closed shadow root has the focus that something in the root has; these are none.
  const NO_HOSTS = /^(a|button|input|select|textarea|summary)$/;
  // Where the element and the document are scrolled to: handlers hear of it with the next frame.
  const scrolls = [get(Document, "scrollingElement", document)];
  for (let one = target && elementOf(target); one;) {
    scrolls.push(one);
    const root = rootOf(one);
    one = get(Node, "parentElement", one) || (root instanceof ShadowRoot ? root.host : null);
  }
  const scrolled = () => scrolls.map((one) => one
    && [get(Element, "scrollTop", one), get(Element, "scrollLeft", one)]).join();
  const before = { active: active(), state: stateNow(), scrolled: scrolled(), asked: numbers() };
  const watches = globalThis[Symbol.for("hybridsnap watches")] ??= new Map();
  watches.set(key, {
    roots,
    before: before.active,
    shown() { look(observer.takeRecords()); return shown; },
    puts(name) { return numbers()[name] !== before.asked[name]; },
    expects() {
      return scrolled() !== before.scrolled || Object.keys(before.asked).some((name) => this.puts(name));
    },
    hasDrawn() { before.scrolled = scrolled(); },
    stirs() {
      look(observer.takeRecords());
      return count > 0 || this.expects();
    },
    stop() {
      watches.delete(key);
      observer.disconnect();
      navigation.removeEventListener("navigate", offer);
      removeEventListener("click", choose, true);
      for (const type of ["click", "keydown"]) removeEventListener(type, send, true);
      for (const root of roots) EventTarget.prototype.removeEventListener.call(root, "invalid", note, true);
    },
    look() {
      look(observer.takeRecords());
      const after = active(), now = stateNow();
      const changes = [];
      hide(before.state, now);
      for (const what of ["value", "checked", "selected", "expanded", "pressed", "files", "text",
        "selection"]) { const [old, fresh] = [before.state[what], now[what]];
        if (old === fresh || old === null || fresh === null) continue;
        changes.push([what, ...cut(old ?? "", fresh ?? "")]);
      }
      const announced = [];
      for (const one of changed) {
        const text = get(Node, "isConnected", one) ? textOf(one) : "";
        const shown = text && one instanceof HTMLElement ? get(HTMLElement, "innerText", one) : "";
        const said = (shown || text).replace(/\s+/g, " ").trim();
        if (said && text !== texts.get(one)) announced.push(said.slice(0, 300));
      }
      const moved = after !== this.before;
      this.after = after;
      const [chooser] = [...clicked].filter(([, event]) => !event.defaultPrevented).map(([field]) => field);
      // A page may ask a field that it has made required for a moment only.
      const wrong = [...invalid].filter(([field]) => !field.validity?.valid);
      this.fields = [...wrong.map(([field]) => field), ...(chooser ? [chooser] : [])];
      const afterwards = !after || NO_HOSTS.test(get(Element, "localName", after)) ? idOf(after) : null;
      const focus = [idOf(this.before), afterwards];
      const gone = Boolean(target) && !get(Node, "isConnected", target);
      const chose = Boolean(chooser);
      const downloads = offered.filter((event) => !event.defaultPrevented)
        .map((event) => event.destination.url.slice(0, 1000));
      return {
        count, changes, announced, moved, focus, gone, chose, downloads,
        invalid: wrong.map(([, words]) => words),
      };
    },
  });
}
