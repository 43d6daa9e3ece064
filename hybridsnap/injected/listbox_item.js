function (action, by, one) {
  // @include control_at
  // @include listbox
  if (alone && one === null) return alone;
  const items = matching(by, one);
  if (noted) noted.list = box;
  return items.length === 1 ? items[0] : null;
}
