// On a node: (limit) → {reason}. Scrolled so that its middle is in view, in the frames around it too.
async function (limit) {
  // @include pointing
  // @include choosing
  if (!isAttached()) return { reason: "detached" };
  const all = boxes();
  if (!all.length) return { reason: shown(subject) ? "no size" : "not displayed" };
  const comfortable = isComfortable(target, all);
  if (!comfortable || top !== window) bring(target, all, comfortable ? "nearest" : "center");
  if (target !== subject || target instanceof HTMLAreaElement) bringPoint(...centreOf(boxes()[0]));
  return { reason: await atRest(limit) ? "" : "moving" };
}
