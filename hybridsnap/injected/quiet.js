// (key, still ms, most ms, most ms while something leaves or text was entered) → {quiet, seen}: once nothing is to be
// expected of the page any more, or after so many ms, what the observer of this key has seen.
//
// Where nothing has stirred within `still` ms, nothing is: by then tasks that were ready have had their turn,
// and workers, databases and the like have mostly answered. Where the page has changed but put nothing off, one
// frame shows what follows of that (observers of sizes and of what is in view). Else two frames have to pass
// without a mutation (those of `style` do not count: so scripts animate), half a frame's time apart at least: behind
// a late frame the next comes at once. Where nothing changes meanwhile, the second is not waited for to its end. A
// hidden page has no frames, and its timers are slow.
//
// What a page puts off as text is entered is waited for, until it changes something: that is mostly what it does with
// the text once no more is typed, as a search. It may put off other things then, too: of what and for how long
// nothing is known.
//
// A backdrop that fades in over all of the page is waited for while nothing stands on it: the dialog may come only
// when it is there (Bootstrap's do).
//
// What leaves is waited for: many pages remove a dialog, a menu or a panel when it has faded out, shrunk to
// nothing, moved out of view, or away by about its own size; a script may fade or fold it up, too. Of what moves
// away and stays in view, only what can be operated: the label of a field may move above it.
//
// After a drag, all that moves is waited for: a page may let what was dropped glide to its place, and put it there only
// when it has arrived.
function (key, still, most, mostLeaving) {
  const hidden = Object.getOwnPropertyDescriptor(Document.prototype, "hidden").get;
  const watch = globalThis[Symbol.for("hybridsnap watches")]?.get(key);
  const start = performance.now();
  const OPERATED = "a, button, input, select, textarea, [role], [tabindex]";
  const movesAway = (target, move) => {
    const { width, height } = Element.prototype.getBoundingClientRect.call(target);
    return move.split(/[(, )]+/).some((one) => {
      const size = one.endsWith("%") ? 100 : one.endsWith("px") ? Math.min(width, height) : Infinity;
      return Math.abs(parseFloat(one)) > 0.9 * size;
    }) && Element.prototype.querySelector.call(target, OPERATED) !== null;
  };
  // A transform's or translation's way on either axis; NaN where it is in units that only the page resolves.
  const shiftOf = (move, { width, height }) => {
    const inPixels = move.replace(/(translate(?:X|Y|3d)?)\(((?:[^()]|\([^()]*\))*)\)/g, (_, name, given) =>
      `${name}(${given.split(",").map((one, axis) => one.replace(/([-+.\d]+)%/g, (_, part) =>
        `${part / 100 * (name === "translateY" || axis === 1 ? height : width)}px`)).join()})`);
    try {
      const { e, f } = new DOMMatrix(inPixels);
      return [e, f];
    } catch {
      return [NaN, NaN];
    }
  };
  const SIDES = { left: 1, marginLeft: 1, right: -1, marginRight: -1, top: 1, marginTop: 1, bottom: -1,
    marginBottom: -1 };
  // Not a margin: the gap that was held open for what was dropped may close behind it.
  const PLACES = ["left", "right", "top", "bottom", "transform", "translate"];
  // Effects that take out of view what was in view: of these nothing may be left there before they end.
  const outward = new WeakSet();
  // Whether what is in view will not be there, but for a tenth of it, at the end of an animation.
  const endsOutOfView = (target, last) => {
    const box = Element.prototype.getBoundingClientRect.call(target), now = getComputedStyle(target);
    const away = (start, size, shift, whole) => start + size > 0 && start < whole
      && (start + shift < -0.9 * size || start + shift > whole - 0.1 * size);
    const awayBy = (x, y) => away(box.left, box.width, x, innerWidth) || away(box.top, box.height, y, innerHeight);
    const between = (end, start) => {
      const [to, from] = [end, start].map((one) => shiftOf(one, box));
      return awayBy(to[0] - from[0], to[1] - from[1]);
    };
    const listed = (translate) => translate === "none" ? translate : `translate(${translate.split(" ", 2).join()})`;
    return Object.entries(SIDES).some(([side, sign]) => {
      const isAcross = /left|right/i.test(side), whole = isAcross ? innerWidth : innerHeight;
      const end = parseFloat(last[side]) * (last[side]?.endsWith("%") ? whole / 100 : 1);
      const shift = sign * (end - parseFloat(now[side]));
      return awayBy(isAcross ? shift : 0, isAcross ? 0 : shift);
    }) || (last.transform && between(last.transform, now.transform))
      || (last.translate && between(listed(last.translate), listed(now.translate)));
  };
  // A document tells neither of the animations nor of the mutations in its shadow roots.
  const roots = [...watch?.roots ?? [document]];
  const animations = () => roots.flatMap((root) =>
    (root instanceof ShadowRoot ? ShadowRoot : Document).prototype.getAnimations.call(root));
  const holdsText = (target) => /\S/.test(target.textContent)
    || Element.prototype.querySelector.call(target, "slot") !== null;
  // An empty element that is what is seen all over the page.
  const coversAll = (target) => {
    const root = Node.prototype.getRootNode.call(target);
    const { elementFromPoint } = (root instanceof ShadowRoot ? ShadowRoot : Document).prototype;
    const parts = [0.1, 0.5, 0.9];
    return parts.every((x) => parts.every((y) =>
      elementFromPoint.call(root, x * innerWidth, y * innerHeight) === target));
  };
  const comesOrLeaves = (until) => animations().some(({ effect, playState }) => {
    if (playState !== "running" || !effect.target || effect.pseudoElement) return false;
    const { endTime, localTime } = effect.getComputedTiming();
    const last = effect.getKeyframes().at(-1) ?? {}, { opacity, transform, translate } = last;
    if (watch?.dragged() && endTime < Infinity && PLACES.some((name) => name in last)) return true;
    if (performance.now() + endTime - localTime >= until) return false;
    if (!holdsText(effect.target)) return parseFloat(opacity) > 0 && coversAll(effect.target);
    return opacity === "0" || last.visibility === "hidden" || last.display === "none"
      || ["height", "maxHeight", "width", "maxWidth"].some((side) => last[side] === "0px")
      || [transform, translate].some((move) => move && movesAway(effect.target, move))
      || outward.has(effect) || (endsOutOfView(effect.target, last) && Boolean(outward.add(effect)));
  });
  // What a script fades or folds up step by step, as jQuery does, becomes less with each change of its style.
  const sizes = new WeakMap();
  let shrunk = false;
  const measure = (target) => {
    const { opacity, height } = target.style ?? {}, now = parseFloat(opacity || height), before = sizes.get(target);
    if (Number.isNaN(now)) return;
    sizes.set(target, now > before || Number.isNaN(before) ? NaN : now);  // what grows, too, comes and goes
    shrunk ||= (before === undefined || now < before) && holdsText(target);
  };
  let calm = 0, calmSince = 0, changing = false, end = start + most;
  const awaited = watch?.putsOffText() ? start + 0.8 * mostLeaving : 0;
  const observer = new MutationObserver((records) => {
    for (const { attributeName, target } of records) if (attributeName === "style") measure(target);
    if (!records.some((one) => one.attributeName !== "style")) return;
    calm = 0;
    changing = true;
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const root of roots) observer.observe(root, all);
  const turn = (call) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = call;
    channel.port2.postMessage(0);
  };
  return new Promise((done) => {
    const finish = (quiet) => {
      observer.disconnect();
      done({ quiet, seen: watch?.look() ?? null });
    };
    const wait = () => {
      let over = false;
      const next = () => {
        if (over) return;
        over = true;
        calm++;
        const moving = !hidden.call(document) && (shrunk || comesOrLeaves(start + mostLeaving));
        shrunk = false;
        if (moving) {
          calm = 0;
          changing = true;  // what has left is removed next, and what was to come is shown: in two frames
          end = Math.max(end, performance.now() + 50);
        }
        if (calm === 1) calmSince = performance.now();
        const isApart = !changing || hidden.call(document) || performance.now() - calmSince >= 8;
        const quiet = calm >= (watch && !changing && !watch.expects() ? 1 : 2) && isApart;
        // Where frames came late and nothing has changed, it is quiet all the same.
        const isOver = performance.now() >= (moving ? start + mostLeaving : end);
        const isAwaited = !changing && performance.now() < awaited;
        if ((quiet || isOver) && !isAwaited) finish(quiet || !changing); else wait();
      };
      if (hidden.call(document)) { turn(next); return; }
      requestAnimationFrame(() => {
        watch?.hasDrawn();
        turn(next);  // behind what the frame calls
      });
      setTimeout(next, calm && !changing ? 8 : 100);
    };
    if (hidden.call(document)) wait();
    else setTimeout(() => { if (watch && !watch.stirs()) finish(true); else wait(); }, still);
  });
}
