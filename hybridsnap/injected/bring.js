// On a node: (limit) → {reason, size}. Scrolled so that its middle is in view, in the frames around it too.
async function (limit) {
  // @include pointing
  // @include choosing
  const size = [innerWidth, innerHeight];
  if (!isAttached()) return { reason: "detached", size };
  const all = boxes();
  if (!all.length) return { reason: shown(subject) ? "no size" : "not displayed", size };
  const comfortable = isComfortable(target, all);
  if (!comfortable || top !== window) bring(target, all, comfortable ? "nearest" : "center");
  if (target !== subject || target instanceof HTMLAreaElement) bringPoint(...centreOf(boxes()[0]));
  return { reason: await atRest(limit) ? "" : "moving", size };
}
