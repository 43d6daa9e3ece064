// What is wrong with a value is said before anything is done. `value` null: only what the element is.
function () {
  // @include controls
  // @include control_at
  const kind = at ? kindOf(at) : "";
  if (["", "button", "label", "option", "edit context"].includes(kind)) {
    const opens = ["", "button"].includes(kind) && at ? attribute(at, "aria-haspopup") : null;
    return { refused: "wrong kind", kind, lists: opens === "listbox" };
  }
  const UNWRITTEN = ["checkbox", "radio", "aria", "file"];
  let refused = refusalOf(at);
  // These are often hidden, and what stands for them is not.
  const hides = ["not displayed", "invisible"].includes(refused);
  if ([...UNWRITTEN, "select"].includes(kind) && hides) refused = "";
  if (!refused && at.readOnly && !["range", "color", ...UNWRITTEN].includes(kind)) refused = "read-only";
  // A read-only field may show what is chosen in a list that it opens; a dialog or a grid of days is no list.
  const popup = attribute(at, "aria-haspopup") ?? "true";
  const isCombo = (attribute(at, "role") ?? "").trim().split(/\s+/)[0] === "combobox";
  const opens = popup === "listbox" || (isCombo && ["true", "tree", "menu"].includes(popup));
  return { kind, refused, opens, multiple: at.multiple ?? false };
}
