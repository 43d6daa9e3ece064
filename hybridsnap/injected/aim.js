// ({key, limit, enabled, force, position, hollow, apart, through, scrolls, early, many, arm}) → {reason, points, label,
// instead, size}. Looks for a point where the node can be hit, scrolled as each of `scrolls` says in turn ("" as it is).
// `early`: only where it stands well in view, and without a word of what lies over it.
async function (asked) {
  // @include guards
  // @include choosing
  hollow = asked.hollow;
  through = asked.through;
  const size = [innerWidth, innerHeight];
  const no = (reason) => { guards.delete(asked.key); return { reason, size }; };
  const why = asked.force ? whyNot({ enabled: false }) : whyNot(asked);
  if (why) return no(why);
  const inPlace = (node, all) => asked.position ? within(viewport(), ...pointAt()) : isComfortable(node, all);
  const pointAt = () => {
    const box = boxOf(subject === target ? boundsOf(subject) : { left: boxes()[0][0], top: boxes()[0][1] });
    return [box[0] + asked.position[0], box[1] + asked.position[1]];
  };
  if (asked.early && !(boxes().length && inPlace(target, boxes()))) return no("off screen");
  guards.set(asked.key, { end: () => { guards.delete(asked.key); return NOTHING; } });
  const settled = async () => asked.force || await atRest(asked.limit);
  // One rest does for before and after where it is only far down, or up, in what scrolls.
  if (asked.scrolls.length > 1 && !asked.force && !asked.position && isBelowOrAbove(boxes())) {
    bring(target, boxes(), asked.scrolls[1]);
  }
  if (!await settled()) return no(isAttached() ? "moving" : "detached");
  if (!isAttached()) return no("detached");
  const finish = (points) => {
    if (!guards.has(asked.key)) return { reason: "ended", size };
    const found = asked.force ? null : hit(...points[0]);
    if (asked.arm) guard(asked.key, isOwn, ...asked.arm, proofOf(), placeOf(found)); else guards.delete(asked.key);
    const label = Boolean(found) && !line(found).includes(subject) && controlOfLabel(found) === subject;
    const isBeside = Boolean(found) && !label && !line(found).includes(subject);
    const instead = isBeside && (standsFor(line(found)) || isBehind(found) || isHost(found));
    return { reason: "", points, label, instead, size, clock: performance.timeOrigin + performance.now() };
  };
  const look = (node, all) => {
    if (!all.length) return [];
    if (asked.position) {
      const point = pointAt();
      const free = () => isOwn(hit(...point)) || showsThrough(hit(...point), ...point);
      return within(viewport(), ...point) && (asked.force || free()) ? [point] : [];
    }
    if (asked.force) {
      const points = choose(node, all, asked.many), parts = partsOf(all, clipOf(node));
      return points.length ? points : parts.slice(0, 1).map(centreOf);
    }
    const points = choose(node, all, asked.many);
    if (points.length || asked.apart || asked.early) return points;
    lax = true;
    const others = choose(node, all, asked.many);
    lax = false;
    return others;
  };
  if (asked.position) {
    const { width, height } = boundsOf(subject), [right, down] = asked.position;
    if (right < 0 || down < 0 || right > width || down > height) {
      return { reason: "outside", size: [width, height] };
    }
  }
  const words = subject === target && !asked.position && isCrowded() ? ownWords() : [];
  const either = isShrunk() ? [...insteadOf(), target] : [target, ...insteadOf()];
  const tries = words.length && asked.early ? words : [...words, ...either];
  let inner = null;
  for (const node of tries) {
    for (const align of asked.scrolls) {
      let all = boxesOf(node);
      if (!all.length) break;
      if (align) {
        bring(node, all, words.includes(node) ? "start" : align);  // of a tall tree its middle is far below
        all = boxesOf(node);
        if (asked.position) bringPoint(...pointAt());
        else if (all.length && (node !== subject || node instanceof HTMLAreaElement)) {
          bringPoint(...centreOf(all[0]));
        }
      } else if (asked.scrolls.length > 1 && !inPlace(node, all)) continue;
      if (!look(node, boxesOf(node)).length) {
        const found = all.length ? hit(...centreOf(all[0])) : null;
        if (isOwn(found) && isInAnother(found)) inner = found;
        continue;
      }
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
  if (asked.force || asked.early) return no("off screen");
  const last = tries.find((node) => boxesOf(node).length) ?? target, all = boxesOf(last);
  const parts = all.length ? partsOf(all, clipOf(last)) : [];
  const point = asked.position ? pointAt() : centreOf(parts[0] || all[0] || [-1, -1, -1, -1]);
  const cover = hit(...point);
  if (inner && (!cover || isOwn(cover))) {
    leaveFound(asked.key, { cover: nameable(inner), end: () => NOTHING });
    return { reason: "filled", size };
  }
  return { reason: blame(asked.key, cover, asked.position || parts.length > 0), size };
}
