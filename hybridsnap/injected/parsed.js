// Resolves when the document has been parsed.
function () {
  const state = Object.getOwnPropertyDescriptor(Document.prototype, "readyState").get;
  if (state.call(document) !== "loading") return true;
  return new Promise((done) => addEventListener("DOMContentLoaded", () => done(true), { once: true }));
}
