"""The functions that the pointer's plans call on a node, in the isolated world of its frame.

They look and scroll; nothing is left in the page. While a guard stands its listeners hang on the isolated
world's side of the window, and go with it. Accessors are taken off the prototypes, as in
`hybridsnap.capture.queries`: the named parts of a form or a document hide its own properties.
"""

from __future__ import annotations

#: Those in a label whose clicks it does not hand on (measured); what only has a tabindex, it does.
TAKES = (
    "a[href], button, input, select, textarea, summary, details, iframe, object, embed, video[controls], "
    "audio[controls], img[usemap]"
)
#: What the functions share. ``target`` is the node, ``subject`` it or the element that a text is in.
COMMON = (
    "\n  const takes = '"
    + TAKES
    + """';
  const reader = (type, name) => {
    const read = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (on) => read.call(on);
  };
  const caller = (type, name) => {
    const run = type.prototype[name];
    return (on, ...rest) => run.apply(on, rest);
  };
  const parentOf = reader(Node, "parentNode"), hostOf = reader(ShadowRoot, "host");
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
  const target = this;
  const subject = target instanceof Element ? target : parentOf(target);
  const composedParent = (node) => parentOf(node) || (node instanceof ShadowRoot ? hostOf(node) : null);
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
  for (let root = rootOf(target); root instanceof ShadowRoot; root = rootOf(hostOf(root))) {
    closed.set(hostOf(root), root);
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
      if (one !== stop && one instanceof Element && matches(one, takes)) return null;
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
  const isOwn = (node) => {
    if (!node) return false;
    const around = line(node);
    if (around.includes(subject) || line(node, composedParent).includes(subject)) return true;
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
    if (!subject || !isAttached()) return "detached";
    if (asked.enabled && isDisabled()) return "disabled";
    if (subject instanceof HTMLAreaElement) return boxes().length ? "" : "not displayed";
    const style = getComputedStyle(subject);
    if (!shown(subject) && style.display !== "contents") return "not displayed";
    if (subject instanceof HTMLOptionElement && !rectsOf(subject).length) return "not displayed";
    if (style.visibility !== "visible") return "invisible";
    return boxes().length || labels().length ? "" : "no size";
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
    const at = (attribute(area, "coords") || "").split(/[\\s,;]+/).filter(Boolean).map(Number);
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
  // A box to be ticked that is hidden behind its label is clicked there.
  const labels = () => subject instanceof HTMLInputElement && /^(radio|checkbox|file)$/.test(subject.type)
    ? [...reader(HTMLInputElement, "labels")(subject)].filter((one) => boxesOf(one).length) : [];
  const isRunning = (one) => one.pending || one.playState === "running";
  const moves = () => line(target).some((one) => one instanceof Element && animationsAt(one).some(isRunning));
  const frame = (patience) => new Promise((done) => {
    const timer = setTimeout(done, patience);
    requestAnimationFrame(() => { clearTimeout(timer); done(); });
  });
  // What is asked first is how the last frame had it, so one more frame makes two. Only an animation that
  // has just begun still stands where it was in its first frame.
  const animates = () => rootOf(target) !== document || animationsOf(document).some(isRunning);
  const atRest = async (limit) => {
    if (isHidden(document)) return true;  // nothing is drawn, and so nothing is animated
    // Out of sight a frame draws nothing. On a busy machine it draws late, and what moves seems to stand
    // still until then.
    const asked = performance.now(), patience = top === window ? 100 : moves() ? 150 : 40;
    const noted = globalThis[Symbol.for("hybridsnap rest")]?.get(target);
    globalThis[Symbol.for("hybridsnap rest")]?.delete(target);
    const began = noted && noted.box === JSON.stringify(boundsOf(target)) ? noted.at : asked;
    let last = JSON.stringify(boxes()), still = 0;
    while (still < 2) {
      await frame(patience);
      const now = JSON.stringify(boxes());
      still = now === last ? still + 1 : 0;
      last = now;
      const passed = performance.now() - began;
      if (still === 1 && passed >= 8 && !animates()) return true;
      if (still < 2 && passed > limit) return false;
    }
    return true;
  };

  // What is to blame when no point of it can be hit.
  const isInert = (cover) => {
    if (getComputedStyle(subject).interactivity === "inert") return true;
    const own = line(subject);
    const modal = (one) => one instanceof HTMLDialogElement && matches(one, ":modal") && !own.includes(one);
    if (cover && line(cover).some(modal)) return true;
    const open = [...queryAll(document, "dialog:modal")];
    return open.length > 0 && open.every(modal);
  };
  const SAYS = "[role], [aria-label], [aria-labelledby], dialog, button, a[href], input, select, textarea, "
    + "header, nav, footer, aside, form, img, iframe, video, label, h1, h2, h3, summary";
  // The nearest part of it that means something, short of what holds the target too.
  const nameable = (cover) => {
    const own = line(subject);
    for (const one of line(cover)) {
      if (own.includes(one)) break;
      if (one instanceof Element && matches(one, SAYS)) return one;
    }
    return cover;
  };
  const guards = globalThis[Symbol.for("hybridsnap guards")] ??= new Map();
  const blame = (key, cover, inView) => {
    guards.delete(key);
    if (isInert(cover)) return "inert";
    if (getComputedStyle(subject).pointerEvents === "none") return "pointer-events";
    if (!cover || !inView) return "off screen";
    const nothing = { reached: 0, arrived: -1, slipped: false, stray: false };
    guards.set(key, { cover: nameable(cover), end: () => nothing });
    setTimeout(() => guards.delete(key), 10000);  // nobody comes to ask for it
    return "covered";
  };

  // Stops what would press another node, until it is ended. Nobody may come to end it, as when a dialog keeps
  // the page and the driver has gone: it is spent once its own presses are over, and after a while.
  const guard = (key, isMine, presses, hold) => {
    const KINDS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick",
      "contextmenu"];
    let reached = 0, stray = null, slipped = false;
    let heard = 0, downs = 0, ups = 0, downPaired = false, upPaired = false, captor = null;
    // Counted by the browser itself, also where a listener of the page's own swallows them (measured).
    const counted = (kind) => performance.eventCounts?.get(kind) ?? -1;
    const pointers = counted("pointerdown"), mice = counted("mousedown");
    // The pointer came in from another frame with its button down: nobody here waits for the end of that.
    const begunElsewhere = () => !downs && mice >= 0
      && counted("mousedown") === mice && counted("pointerdown") === pointers;
    const drop = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };
    const look = (event) => {
      if (!event.isTrusted) return;
      const kind = event.type;
      const down = kind === "pointerdown" || kind === "mousedown";
      const up = kind === "pointerup" || kind === "mouseup";
      if (!down && begunElsewhere()) {
        slipped = true;
        drop(event);
        return;
      }
      heard += 1;
      const at = event.composedPath()[0], node = inward(at, event.clientX, event.clientY);
      if (down) {
        // A press has both, or the first (a page can keep the second from coming), or, where another button
        // is down, the second.
        const begins = kind === "pointerdown" || !downPaired;
        downPaired = kind === "pointerdown";
        if (begins && ups >= presses) {
          leave();
          return;
        }
        if (begins) downs += 1;
        if (!isMine(node)) {
          if (begins) stray ??= node;
          else if (!stray) {  // what has heard the press is gone since
            slipped = true;
            drop(event);
          }
        } else if (begins && !stray) reached += 1;
      } else {
        if (up && (kind === "pointerup" || !upPaired) && downs > ups) ups += 1;
        if (up) upPaired = kind === "pointerup";
        // A page may have what is left of a press go where it likes (setPointerCapture).
        if (kind === "pointerup" && at instanceof Element && captures(at, event.pointerId)) captor = at;
        if (!stray && at !== captor && !isMine(node)) {
          // Let go over another node, the press still ends: scripts wait for that. A click it is for nobody.
          slipped = true;
          if (!up) drop(event);
        }
      }
      if (stray) drop(event);
    };
    const options = { capture: true, passive: false };
    const listen = () => { for (const kind of KINDS) window.addEventListener(kind, look, options); };
    listen();
    // `document.open` empties the document, and takes all listeners away.
    const emptied = new MutationObserver(listen);
    emptied.observe(document, { childList: true });
    const stop = () => {
      emptied.disconnect();
      for (const kind of KINDS) window.removeEventListener(kind, look, options);
      clearTimeout(timer);
      guards.delete(key);
    };
    const told = () => {
      // A press on what is just being taken out is a pointerdown that nobody hears, and no mousedown
      // (measured): it counts as lost.
      const arrived = mice < 0 ? -1 : counted("mousedown") - mice + heard;
      return { reached, arrived, slipped, stray: stray !== null };
    };
    const leave = () => {
      const found = told();
      stop();
      guards.set(key, { end: () => found });
      setTimeout(() => guards.delete(key), 10000);
    };
    const timer = setTimeout(leave, hold + 10000);
    guards.set(key, {
      end(unlessStray, keepCover) {
        const found = told();
        if (unlessStray && stray) return found;
        stop();
        if (stray && keepCover) {
          guards.set(key, { cover: nameable(stray), end: () => found });
          setTimeout(() => guards.delete(key), 10000);
        }
        return found;
      },
    });
  };
"""
)

#: How points are found, of a node that stands still.
CHOOSING = """
  const meet = (a, b) => {
    const box = [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
    return box[2] > box[0] && box[3] > box[1] ? box : null;
  };
  const viewport = () => [0, 0, innerWidth, innerHeight];
  const clipOf = (node) => {  // what of the frame is left to it by the boxes around that scroll or cut off
    let clip = viewport();
    let position = node instanceof Element ? getComputedStyle(node).position : "static";
    for (const one of line(node).slice(1)) {
      if (!(one instanceof Element) || one === rootElement(document) || one.localName === "body") continue;
      if (!clip) break;
      const style = getComputedStyle(one);
      const holds = style.transform !== "none" || style.perspective !== "none" || style.filter !== "none";
      if (position === "fixed" && !holds) continue;
      if (position === "absolute" && !holds && style.position === "static") continue;
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const own = boxOf(boundsOf(one));
        if (style.overflowX === "visible") { own[0] = -1e9; own[2] = 1e9; }
        if (style.overflowY === "visible") { own[1] = -1e9; own[3] = 1e9; }
        clip = meet(clip, own);
      }
      position = style.position;
    }
    return clip;
  };
  const sizeOf = (box) => (box[2] - box[0]) * (box[3] - box[1]);
  const centreOf = (box) => [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  const within = (box, x, y) => x >= box[0] && x < box[2] && y >= box[1] && y < box[3];
  const partsOf = (all, clip) => clip ? all.map((box) => meet(box, clip)).filter(Boolean)
    .sort((a, b) => sizeOf(b) - sizeOf(a)) : [];
  // Of a label rather what it hands on to its control: a link in it would be followed.
  const labelled = subject instanceof HTMLLabelElement ? controlOf(subject) : null;
  let handedOn = false;
  const suits = (node) => isOwn(node)
    && (!handedOn || controlOfLabel(node) === labelled || line(node).includes(labelled));
  const free = (part, x, y) => {  // events count in whole px: rather one of those
    const whole = [Math.round(x), Math.round(y)];
    if (within(part, ...whole) && suits(hit(...whole))) return whole;
    return suits(hit(x, y)) ? [x, y] : null;
  };
  const GRID = 9;
  const gridOf = (part) => {  // the free points of a grid, those in the midst of other free ones first
    const [middleX, middleY] = centreOf(part);
    const points = [];
    for (let row = 0; row < GRID; row++) {
      for (let column = 0; column < GRID; column++) {
        const x = part[0] + (part[2] - part[0]) * (column + 0.5) / GRID;
        const y = part[1] + (part[3] - part[1]) * (row + 0.5) / GRID;
        points.push(free(part, x, y));
      }
    }
    const at = (row, column) => row >= 0 && column >= 0 && row < GRID && column < GRID
      && points[row * GRID + column] ? 1 : 0;
    return points.map((point, n) => {
      if (!point) return null;
      const row = Math.floor(n / GRID), column = n % GRID;
      let around = 0;
      for (const down of [-1, 0, 1]) {
        for (const across of [-1, 0, 1]) around += at(row + down, column + across);
      }
      return { point, around, far: Math.hypot(point[0] - middleX, point[1] - middleY) };
    }).filter(Boolean).sort((a, b) => b.around - a.around || a.far - b.far).map((one) => one.point);
  };
  const alongOf = (clip) => {  // points on the lines of a drawing, which may be all there is of it
    if (!(subject instanceof SVGElement)) return [];
    const shapes = [subject, ...caller(Element, "querySelectorAll")(subject, "*")].slice(0, 20);
    const points = [];
    for (const shape of shapes) {
      const matrix = shape instanceof SVGGeometryElement && shape.getScreenCTM();
      const length = matrix ? shape.getTotalLength() : 0;
      for (let n = 0; length && n < 16; n++) {
        const point = shape.getPointAtLength(length * (n + 0.5) / 16).matrixTransform(matrix);
        if (within(clip, point.x, point.y) && isOwn(hit(point.x, point.y))) points.push([point.x, point.y]);
      }
    }
    return points;
  };
  const choose = (node, all, many) => {
    if (labelled && !handedOn) {
      handedOn = true;
      const points = choose(node, all, many);
      handedOn = false;
      if (points.length) return points;
    }
    for (const clip of [clipOf(node), viewport()]) {
      const parts = partsOf(all, clip).slice(0, 8);
      const points = [];
      for (const part of parts) {
        const point = free(part, ...centreOf(part));
        if (point) points.push(point);
        if (point && !many) return points;
      }
      for (const part of parts.slice(0, 4)) points.push(...gridOf(part).slice(0, many ? 81 : 1));
      if (!points.length && clip) points.push(...alongOf(clip));
      if (points.length) return points;
    }
    return [];
  };
  // Its middle is in view, or it is too large for that.
  const isComfortable = (node, all) => {
    const clip = clipOf(node), view = viewport();
    const largest = [...all].sort((a, b) => sizeOf(b) - sizeOf(a))[0];
    return Boolean(clip) && (within(clip, ...centreOf(largest))
      || largest[2] - largest[0] > view[2] || largest[3] - largest[1] > view[3]);
  };
  const bring = (node, all, align) => {
    const element = node instanceof HTMLAreaElement ? imageOf(node)
      : node instanceof Element ? node : subject;
    const inline = align === "center" ? "center" : "nearest";
    caller(Element, "scrollIntoView")(element, { block: align, inline, behavior: "instant" });
  };
  const bringPoint = (x, y) => {  // a point that the element's own scrolling left out of view
    const view = viewport();
    if (within(view, x, y)) return;
    scrollBy({ left: x < 0 || x >= view[2] ? x - view[2] / 2 : 0,
      top: y < 0 || y >= view[3] ? y - view[3] / 2 : 0, behavior: "instant" });
  };
"""

#: ({key, limit, enabled, force, position, scrolls, many, arm}) → {reason, points, label, size}. Looks for a
#: point where the node can be hit, scrolled as each of ``scrolls`` says in turn ("" as it is).
AIM = (
    "async function (asked) {"
    + COMMON
    + CHOOSING
    + """
  const size = [innerWidth, innerHeight];
  const no = (reason) => { if (reason !== "covered") guards.delete(asked.key); return { reason, size }; };
  const why = asked.force ? whyNot({ enabled: false }) : whyNot(asked);
  if (why) return no(why);
  const nothing = { reached: 0, arrived: -1, slipped: false, stray: false };
  guards.set(asked.key, { end: () => { guards.delete(asked.key); return nothing; } });
  const settled = async () => asked.force || await atRest(asked.limit);
  if (!await settled()) return no(isAttached() ? "moving" : "detached");
  if (!isAttached()) return no("detached");
  const finish = (points) => {
    if (!guards.has(asked.key)) return { reason: "ended", size };
    if (asked.arm) guard(asked.key, isOwn, ...asked.arm); else guards.delete(asked.key);
    const found = asked.force ? null : hit(...points[0]);
    const label = Boolean(found) && !line(found).includes(subject) && controlOfLabel(found) === subject;
    return { reason: "", points, label, size, clock: performance.timeOrigin + performance.now() };
  };
  const pointAt = () => {
    const box = boxOf(subject === target ? boundsOf(subject) : { left: boxes()[0][0], top: boxes()[0][1] });
    return [box[0] + asked.position[0], box[1] + asked.position[1]];
  };
  const look = (node, all) => {
    if (!all.length) return [];
    if (asked.position) {
      const point = pointAt();
      return within(viewport(), ...point) && (asked.force || isOwn(hit(...point))) ? [point] : [];
    }
    if (asked.force) {
      const points = choose(node, all, asked.many), parts = partsOf(all, clipOf(node));
      return points.length ? points : parts.slice(0, 1).map(centreOf);
    }
    return choose(node, all, asked.many);
  };
  const inPlace = (node, all) => asked.position ? within(viewport(), ...pointAt()) : isComfortable(node, all);
  const tries = [target, ...labels()];
  for (const node of tries) {
    for (const align of asked.scrolls) {
      let all = boxesOf(node);
      if (!all.length) break;
      if (align) {
        bring(node, all, align);
        all = boxesOf(node);
        if (asked.position) bringPoint(...pointAt());
        else if (all.length && (node !== subject || node instanceof HTMLAreaElement)) {
          bringPoint(...centreOf(all[0]));
        }
      } else if (asked.scrolls.length > 1 && !inPlace(node, all)) continue;
      if (!look(node, boxesOf(node)).length) continue;
      if (align && !await settled()) return no("moving");
      let points = look(node, boxesOf(node));
      // What came into view may have been laid out only then (content-visibility), and pushed it away again.
      for (let again = 0; align && !points.length && again < 3; again++) {
        bring(node, boxesOf(node), align);
        if (!await settled()) return no("moving");
        points = look(node, boxesOf(node));
      }
      if (points.length) return finish(points);
    }
  }
  if (asked.force) return no("off screen");
  const all = boxes(), parts = all.length ? partsOf(all, clipOf(target)) : [];
  const point = asked.position ? pointAt() : centreOf(parts[0] || all[0] || [-1, -1, -1, -1]);
  return no(blame(asked.key, hit(...point), asked.position || parts.length > 0));
}"""
)

#: On the element that holds a frame: (limit) → {reason, size}, once it stands still.
REST = (
    "async function (limit) {"
    + COMMON
    + """
  const reason = whyNot({ enabled: false }) || (await atRest(limit) ? "" : "moving");
  return { reason, size: [innerWidth, innerHeight] };
}"""
)

#: On the element that holds a frame: (key, points, force) → {reason, passed}: which points of this frame lead
#: into that one.
PASSES = (
    "function (key, points, force) {"
    + COMMON
    + """
  const passed = points.map(([x, y]) => force
    ? x >= 0 && y >= 0 && x < innerWidth && y < innerHeight : hit(x, y) === target);
  if (passed.some(Boolean)) return { reason: "", passed };
  const reason = force ? "off screen" : blame(key, hit(...points[0]), true);
  return { reason, passed };
}"""
)

#: On the node: (key, x, y, own, presses, hold) → whether the guard stands: the point still hits the node. Of
#: a frame's owner (``own`` false) the guard lets no press through: it would be one beside the frame.
ARM = (
    "function (key, x, y, own, presses, hold) {"
    + COMMON
    + """
  const found = hit(x, y);
  if (!isAttached() || !(own ? isOwn(found) : found === target)) return false;
  guard(key, own ? isOwn : () => false, presses, hold);
  return true;
}"""
)

#: On the node: whether the pointer is over it, as far as the page knows; out of sight nothing is drawn, and
#: nothing known.
HOVERED = (
    "function () {"
    + COMMON
    + """
  // By itself, in quirks mode, ":hover" means links only.
  return isHidden(document) || !(subject instanceof Element) || matches(subject, ":is(*):hover");
}"""
)

#: On the node: whether a press on it may be meant for a frame that it holds. A custom element without an open
#: root cannot be seen into, and may hold one.
HOLDS_FRAMES = """function () {
  const read = (name) => Object.getOwnPropertyDescriptor(Element.prototype, name).get;
  const openRoot = read("shadowRoot"), children = read("children"), localName = read("localName");
  const open = this instanceof Element ? [this] : [];
  for (let seen = 0; open.length; seen++) {
    const one = open.pop(), root = openRoot.call(one), name = localName.call(one);
    if (seen > 5000 || /^(i?frame|object|embed|fencedframe)$/.test(name)) return true;
    if (name.includes("-") && !root) return true;
    if (one instanceof HTMLSlotElement) open.push(...one.assignedElements({ flatten: true }));
    for (const child of children.call(one)) open.push(child);
    for (const child of root ? root.children : []) open.push(child);
  }
  return false;
}"""

#: In a frame beside: (key, presses, hold) → true: a guard that lets no press through.
REFUSE = (
    "function (key, presses, hold) { return (function () {"
    + COMMON
    + """
  guard(key, () => false, presses, hold);
  return true;
}).call(document); }"""
)

#: On the node: () → the page's own clock, in milliseconds. Where it stands is noted: when it still stands
#: there as `AIM` comes, it has rested since.
NOTE = """function () {
  const at = this instanceof Element && Element.prototype.getBoundingClientRect.call(this);
  const noted = globalThis[Symbol.for("hybridsnap rest")] ??= new WeakMap();
  if (at && at.width && at.height) noted.set(this, { at: performance.now(), box: JSON.stringify(at) });
  return Date.now();
}"""
#: In a document that has just begun: (until, life). A guard that stops presses that are older than the
#: document, with all that belongs to them; for so many milliseconds, if it is not later than `until` by the
#: page's own clock. Presses are stamped with the time of the look that they follow; all others pass.
NEWCOMER = """(until, life) => {
  if (Date.now() > until) return;
  const KINDS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick",
    "contextmenu"];
  const options = { capture: true, passive: false };
  const born = performance.now(), newcomer = { stopped: 0 };
  let older = false;
  const stop = (event) => {
    if (!event.isTrusted || (event.type === "click" && event.detail === 0)) return;  // by the keyboard
    if (event.type === "pointerdown" || event.type === "mousedown") older = event.timeStamp < born;
    if (!older) return;
    newcomer.stopped += event.type === "pointerdown";  // prevented, it brings no mousedown
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const listen = () => { for (const kind of KINDS) addEventListener(kind, stop, options); };
  listen();
  // `document.open` takes all listeners away.
  const emptied = new MutationObserver(listen);
  emptied.observe(document, { childList: true });
  globalThis[Symbol.for("hybridsnap newcomer")] = newcomer;
  setTimeout(() => {
    emptied.disconnect();
    for (const kind of KINDS) removeEventListener(kind, stop, options);
  }, life);
}"""
#: How many presses this document's guard from its beginning has stopped.
STOPPED = """function () {
  return globalThis[Symbol.for("hybridsnap newcomer")]?.stopped ?? 0;
}"""
#: (key) → whether a guard stands in this document.
STANDS = """function (key) {
  return Boolean(globalThis[Symbol.for("hybridsnap guards")]?.has(key));
}"""
#: (key, unlessStray, keepCover) → {reached, slipped, stray}: presses that reached the node, whether one was
#: let go elsewhere, and whether one was stopped that would have reached another. The guard ends; unless one
#: was stopped, if so asked. Its cover can be kept, for `TAKE`.
END = """function (key, unlessStray, keepCover) {
  return globalThis[Symbol.for("hybridsnap guards")]?.get(key)?.end(unlessStray, keepCover) ?? null;
}"""
#: (key) → the node that is in the way, and it is forgotten.
TAKE = """function (key) {
  const guards = globalThis[Symbol.for("hybridsnap guards")], cover = guards?.get(key)?.cover ?? null;
  guards?.delete(key);
  return cover;
}"""
