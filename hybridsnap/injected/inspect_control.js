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
  return { kind, refused, multiple: at.multiple ?? false };
}
