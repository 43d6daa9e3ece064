function (by, one) {
  // @include control_at
  // @include listbox
  if (alone && one === null) return alone;
  const items = matching(by, one);
  return items.length === 1 ? items[0] : null;
}
