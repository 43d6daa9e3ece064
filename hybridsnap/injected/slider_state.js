// (pressed) → {now, min, max, off}, of an ARIA slider. `pressed`: keys of ours have moved it, so a name that says its
// value is another by now.
function (pressed) {
  // @include control_at
  if (pressed) proof?.accept();
  const said = (name, other) => {
    const words = attribute(at, name);
    return words === null || words.trim() === "" || isNaN(words) ? other : Number(words);
  };
  return {
    now: said("aria-valuenow", null), min: said("aria-valuemin", 0), max: said("aria-valuemax", 100),
    off: attribute(at, "aria-disabled") === "true" || attribute(at, "aria-readonly") === "true",
  };
}
