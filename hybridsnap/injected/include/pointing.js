// For functions on a node: its line of ancestors, hit tests, its boxes, its rest, whether it can be pressed. `target`
// is the node, `subject` it or the element that a text is in.
// @include takes
// @include composed
const elementSlot = reader(Element, "assignedSlot"), textSlot = reader(Text, "assignedSlot");
const openRoot = reader(Element, "shadowRoot"), rootOf = caller(Node, "getRootNode");
const matches = caller(Element, "matches"), attribute = caller(Element, "getAttribute");
const boundsOf = caller(Element, "getBoundingClientRect"), rectsOf = caller(Element, "getClientRects");
const shown = caller(Element, "checkVisibility"), queryAll = caller(Document, "querySelectorAll");
const animationsOf = caller(Document, "getAnimations");
const animationsAt = caller(Element, "getAnimations"), captures = caller(Element, "hasPointerCapture");
const atDocument = caller(Document, "elementFromPoint"), atRoot = caller(ShadowRoot, "elementFromPoint");
const isHidden = reader(Document, "hidden"), rootElement = reader(Document, "documentElement");
const controlOf = reader(HTMLLabelElement, "control"), imagesOf = reader(Document, "images");
// A document is measured by its root element, and never pressed.
const isDocument = this instanceof Document;
const target = isDocument ? rootElement(this) ?? this : this;
const subject = target instanceof Element ? target : parentOf(target);
const above = (node) => (node instanceof Element && elementSlot(node))
  || (node instanceof Text && textSlot(node)) || composedParent(node);
const line = (node, step = above) => {
  const nodes = [];
  for (let one = node; one; one = step(one)) nodes.push(one);
  return nodes;
};
const isAttached = () => {
  const nodes = line(target, composedParent);
  return nodes[nodes.length - 1] === document;
};

// What a click at a point of this frame would reach, closed shadow roots around the target seen into.
const closed = new Map();
for (let root = rootOf(target); root instanceof ShadowRoot; root = rootOf(shadowHost(root))) {
  closed.set(shadowHost(root), root);
}
const inward = (found, x, y) => {
  for (let root; found && (root = openRoot(found) || closed.get(found));) {
    const inner = atRoot(root, x, y);
    if (!inner || inner === found || rootOf(inner) !== root) break;
    found = inner;
  }
  return found;
};
const hit = (x, y) => inward(atDocument(document, x, y), x, y);

// Whether a click on a node is the target's own.
const labelOf = (node, stop) => {  // the label that would be activated by a click there
  for (const one of line(node)) {
    if (one instanceof HTMLLabelElement) return one;
    if (one !== stop && one instanceof Element && matches(one, TAKES)) return null;
  }
  return null;
};
const controlOfLabel = (node) => {
  const label = labelOf(node, subject);
  return label && controlOf(label);
};
const slotted = new Set();
if (rootOf(target) instanceof ShadowRoot && target instanceof Element) {
  const slots = caller(Element, "querySelectorAll")(target, "slot");
  for (const slot of [target, ...slots]) {
    if (!(slot instanceof HTMLSlotElement)) continue;
    for (const node of slot.assignedNodes({ flatten: true })) slotted.add(node);
  }
}
// What a person sees in the place of a hidden box, or of the range in a slider's handle: the element around it,
// where that holds no text and no other control. Of an editor that draws its text beside what takes the input: all
// around it, text included.
const drawsBeside = subject instanceof HTMLElement && Boolean(reader(HTMLElement, "editContext")(subject));
const standIn = () => {
  const parent = parentOf(subject);
  if (drawsBeside && !boxes().length) return parent instanceof HTMLBodyElement ? null : parent;
  if (!(subject instanceof HTMLInputElement && /^(radio|checkbox|range)$/.test(subject.type))) return null;
  if (!(parent instanceof HTMLElement) || matches(parent, `${TAKES}, label, body`)) return null;
  // What is for the eye alone does not say what the element is: the number over a handle, the name of an icon.
  const silent = [...caller(Element, "querySelectorAll")(parent, "[aria-hidden=true]")];
  const isSaid = (text) => reader(Node, "textContent")(text).trim()
    && !silent.some((one) => caller(Node, "contains")(one, text));
  const texts = caller(Document, "createTreeWalker")(document, parent, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (isSaid(texts.currentNode)) return null;
  if (caller(Element, "querySelectorAll")(parent, TAKES).length > 1) return null;
  return subject.type === "range" || !boxes().length ? parent : null;
};
const standsFor = (around) => {
  const parent = standIn();
  // Over a range, which has a box, only the element around it: all else in there may be a cover.
  const isWithin = () => around.includes(parent)
    && !(drawsBeside && around.slice(0, around.indexOf(parent)).some((one) =>
      one instanceof Element && matches(one, TAKES)));
  return Boolean(parent) && (boxes().length ? around[0] === parent : isWithin());
};
// Of a box to be ticked that lets the pointer through: what is around it and shows that it takes clicks, as the item
// of a tree does. Only for who looks afterwards whether that has ticked it.
let through = false;
const isBehind = (node) => through && getComputedStyle(subject).pointerEvents === "none" && node !== subject
  && node instanceof Element && getComputedStyle(node).cursor === "pointer" && line(subject).includes(node);
// Of a control that lets the pointer through, its own host, where nothing in that takes clicks but the control, which
// fills it, and it shows that it takes clicks: so Ionic's segments are pressed.
const isHost = (node) => {
  const root = rootOf(subject);
  if (!(root instanceof ShadowRoot) || node !== shadowHost(root)) return false;
  const { pointerEvents } = getComputedStyle(subject), own = boundsOf(subject), whole = boundsOf(node);
  const controls = [...caller(DocumentFragment, "querySelectorAll")(root, `${TAKES}, [role], [tabindex]`)]
    .filter((one) => one !== subject && attribute(one, "role") !== "presentation");
  return pointerEvents === "none" && getComputedStyle(node).cursor === "pointer" && !controls.length
    && ["left", "top", "right", "bottom"].every((side) => Math.abs(own[side] - whole[side]) < 2);
};
const isOwn = (node) => {
  if (!node) return false;
  if (isBehind(node) || isHost(node)) return true;
  const around = line(node);
  if (around.includes(subject) || line(node, composedParent).includes(subject)) return true;
  if (standsFor(around)) return true;
  if (around.some((one) => slotted.has(one))) return true;
  if (controlOfLabel(node) === subject) return true;
  const own = labelOf(subject, null), control = own && controlOf(own);
  return Boolean(control) && around.includes(control);
};

// Why it cannot be clicked whatever lies over it.
const isDisabled = () => {
  for (const one of line(subject)) {
    if (!(one instanceof Element)) continue;
    if (matches(one, one === subject ? ":disabled" : "button:disabled, select:disabled, option:disabled")) {
      return true;
    }
    const said = attribute(one, "aria-disabled");
    if (said === "true" || said === "false") return said === "true";
  }
  return false;
};
const whyNot = (asked) => {
  if (isDocument) return "document";
  if (!subject || !isAttached()) return "detached";
  if (asked.enabled && isDisabled()) return "disabled";
  if (subject instanceof HTMLAreaElement) return boxes().length ? "" : "not displayed";
  const style = getComputedStyle(subject);
  if (!shown(subject) && style.display !== "contents") return "not displayed";
  if (subject instanceof HTMLOptionElement && !rectsOf(subject).length) return "not displayed";
  if (style.visibility !== "visible") return "invisible";
  if (boxes().length || insteadOf().length) return "";
  // A page hides a native control so for good, and draws another; what waits for its style still has none.
  return subject instanceof HTMLInputElement && style.opacity === "0" ? "hidden control" : "no size";
};

// Where it stands, in CSS px of its frame's viewport: [left, top, right, bottom] of each piece.
const boxOf = (rect) => [rect.left, rect.top, rect.right, rect.bottom];
const sized = (list) => [...list].map(boxOf).filter((box) => box[2] > box[0] && box[3] > box[1]);
const contentsOf = (node) => {
  const range = new Range();
  range.selectNodeContents(node);
  return sized(range.getClientRects());
};
const imageOf = (area) => {
  const map = line(area).find((one) => one instanceof HTMLMapElement);
  const name = map && (attribute(map, "name") || attribute(map, "id"));
  return name && [...imagesOf(document)].find((one) => attribute(one, "usemap") === "#" + name);
};
const areaBoxes = (area) => {
  const image = imageOf(area), all = image ? sized([boundsOf(image)]) : [];
  const at = (attribute(area, "coords") || "").split(/[\s,;]+/).filter(Boolean).map(Number);
  const shape = (attribute(area, "shape") || "rect").toLowerCase();
  if (!all.length || at.some((one) => !Number.isFinite(one)) || at.length < 3) return all;
  // From the corner of its border (measured), zoomed and scaled as it is.
  const [x, y, endX, endY] = all[0];
  const scaleX = (endX - x) / image.offsetWidth, scaleY = (endY - y) / image.offsetHeight;
  const place = (left, top, right, bottom) => [
    [x + left * scaleX, y + top * scaleY, x + right * scaleX, y + bottom * scaleY]];
  if (shape.startsWith("circ")) return place(at[0] - at[2], at[1] - at[2], at[0] + at[2], at[1] + at[2]);
  const across = at.filter((_, n) => n % 2 === 0), down = at.filter((_, n) => n % 2 === 1);
  return place(Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down));
};
const boxesOf = (node) => {
  if (!(node instanceof Element)) {
    const range = new Range();
    range.selectNode(node);
    return sized(range.getClientRects());
  }
  if (node instanceof HTMLAreaElement) return areaBoxes(node);
  const own = sized(rectsOf(node));
  if (own.length) return own;
  // What it holds is cut off with it.
  if (rectsOf(node).length && getComputedStyle(node).overflow !== "visible") return [];
  // It has no box of its own, or an empty one: what it holds may stand outside of it.
  if (node instanceof HTMLSlotElement) return node.assignedElements({ flatten: true }).flatMap(
    (one) => sized(rectsOf(one)));
  return contentsOf(node);
};
const boxes = () => boxesOf(target);
// Shrunk to a px, a control is there for assistive technology alone: a person clicks what stands for it. At the px
// itself the page may find the pointer over another one (the stars of a rating).
const kind = [HTMLInputElement, HTMLButtonElement].find((one) => subject instanceof one);
const isShrunk = () => Boolean(kind)
  && boxes().every(([x, y, endX, endY]) => Math.min(endX - x, endY - y) <= 1);
// A box to be ticked that is hidden behind its label is clicked there, as is a button (mostly a switch) that is shrunk.
const labels = () => (kind === HTMLInputElement ? /^(radio|checkbox|file)$/.test(subject.type) : isShrunk())
  ? [...reader(kind, "labels")(subject)].filter((one) => boxesOf(one).length) : [];
const insteadOf = () => {
  const all = labels(), parent = standIn();
  const stands = parent && !boxes().length && boxesOf(parent).length;
  // Rather there than at a label elsewhere, where what is drawn in it shows that it takes clicks: some pages let
  // the label's click change their own state, but not the box.
  const shows = (one) => boxesOf(one).length && getComputedStyle(one).cursor === "pointer";
  return stands && (!all.length || [...parent.children].some(shows)) ? [parent] : all;
};
const isRunning = (one) => one.pending || one.playState === "running";
const moves = () => line(target).some((one) => one instanceof Element && animationsAt(one).some(isRunning));
const frame = (patience) => new Promise((done) => {  // whether there was one
  const timer = setTimeout(() => done(false), patience);
  requestAnimationFrame(() => { clearTimeout(timer); done(true); });
});
// What is asked first is how the last frame had it, so one more frame makes two. Only an animation that
// has just begun still stands where it was in its first frame. What timers move is mostly not noticed, even where
// more frames are waited for; it is hit all the same (30 of 30 at steps of 3 px in 16 and 30 ms).
const animates = () => rootOf(target) !== document || animationsOf(document).some(isRunning);
// What moves without end, as a button that pulses: it is as good as at rest where its middle never leaves it. In
// a shorter look, as when time runs out, what wanders away slowly would seem to stay.
const LONG_LOOK = 500;
const isEndless = (one) => isRunning(one) && one.effect?.getComputedTiming().iterations === Infinity;
const sways = (seen) => {
  const ofAll = (side, choose) => choose(...seen.map((box) => box[side]));
  const left = ofAll(0, Math.max), top = ofAll(1, Math.max), right = ofAll(2, Math.min), bottom = ofAll(3, Math.min);
  const keeps = ([x, y, endX, endY]) => (x + endX) / 2 > left && (x + endX) / 2 < right
    && (y + endY) / 2 > top && (y + endY) / 2 < bottom;
  return line(target).some((one) => one instanceof Element && animationsAt(one).some(isEndless)) && seen.every(keeps);
};
const atRest = async (limit) => {
  if (isHidden(document)) return true;  // nothing is drawn, and so nothing is animated
  // Out of sight a frame draws nothing. On a busy machine it draws late, and what moves seems to stand
  // still until then.
  const waits = moves(), asked = performance.now(), patience = top === window ? 100 : waits ? 150 : 40;
  const first = boxes(), seen = first.slice(0, 1);
  let last = JSON.stringify(first), still = 0, frames = 0;
  while (still < 2) {
    const drawn = await frame(patience);
    if (drawn) {
      frames += 1;
      for (const watch of globalThis[Symbol.for("hybridsnap watches")]?.values() ?? []) watch.hasDrawn();
    }
    const all = boxes(), now = JSON.stringify(all);
    if (now !== last) still = 0; else if (drawn || !waits || top !== window) still += 1;
    last = now;
    seen.push(...all.slice(0, 1));
    if (still === 1 && !animates()) return true;
    if (still < 2 && performance.now() - asked > limit) return limit >= LONG_LOOK && frames > 2 && sways(seen);
  }
  return true;
};
