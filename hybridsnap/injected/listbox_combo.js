function () {
  // @include controls
  // @include control_at
  // @include listbox
  return combo;
}
