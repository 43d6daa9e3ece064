// What is wrong with a value is said before anything is done. `value` null: only what the element is.
function () {
  // @include control_at
  // A label stands for the box that is ticked by it: often it is all that is shown of that.
  const labelled = at && kindOf(at) === "label" ? get(HTMLLabelElement, "control", at) : null;
  const one = labelled && ["checkbox", "radio"].includes(kindOf(labelled)) ? labelled : at;
  const kind = one ? kindOf(one) : "";
  // What opens a list of options, and may show what is chosen there; a dialog or a grid of days is none.
  const popup = at && attribute(at, "aria-haspopup");
  const isCombo = at && roleOf(at) === "combobox";
  const opens = popup === "listbox" || (isCombo && [null, "true", "tree", "menu"].includes(popup));
  if (["", "button", "label", "option", "edit context"].includes(kind)) {
    return { refused: "wrong kind", kind, opens: opens && ["", "button"].includes(kind) };
  }
  const UNWRITTEN = ["checkbox", "radio", "aria", "file"];
  let refused = refusalOf(one);
  // These are often hidden, and what stands for them is not.
  const hides = ["not displayed", "invisible"].includes(refused);
  if ([...UNWRITTEN, "select"].includes(kind) && hides) refused = "";
  if (!refused && one.readOnly && !["range", "color", ...UNWRITTEN].includes(kind)) refused = "read-only";
  return { kind, refused, opens, multiple: one.multiple ?? false };
}
