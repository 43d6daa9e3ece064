function () {
  // @include controls
  // @include control_at
  const kind = at ? kindOf(at) : "";
  return { kind, valued: MOMENT.has(kind) || kind === "slider" };
}
