function (action, by, one) {
  // @include control_at
  // @include listbox
  if (alone && one === null) return alone;
  const items = matching(by, one);
  if (noted) noted.list = box;
  // What was typed to filter the list has served: the page makes of it what it will, upon the choice.
  for (const watch of globalThis[Symbol.for("hybridsnap watches")]?.values() ?? []) {
    if (combo && watch.left?.[0] === combo) watch.left = null;
  }
  return items.length === 1 ? items[0] : null;
}
