function (by, one) {
  // @include control_at
  // @include listbox
  return alone && one === null ? alone : find(by, one);
}
