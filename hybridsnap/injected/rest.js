// On the element that holds a frame: (limit) → {reason, size}, once it stands still.
async function (limit) {
  // @include pointing
  const reason = whyNot({ enabled: false }) || (await atRest(limit) ? "" : "moving");
  return { reason, size: [innerWidth, innerHeight] };
}
