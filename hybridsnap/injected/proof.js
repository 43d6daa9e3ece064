// Called on a node: what proves that the node is still what was shown, read in one turn.
//
// Args, in an object:
// - level: how many levels up the composed tree the node's context begins (0: what it holds itself; -1: it has none);
// - keys: the texts of the context that have to stay ({side, text, masked});
// - named: whether the node's own words are part of its name;
// - alone: whether no other element has its role and name;
// - taken: values that other fields hold, and that the node must not come to hold;
// - values: whether the values of fields and the addresses of pictures count among the texts.
// Returns: kind (`nodeType`; 0 outside this document), url of the link around it, type of an input or a
// button, action of the form that it submits, and the texts of its context: before and behind the node, in
// document order. A null stands for an element that looks like the node, and joins it where the context begins.
//
// `Symbol.for("hybridsnap proofs")` keeps for the node, in this world:
// - changed(): what differs from what was read, or "";
// - isDisplaced(): whether it stands beside something else than was read;
// - says(words): whether just these words stand beside it now;
// - retake(): reads anew what the node is and says, and not what it stands beside;
// - accept(): takes the node's own words as they are now, unless another element is called so, or took over
//   what the node was called; for changes that a page makes as the pointer comes to the node.
function (asked) {
  // @include composed
  const first = reader(Node, "firstChild"), next = reader(Node, "nextSibling");
  const text = reader(Node, "textContent"), data = reader(CharacterData, "data");
  const openRoot = reader(Element, "shadowRoot"), tag = reader(Element, "localName");
  const assigned = caller(HTMLSlotElement, "assignedNodes");
  const attribute = caller(Element, "getAttribute"), shown = caller(Element, "checkVisibility");
  const typeOfInput = reader(HTMLInputElement, "type"), valueOf = reader(HTMLInputElement, "value");
  const isReadOnly = reader(HTMLInputElement, "readOnly");
  const node = this, own = this instanceof Element ? this : null;
  const isOurs = node === document || reader(Node, "ownerDocument")(node) === document;
  if (!isOurs || !reader(Node, "isConnected")(node)) return { kind: 0 };

  const CUT = 500, MOST = 600;
  const squeeze = (words) => words.replace(/\s+/g, " ").trim().slice(0, CUT);

  // Where a press leads to, and what it sends.
  const isLink = (one) => one instanceof HTMLAnchorElement || one instanceof HTMLAreaElement;
  const readFacts = () => {
    const facts = { url: null, type: null, action: null };
    for (let one = node; one; one = composedParent(one)) {
      if (!isLink(one) || attribute(one, "href") === null) continue;
      facts.url = reader(one instanceof HTMLAreaElement ? HTMLAreaElement : HTMLAnchorElement, "href")(one);
      break;
    }
    const type = [HTMLInputElement, HTMLButtonElement].find((one) => node instanceof one);
    if (!type) return facts;
    facts.type = reader(type, "type")(node);
    if (facts.type === "submit" || facts.type === "image") {
      const form = reader(type, "form")(node);
      facts.action = attribute(node, "formaction") ?? ((form && attribute(form, "action")) || "");
    }
    return facts;
  };
  const ATTRIBUTES = ["role", "aria-checked", "aria-pressed", "formmethod"];
  const readFixed = () => {
    const facts = readFacts();
    const sends = /^(submit|button|reset|image|checkbox|radio|hidden)$/.test(facts.type ?? "");
    const said = own ? [...ATTRIBUTES, ...(sends ? ["name", "value"] : [])].map((one) => attribute(own, one)) : [];
    return JSON.stringify([facts, said]);
  };

  // What an element says of itself.
  const FIELDS = [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement];
  // What stands in these is their value, which no element is called by.
  const HOLD_VALUES = /^\s*(slider|spinbutton|scrollbar|meter|progressbar)\b/i;
  const isTyped = (one) => FIELDS.some((type) => one instanceof type)
    || (one instanceof HTMLElement && one.isContentEditable)
    || HOLD_VALUES.test(attribute(one, "role") ?? "");
  const labelsOf = (one) => {
    const ids = (attribute(one, "aria-labelledby") || "").split(/\s+/).filter((id) => id);
    if (!ids.length) return [];
    const root = caller(Node, "getRootNode")(one);
    const byId = caller(root instanceof Document ? Document : DocumentFragment, "getElementById");
    return ids.map((id) => byId(root, id)).filter((at) => at && at !== one).map((at) => text(at));
  };
  const wordsOf = (one) => {
    if (!(one instanceof Element)) return squeeze(text(one) || "");
    const said = isTyped(one) ? [] : [text(one)];
    said.push(...["aria-label", "alt", "title"].map((name) => attribute(one, name)));
    said.push(...labelsOf(one));
    const field = FIELDS.find((type) => one instanceof type);
    if (field) for (const label of reader(field, "labels")(one) || []) said.push(text(label));
    return said.map((words) => squeeze(words || "")).join("|");
  };

  // What stands beside it.
  const closed = new Map();
  const line = new Set();
  let top = node, branch = null;
  for (let level = 0; level < asked.level && composedParent(top); level++) {
    if (top instanceof ShadowRoot) closed.set(shadowHost(top), top);
    line.add(top);
    branch = top;
    top = composedParent(top);
  }
  const SILENT = /^(script|style|noscript|template|textarea|select)$/;
  const isOpen = (one) => !SILENT.test(tag(one)) && (one === top || tag(one) === "slot"
    || shown(one, { visibilityProperty: true }) || getComputedStyle(one).display === "contents");
  const NAMES = ["aria-label", "alt", "title", "placeholder"];
  // Fields hold what an action of ours typed into them: what they held before tells nothing any more.
  const typed = globalThis[Symbol.for("hybridsnap typed")];
  let entered = false;
  const valueHeld = (one) => {
    if (one instanceof HTMLImageElement) {
      return attribute(one, "alt") ? "" : reader(HTMLImageElement, "src")(one).slice(-150);
    }
    if (one instanceof HTMLSelectElement) {
      entered ||= typed?.get(one) === reader(HTMLSelectElement, "value")(one);
      const [chosen] = one.multiple ? [] : reader(HTMLSelectElement, "selectedOptions")(one);
      return chosen ? reader(HTMLOptionElement, "label")(chosen) : "";
    }
    const isArea = one instanceof HTMLTextAreaElement;
    const isText = one instanceof HTMLInputElement && /^(text|search|email|tel|url)$/.test(typeOfInput(one));
    if (!isArea && !isText) return "";
    const value = isArea ? reader(HTMLTextAreaElement, "value")(one) : valueOf(one);
    entered ||= typed?.get(one) === value;
    return value;
  };
  const holdsValue = (one) => caller(Element, "querySelector")(one, "input, textarea, select, img") !== null;
  const readContext = () => {
    const before = [], behind = [];
    entered = false;
    if (asked.level < 0) return { before, behind };
    const ownWords = wordsOf(node), [ownType, ownRole] = ["type", "role"].map((one) => own && attribute(own, one));
    const isOwnTyped = own && isTyped(own);
    const isLike = own ? (one) => one instanceof Element && tag(one) === tag(own)
      && attribute(one, "type") === ownType && attribute(one, "role") === ownRole
      && isTyped(one) === isOwnTyped && wordsOf(one) === ownWords
      : (one) => one instanceof Text && wordsOf(one) === ownWords;
    const isInBranch = (one) => {
      let up = one;
      while (up !== branch && up !== top) up = composedParent(up);
      return up === branch;
    };
    let side = before;
    const say = (words) => { if (words && words.trim()) side.push(squeeze(words)); };
    // Depth first, without recursion. A null in `open` ends an element: what its texts say together.
    const open = [top], ends = [];
    for (let seen = 0; open.length && seen < 20 * MOST && side.length < MOST; seen++) {
      const one = open.pop();
      if (one === null) {
        const [its, from] = ends.pop(), parts = its === side ? side.slice(from) : [];
        if (parts.length > 1 && parts.length < 20 && !parts.includes(null)) say(parts.join(" "));
        continue;
      }
      if (one === node && one !== top) { side = behind; continue; }
      if (branch && one !== top && !line.has(one) && isLike(one)) {
        // Those that share more with the node than its context share that, too.
        if (!isInBranch(one)) side.push(null);
        // What says nothing is like all that says nothing, also like what only holds a field.
        if (!asked.values || !(one instanceof Element) || !holdsValue(one)) continue;
      }
      if (one instanceof Text) { say(data(one)); continue; }
      const inner = [];
      if (one instanceof Element) {
        if (asked.values) say(valueHeld(one));
        if (!isOpen(one)) continue;
        for (const name of NAMES) say(attribute(one, name));
        say(labelsOf(one).join(" "));
        if (one !== top && !line.has(one) && HOLD_VALUES.test(attribute(one, "role") ?? "")) continue;
        if (one instanceof HTMLInputElement && (/^(button|submit|reset)$/.test(typeOfInput(one))
          || (isReadOnly(one) && typeOfInput(one) !== "password"))) say(valueOf(one));
        ends.push([side, side.length]);
        open.push(null);
        const root = openRoot(one) || closed.get(one);
        // In the order in which they are shown: what fills a slot stands there, and not behind the shadow root.
        const filling = root ? [root] : one instanceof HTMLSlotElement ? assigned(one) : [];
        inner.push(...filling.slice(0, MOST));
      }
      if (!inner.length) {
        for (let child = first(one); child && inner.length < MOST; child = next(child)) inner.push(child);
      }
      while (inner.length) open.push(inner.pop());
    }
    return { before, behind };
  };
  const folded = (words, masked) => {
    const plain = words.normalize("NFKC").toLowerCase().replace(/[\s\u00AD\u200B\u200E\u200F\u2060\uFEFF]+/g, "");
    return (masked ? plain.replace(/\d+/g, "#") : plain).slice(0, 200);
  };
  const holdsKeys = ({ before, behind }) => {
    return asked.keys.map((key) => {
      const end = behind.indexOf(null);
      const side = key.side === "before" ? before.slice(before.lastIndexOf(null) + 1)
        : key.side === "behind" ? (end < 0 ? behind : behind.slice(0, end)) : [...before, ...behind];
      return side.some((words) => words !== null && folded(words, key.masked) === key.text);
    });
  };

  const allWords = ({ before, behind }) =>
    [...before, ...behind].filter((one) => one !== null).map((one) => folded(one, true));

  const seen = asked.keys.length ? readContext() : null;
  const held = seen ? holdsKeys(seen) : [];
  // A key that script cannot read is looked for elsewhere; here all has to stay that stands beside it.
  const kept = held.includes(false) ? allWords(seen) : [];
  const isTaken = () => asked.taken.length > 0 && asked.taken.includes(folded(valueHeld(node), false));
  const wasTaken = isTaken();
  const isDisplaced = () => {
    if (!wasTaken && isTaken()) return true;
    if (!held.length) return false;
    const context = readContext(), now = new Set(kept.length ? allWords(context) : []);
    return holdsKeys(context).some((holds, n) => held[n] && !holds) || kept.some((one) => !now.has(one));
  };
  const says = (said) => {
    const wanted = folded(said, false), { before, behind } = readContext();
    return wanted !== "" && [...before, ...behind].some((one) => one !== null && folded(one, false) === wanted);
  };
  let fixed, words;
  const retake = () => {
    fixed = readFixed();
    words = asked.named ? wordsOf(node) : "";
  };
  retake();
  const proofs = globalThis[Symbol.for("hybridsnap proofs")] ??= new WeakMap();
  proofs.set(node, {
    isDisplaced,
    says,
    retake,
    changed() {
      if (readFixed() !== fixed) return "what it does";
      if (asked.named && wordsOf(node) !== words) return "what it says";
      return isDisplaced() ? "what it stands beside" : "";
    },
    accept() {
      const now = asked.named ? wordsOf(node) : "";
      if (now === words) return;
      let like = 0;
      for (const one of caller(Document, "querySelectorAll")(document, own ? CSS.escape(tag(own)) : ":not(*)")) {
        if (one === node || like++ > 2000) continue;
        const its = wordsOf(one);
        if (its === now || (asked.alone && its === words)) return;
      }
      words = now;
    },
  });
  return { kind: reader(Node, "nodeType")(node), ...readFacts(), ...readContext(), entered };
}
