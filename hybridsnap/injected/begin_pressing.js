function (key) {
  // @include typing_guard
  if (!at) return { refused: "not focusable" };
  const target = pressedFor(at);
  const refused = refusalOf(at) || changed() || focusOn(target);
  if (refused) return { refused };
  if (sleeps(target)) return { asleep: true };
  guardAgainst(["keydown"], target, "");
  return {};
}
