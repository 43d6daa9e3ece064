function () {
  // @include labelled
  const clicked = isShown(meant) ? meant : [...meant.labels].find((one) => isShown(one)) ?? meant;
  // The press on a label is guarded by what proves the control.
  if (proof && clicked !== this) globalThis[Symbol.for("hybridsnap proofs")].set(clicked, proof);
  return clicked;
}
