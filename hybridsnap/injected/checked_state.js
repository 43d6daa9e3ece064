// What is checked, and how: for `set_checked`, and for those who wait.
function () {
  // @include labelled
  if (!at) return { refused: "wrong kind", kind: "" };
  // An item of a check list in an editor can be edited, and checked.
  const kind = isChecked(meant) && kindOf(meant) === "editable" ? "aria" : kindOf(meant);
  if (kind === "checkbox" || kind === "radio") {
    return {
      kind,
      refused: !get(Node, "isConnected", meant) ? "detached" : matches(meant, ":disabled") ? "disabled" : "",
      checked: kind === "checkbox" && meant.indeterminate ? "mixed" : String(meant.checked),
      here: meant === at && isShown(at),
    };
  }
  if (kind !== "aria") return { refused: "wrong kind", kind };
  const disabled = attribute(meant, "aria-disabled") === "true" || matches(meant, ":disabled");
  const said = attribute(meant, "aria-checked");
  // As Chromium reads it: what is none of the other words is "true".
  const read = said === "undefined" ? "" : said && (/^(false|mixed)$/i.test(said) ? said.toLowerCase() : "true");
  return {
    kind: roleOf(meant).endsWith("radio") ? "radio" : "checkbox",
    refused: !get(Node, "isConnected", meant) ? "detached" : disabled ? "disabled" : "",
    // Some toggles (Directus') say it as buttons do. "" is neither: ARIA's default, unchecked, or not said at all.
    checked: read ?? attribute(meant, "aria-pressed") ?? "",
    here: true,
  };
}
