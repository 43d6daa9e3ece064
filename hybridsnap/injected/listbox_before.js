// (action) → keeps which popups show before a combobox is opened; of several times, what has shown at each.
function (action) {
  // @include control_at
  // @include listbox
  const isFirst = !before || Boolean(noted.list);
  const shown = shownPopups().filter((one) => isFirst || before.has(one));
  if (combo) earlier.set(combo, { action, shown: new WeakSet(shown) });
  return {};
}
