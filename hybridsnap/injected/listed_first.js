// (text, ms) → whether the option that Enter would choose in the open list of a combobox holds the text: the one that
// the keys point at, or else the first; as soon as it does, or in the end. null where no such list is open.
async function (text, ms) {
  // @include control_at
  const byId = (id) => {
    const root = rootOf(at), type = root instanceof ShadowRoot ? DocumentFragment : Document;
    return id ? type.prototype.getElementById.call(root, id) : null;
  };
  const idsIn = (name) => (attribute(at, name) ?? "").split(/\s+/).filter(Boolean);
  const first = () => {
    if (!at || attribute(at, "aria-expanded") !== "true") return null;
    const lists = [...idsIn("aria-controls"), ...idsIn("aria-owns")].map(byId).filter(Boolean);
    const options = lists.flatMap((one) => [...Element.prototype.querySelectorAll.call(one, "[role=option]")]);
    return byId(attribute(at, "aria-activedescendant")) ?? options.find((one) => isShown(one)) ?? null;
  };
  const plain = (words) => words.replace(/\s+/g, " ").trim().toLowerCase();
  const holds = () => {
    const option = first();
    return option && plain(get(Node, "textContent", option)).includes(plain(text));
  };
  const BREATH = 20, end = performance.now() + ms;
  let said = holds();
  const waits = said === false;
  while (waits && !said && performance.now() < end) {  // null: it may be empty while it is filled anew
    await new Promise((done) => setTimeout(done, BREATH));
    said = holds();
  }
  return said;
}
