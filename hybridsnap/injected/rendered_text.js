// Of a document the text of its root element, of a text field its value. What is not HTML has no rendered
// text: then all of its text.
function (reveal) {
  // @include typed
  if (typed && !reveal) return { text: "", typed };
  if (this instanceof CharacterData) return { text: get(CharacterData, "data", this) };
  const one = this instanceof Document ? get(Document, "documentElement", this) : this;
  const kind = kindOf(one);
  if (kind === "textarea") return { text: get(HTMLTextAreaElement, "value", one) };
  if (one instanceof HTMLInputElement && ["text", "button", "number"].includes(kind)) {
    const value = get(HTMLInputElement, "value", one);
    const secret = isPassword(one) && value && !reveal;
    return secret ? { text: "", typed: true } : { text: value };
  }
  if (one instanceof HTMLElement) return { text: get(HTMLElement, "innerText", one) };
  return { text: one && get(Node, "textContent", one) || "" };
}
