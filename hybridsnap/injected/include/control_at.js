// @include controls
// For functions on a node: `at` is the element itself, of a text node its parent, of a document its body; of the
// inner parts of a control (its text, the fields of a date), which the accessibility tree shows too, the control.
const at = ((node) => {
  const root = rootOf(node);
  const host = root instanceof ShadowRoot ? get(ShadowRoot, "host", root) : null;
  for (const type of [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement]) {
    if (host instanceof type) return host;
  }
  if (node instanceof Document) return get(Document, "body", node) ?? get(Document, "documentElement", node);
  return node instanceof Element ? node : get(Node, "parentElement", node);
})(this);
// What proved to be what was shown (`injected/proof.js`) is it no more.
const proof = globalThis[Symbol.for("hybridsnap proofs")]?.get(this) ?? null;
const changed = () => proof?.changed() ? "changed" : "";
// The same behind what a page does as the control gets the focus, which may change what it says.
const displaced = () => proof?.isDisplaced() ? "changed" : "";
