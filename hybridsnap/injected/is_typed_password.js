function () {
  // @include controls
  // @include control_at
  // @include typed
  return { typed };
}
