// (pressed) → {now, min, max, words, upright, off}, of an ARIA slider. `pressed`: keys of ours have moved it, so a name that
// says its value is another by now. `min`, `max`: null where there is no limit. `upright`: a spin button, of which the
// keys to the left and right go to what stands beside it. `words`: its value has a name.
function (pressed) {
  // @include control_at
  if (pressed) proof?.accept();
  const said = (name, other) => {
    const words = attribute(at, name);
    return words === null || words.trim() === "" || isNaN(words) ? other : Number(words);
  };
  const upright = roleOf(at) === "spinbutton";
  return {
    now: said("aria-valuenow", null), upright, words: attribute(at, "aria-valuetext") !== null,
    min: said("aria-valuemin", upright ? null : 0), max: said("aria-valuemax", upright ? null : 100),
    off: attribute(at, "aria-disabled") === "true" || attribute(at, "aria-readonly") === "true",
  };
}
