function () {
  // @include controls
  // @include control_at
  const said = (name, other) => {
    const words = attribute(at, name);
    return words === null || words.trim() === "" || isNaN(words) ? other : Number(words);
  };
  return {
    now: said("aria-valuenow", null), min: said("aria-valuemin", 0), max: said("aria-valuemax", 100),
    off: attribute(at, "aria-disabled") === "true" || attribute(at, "aria-readonly") === "true",
  };
}
