// (name, whole, fold) → why assistive technology does not get to an element of that text or label which the document
// has: "aria-hidden", "inert", or "" where there is none. The name is cleaned; whole: not a part of it; fold: case does
// not count.
function (name, whole, fold) {
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  const textOf = Object.getOwnPropertyDescriptor(Node.prototype, "textContent").get;
  const fits = (text) => {
    const words = (text || "").replace(/\s+/g, " ").trim();
    const said = fold ? words.toLowerCase() : words;
    return whole ? said === name : said.includes(name);
  };
  const modals = all(":modal");
  const behind = (one) => modals.length > 0
    && !modals.some((modal) => Node.prototype.contains.call(modal, one));
  const within = (one, selector) => Element.prototype.closest.call(one, selector) !== null;
  const CONTROLS = "a, button, input, select, textarea, summary, h1, h2, h3, h4, h5, h6, img, [role], [aria-label]";
  for (const one of all(CONTROLS)) {
    const why = within(one, "[aria-hidden=true]") ? "aria-hidden"
      : within(one, "[inert]") || behind(one) ? "inert" : "";
    if (why === "") continue;
    const attributes = ["aria-label", "alt", "value"].map((it) => Element.prototype.getAttribute.call(one, it));
    if ([textOf.call(one), ...attributes].some(fits)) return why;
  }
  return "";
}
