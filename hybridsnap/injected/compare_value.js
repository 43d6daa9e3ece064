// (wanted) → whether the value is the wanted one (null: what typing has left there), and what the value is; a
// password stays in the page. `moves`: something moves on the page of a combobox; it may empty itself behind that.
function (wanted) {
  // @include control_at
  if (!at) return { kind: "", values: null };
  const kind = kindOf(at);
  const words = (text) => text.replace(/\s+/g, " ").trim();
  let values = null;
  if (at instanceof HTMLSelectElement) {
    const chosen = [...at.selectedOptions];
    values = [get(HTMLSelectElement, "value", at), chosen.map((one) => words(one.label)).join(", ")];
  } else if (kind === "file") values = [[...at.files].map((one) => one.name).join(", ")];
  else if (kind === "checkbox" || kind === "radio") values = null;
  else if (at instanceof HTMLInputElement) values = [get(HTMLInputElement, "value", at)];
  else if (at instanceof HTMLTextAreaElement) values = [get(HTMLTextAreaElement, "value", at)];
  else if (kind === "editable") values = [get(HTMLElement, "innerText", at)];
  else {
    const said = ["aria-valuetext", "aria-valuenow"].map((name) => attribute(at, name));
    if (said.some((one) => one !== null)) values = said.filter((one) => one !== null);
  }
  if (!values) return { kind, values };
  const holds = values.includes(wanted ?? globalThis[Symbol.for("hybridsnap typed")]?.get(at) ?? values[0]);
  const ends = (one) => one.playState === "running" && one.effect?.getComputedTiming().endTime < Infinity;
  const moves = attribute(at, "role") === "combobox" && Document.prototype.getAnimations.call(document).some(ends);
  return { kind, holds, moves, values: isPassword(at) ? [] : values.map((one) => one.slice(0, 500)) };
}
