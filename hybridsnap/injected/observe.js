// (key, target, id): observes the document, and the element acted on (`target`, with its backend node id; null
// for none), until it is stopped. It waits under its key, at the world's global object: by a symbol, as a page
// can give any name there to an element of its own.
//
// - roots: the document, and the shadow roots that are observed, too;
// - look(): what was seen so far;
// - shown(): whether an element has come into view;
// - puts(name): whether the page has put something off by this function since the observation began;
// - expects(): whether it has put anything off, or was scrolled, which handlers hear of later;
// - putsOffText(): whether it has put something off as text was entered; true at most once;
// - hasDrawn(): a frame was drawn, so handlers have heard of all that was scrolled before it;
// - dragged(): whether the pointer has moved while a button was down;
// - stirs(): whether anything has happened so far that lets one expect more;
// - left: a field, and what the action has left in it;
// - stop(): the end.
function (key, target, id) {
  // @include observed
  // @include takes
  // @include put_off
  const live = ':is([aria-live], [role="alert"], [role="status"], [role="log"], output):not([aria-live="off"])';
  // These are read out as a whole, unless aria-atomic says otherwise (WAI-ARIA 1.2, 5.4).
  const atomic = '[role="alert"], [role="status"], output';
  // What an editor holds; null where it has gone or hides, as its lines cannot be told then. An empty line is
  // all that an empty editor has.
  const written = (editor) => {
    if (!Element.prototype.checkVisibility.call(editor)) return null;
    const text = get(HTMLElement, "innerText", editor);
    return text === "\n" ? "" : text;
  };
  // The text, with a blank between those of boxes that stand apart.
  const textApart = (element) => {
    const walk = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
    let text = "", last = null;
    while (walk.nextNode()) {
      let box = get(Node, "parentElement", walk.currentNode);
      while (box !== element && getComputedStyle(box).display === "inline") box = get(Node, "parentElement", box);
      text += (last && last !== box ? " " : "") + get(CharacterData, "data", walk.currentNode);
      last = box;
    }
    return text.trim();
  };
  const squeeze = (text) => text?.replace(/\s/g, "");
  const state = (node) => {
    const at = node && elementOf(node);
    if (!at) return {};
    // What stands in a label is meant for its control, but for what is a control itself.
    const near = closest(at, `label, ${TAKES}`);
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
      found.text = textApart(element);
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
  const above = (node) => {
    const parent = get(Node, "parentElement", node), root = parent ? null : rootOf(node);
    return parent || (root instanceof ShadowRoot ? root.host : null);
  };
  const regionOf = (node) => {
    for (let one = elementOf(node) || above(node); one;) {
      const region = closest(one, live), root = rootOf(one);
      if (region) return region;
      one = root instanceof ShadowRoot ? root.host : null;
    }
    return null;
  };
  // Regions that are there, and those in which anything happens: the nodes that came and that went, and the
  // texts that others had.
  const known = new Set(), changed = new Map();
  for (const root of roots) for (const one of all(root, live)) known.add(one);
  // An alert is read out when it is shown, too.
  const isShown = (one) => Element.prototype.checkVisibility.call(one, { visibilityProperty: true });
  const hidden = [...known].filter((one) => attribute(one, "role") === "alert" && !isShown(one));
  const changesOf = (region) => {
    if (!changed.has(region)) changed.set(region, { came: new Set(), went: new Set(), old: new Map() });
    return changed.get(region);
  };
  // The shadow roots of what was added are observed, too: a component draws what it says into its own.
  const follow = (added) => {
    const walk = [added];
    while (walk.length) {
      const next = walk.pop(), hosts = [...all(next, "*")];
      if (next instanceof Element) hosts.push(next);
      for (const inner of hosts.map((one) => get(Element, "shadowRoot", one))) {
        if (!inner || roots.has(inner)) continue;
        roots.add(inner);
        observer.observe(inner, every);
        EventTarget.prototype.addEventListener.call(inner, "invalid", note, true);
        for (const one of changed.size > 20 ? [] : all(inner, live)) changesOf(one);
        walk.push(inner);
      }
    }
  };
  let count = 0, shown = false;
  const look = (records) => {
    count += records.length;
    for (const record of records) {
      const region = record.type === "attributes" ? null : regionOf(record.target);
      if (region) {
        const { came, went, old } = changesOf(region);
        for (const node of record.removedNodes) if (!came.delete(node)) went.add(node);
        for (const node of record.addedNodes) if (!went.delete(node)) came.add(node);
        if (record.type === "characterData" && !old.has(record.target)) old.set(record.target, record.oldValue);
      }
      for (const node of record.addedNodes) {
        if (!(node instanceof Element)) continue;
        shown ||= isShown(node);
        follow(node);
        if (changed.size > 20) continue;
        if (Element.prototype.matches.call(node, live)) changesOf(node);
        for (const one of all(node, live)) changesOf(one);
      }
    }
  };
  const ownWordsOf = (node) => (node instanceof HTMLElement && get(HTMLElement, "innerText", node)) || textOf(node);
  // With what is slotted into it: a component mostly takes its message so.
  const wordsOf = (node) => {
    const slots = node instanceof Element ? [...all(node, "slot")].filter((one) => one instanceof HTMLSlotElement) : [];
    const slotted = slots.flatMap((one) => HTMLSlotElement.prototype.assignedNodes.call(one, { flatten: true }));
    return [node, ...slotted].map(ownWordsOf).join(" ").replace(/\s+/g, " ").trim();
  };
  const textsIn = (node) => {
    const found = [], walker = Document.prototype.createTreeWalker.call(document, node, NodeFilter.SHOW_TEXT);
    if (node instanceof Text) found.push(node);
    while (walker.nextNode()) found.push(walker.currentNode);
    return found.filter((one) => textOf(one).trim());
  };
  // What a live region reads out: what was added or has changed, by default. A list that is drawn anew repeats
  // most of what it said before: that is left out.
  const readOut = (region) => {
    const { came, went, old } = changed.get(region), units = new Set();
    const relevant = (attribute(region, "aria-relevant") || "additions text").toLowerCase().split(/\s+/);
    const tells = (what) => relevant.includes(what) || relevant.includes("all");
    const said = new Map();
    for (const node of went) {
      for (const text of textsIn(node).map(textOf)) said.set(text, (said.get(text) || 0) + 1);
    }
    const isRepeated = (node) => {
      const left = went.has(node) ? 1 : said.get(textOf(node)) || 0;
      if (left) said.set(textOf(node), left - 1);
      return left > 0;
    };
    const isPart = (node) => {
      for (let one = node; (one = above(one)) && one !== region;) if (came.has(one)) return true;
      return false;
    };
    if (!known.has(region) || hidden.includes(region)) units.add(region);
    for (const root of came) {
      const isTold = tells("additions") || (root instanceof Text && tells("text"));
      if (units.has(region) || !isTold || !get(Node, "isConnected", root) || isPart(root)) continue;
      const fresh = [], mixed = new Set();
      for (const node of textsIn(root)) {
        if (!isRepeated(node)) fresh.push(node);
        else for (let one = node; one && one !== root; one = above(one)) mixed.add(above(one));
      }
      for (const node of fresh) {
        let unit = node;
        while (unit !== root && !mixed.has(above(unit))) unit = above(unit);
        units.add(unit);
      }
    }
    for (const [node, text] of old) {
      if (tells("text") && get(Node, "isConnected", node) && textOf(node) !== text) units.add(node);
    }
    const whole = (unit) => {
      for (let one = elementOf(unit) || above(unit); one; one = one === region ? null : above(one)) {
        const said = attribute(one, "aria-atomic");
        if (said === "true") return one;
        if (said === "false") return unit;
      }
      return Element.prototype.matches.call(region, atomic) ? region : unit;
    };
    let words = "";
    for (const one of new Set([...units].map(whole))) {
      if (words.length <= 300) words = `${words} ${wordsOf(one)}`.trim();
    }
    return words.slice(0, 300);
  };
  const observer = new MutationObserver(look);
  const every = { subtree: true, childList: true, attributes: true, characterData: true,
    characterDataOldValue: true };
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
  let dragged = false;
  const drag = (event) => { dragged ||= event.buttons > 0; };
  // A link's download, also a script's: nothing else tells of it before the server has answered.
  const offered = [];
  const offer = (event) => { if (event.downloadRequest !== null) offered.push(event); };
  navigation.addEventListener("navigate", offer);
  addEventListener("click", choose, true);
  addEventListener("pointermove", drag, true);
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
    if (isPassword(one)) return "";
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
  let awaited = false;
  watches.set(key, {
    roots,
    before: before.active,
    shown() { look(observer.takeRecords()); return shown; },
    puts(name) { return numbers()[name] !== before.asked[name]; },
    expects() {
      return scrolled() !== before.scrolled || Object.keys(before.asked).some((name) => this.puts(name));
    },
    putsOffText() {
      const now = state(target), entered = ["value", "secret"].some((one) => now[one] !== before.state[one]);
      const found = !awaited && entered && this.puts("setTimeout");
      awaited = true;
      return found;
    },
    hasDrawn() { before.scrolled = scrolled(); },
    dragged() { return dragged; },
    stirs() {
      look(observer.takeRecords());
      return count > 0 || this.expects();
    },
    stop() {
      watches.delete(key);
      observer.disconnect();
      navigation.removeEventListener("navigate", offer);
      removeEventListener("click", choose, true);
      removeEventListener("pointermove", drag, true);
      for (const type of ["click", "keydown"]) removeEventListener(type, send, true);
      for (const root of roots) EventTarget.prototype.removeEventListener.call(root, "invalid", note, true);
    },
    look() {
      look(observer.takeRecords());
      const after = active(), gone = Boolean(target) && !get(Node, "isConnected", target);
      // What has left the page says nothing of the page any more: a new box in its place may be unchecked again.
      const now = gone ? { ...before.state, selection: selected() } : stateNow();
      const changes = [];
      hide(before.state, now);
      for (const what of ["value", "checked", "selected", "expanded", "pressed", "files", "text",
        "selection"]) { const [old, fresh] = [before.state[what], now[what]];
        if (old === fresh || old === null || fresh === null) continue;
        if (what === "text" && squeeze(old) === squeeze(fresh)) continue;
        changes.push([what, ...cut(old ?? "", fresh ?? "")]);
      }
      for (const one of hidden.filter(isShown)) changesOf(one);
      const announced = [...changed.keys()].filter((one) => get(Node, "isConnected", one)).map(readOut)
        .filter(Boolean);
      const moved = after !== this.before;
      this.after = after;
      const [chooser] = [...clicked].filter(([, event]) => !event.defaultPrevented).map(([field]) => field);
      // A page may ask a field that it has made required for a moment only.
      const wrong = [...invalid].filter(([field]) => !field.validity?.valid);
      this.fields = [...wrong.map(([field]) => field), ...(chooser ? [chooser] : [])];
      const afterwards = !after || NO_HOSTS.test(get(Element, "localName", after)) ? idOf(after) : null;
      const focus = [idOf(this.before), afterwards];
      const chose = Boolean(chooser);
      const [field, entered] = this.left ?? [null, ""];
      const isElse = field && get(Node, "isConnected", field) && field.value !== entered;
      const became = isElse ? field.type === "password" ? [] : [field.value.slice(0, 500)] : null;
      const downloads = offered.filter((event) => !event.defaultPrevented)
        .map((event) => event.destination.url.slice(0, 1000));
      return {
        count, changes, announced, moved, focus, gone, chose, downloads, became,
        invalid: wrong.map(([, words]) => words),
      };
    },
  });
}
