// Positions count characters (code points), as Python does; the DOM counts UTF-16 units.
function (start, end) {
  // @include control_at
  const kind = at ? kindOf(at) : "";
  if (["select", "option", "checkbox", "radio", "file", "button"].includes(kind) && "value" in at) {
    return { refused: "wrong kind", kind };
  }
  const reason = refusalOf(at) || changed();
  if (reason) return { refused: reason };
  const field = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement;
  const nodes = [];
  let text = "";
  if (field) text = at.value;
  else {
    const walker = Document.prototype.createTreeWalker.call(document, at, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      nodes.push(node);
      text += node.data;
    }
  }
  const characters = Array.from(text);
  const last = end ?? characters.length;
  if (Math.max(start, last) > characters.length) return { refused: "range", length: characters.length };
  if (field || isEditable(at)) {
    const unable = focusOn(hostOf(at)) || displaced();
    if (unable) return { refused: unable };
    if (!hasFocus()) return { asleep: sleeps(hostOf(at)) };
  }
  const before = characters.slice(0, start).join("").length;
  const chosen = characters.slice(start, last).join("");
  const after = before + chosen.length;
  if (field) {
    if (at.selectionStart === null && (before > 0 || after < text.length)) {
      return { refused: "wrong kind", kind: at.type };
    }
    if (at.selectionStart === null) at.select();
    else at.setSelectionRange(before, after);
    return { start, end: last, text: isPassword(at) ? null : chosen };
  }
  const place = (offset, ends) => {
    let passed = 0;
    for (const node of nodes) {
      if (offset < passed + node.data.length || (ends && offset === passed + node.data.length)) {
        return [node, offset - passed];
      }
      passed += node.data.length;
    }
    const last = nodes.at(-1);
    return last ? [last, last.data.length] : [at, 0];
  };
  const root = rootOf(at);
  const selection = root instanceof ShadowRoot && root.getSelection ? root.getSelection()
    : Document.prototype.getSelection.call(document);
  selection.setBaseAndExtent(...place(before, false), ...place(after, true));
  return { start, end: last, text: chosen };
}
