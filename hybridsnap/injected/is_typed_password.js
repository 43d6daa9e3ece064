function () {
  // @include typed
  return { typed };
}
