function () {
  // @include control_at
  if (!at) return { refused: "not focusable" };
  const target = pressedFor(at);
  const refused = refusalOf(at) || changed() || focusOn(target);
  if (refused) return { refused };
  return { asleep: sleeps(target) };
}
