function (action) {
  // @include control_at
  // @include listbox
  return combo;
}
