// For functions on a node with a parameter `action`, behind `control_at`: `combo` opens the list, `box` is the list,
// `all` its options. `alone` is the option that was named.
const squeezed = (text) => (text ?? "").replace(/\s+/g, " ").trim();
const closest = (one, selector) => {
  for (let node = one; node; node = around(node)) {
    if (node instanceof Element && matches(node, selector)) return node;
  }
  return null;
};
const within = (one, test) => {  // through open shadow roots and slots, in document order
  const found = [], open = [one];
  for (let seen = 0; open.length && seen < 20000; seen++) {
    const node = open.pop();
    if (node !== one && node instanceof Element && test(node)) { found.push(node); continue; }
    const root = node instanceof Element ? get(Element, "shadowRoot", node) : null;
    const inner = root ?? node;
    const children = inner instanceof HTMLSlotElement && inner.assignedElements().length
      ? inner.assignedElements() : [...(inner instanceof Element ? get(Element, "children", inner)
        : get(DocumentFragment, "children", inner))];
    open.push(...children.reverse());
  }
  return found;
};
const sized = (one) => {
  const box = Element.prototype.getBoundingClientRect.call(one);
  return box.width > 1 && box.height > 1 && isShown(one, { visibilityProperty: true });
};
const OPENS = "[role=combobox], [aria-haspopup=listbox], [aria-haspopup=tree]";
// What has the role and opens another list (PrimeReact's field for a tree) is a combobox.
const isBox = (one) => roleOf(one) === "listbox" && !matches(one, OPENS);
// A combobox may open a tree or a menu as well.
const POPUPS = "[role=listbox], [role=tree], [role=menu]";
const isPopup = (one) => matches(one, POPUPS);
const isOption = (one) => /^(option|treeitem|menuitem(checkbox|radio)?)$/.test(roleOf(one));
// A combobox may stand in an option of a list that holds what was chosen (PrimeVue).
const nearest = closest(at, `[role=option], ${OPENS}`);
const alone = nearest && roleOf(nearest) === "option" ? nearest : null;
const combo = alone || isBox(at) ? null : closest(at, OPENS)
  ?? within(at, (one) => matches(one, OPENS))[0] ?? null;
const namedBy = (one) =>
  squeezed(`${attribute(one, "aria-controls") ?? ""} ${attribute(one, "aria-owns") ?? ""}`).split(" ").filter(Boolean);
const rootsAround = () => {  // where a list may open: the document, and the shadow roots that the combobox is in
  const roots = [document];
  for (let root = combo && rootOf(combo); root instanceof ShadowRoot; root = rootOf(get(ShadowRoot, "host", root))) {
    roots.push(root);
  }
  return roots;
};
const allAround = (selector) => rootsAround().flatMap((root) => [
  ...(root instanceof Document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector)]);
const shownPopups = () => allAround(POPUPS).filter(sized);
// What showed before this action opened the combobox (`listbox_before`) is not what it opens.
const earlier = globalThis[Symbol.for("hybridsnap popups before")] ??= new WeakMap();
const noted = (combo && earlier.get(combo)) ?? null;
const before = noted?.action === action ? noted.shown : null;
// Those that have come into view since, unless another field says that one is its own. What comes behind a choice
// (`list` is where that was made) may be the choice's own, as the towns of a country.
const opened = () => {
  if (!before) return [];
  if (noted.list && attribute(combo, "aria-expanded") !== "true") return sized(noted.list) ? [noted.list] : [];
  const others = new Set(allAround("[role=combobox], input").filter((one) => one !== combo).flatMap(namedBy));
  const all = shownPopups().filter((one) => !before.has(one));
  const outer = all.filter((one) => !all.some((each) => each !== one && Node.prototype.contains.call(each, one)));
  return outer.filter((one) => !others.has(get(Element, "id", one)));
};
const boxes = () => {
  if (alone) return [closest(alone, "[role=listbox]") ?? alone];
  if (isBox(at)) return [at];
  if (!combo) return [];
  const ids = [combo, ...within(combo, (one) => one.hasAttribute("aria-controls"))].flatMap(namedBy);
  const named = ids.map((id) => rootOf(combo).getElementById?.(id)
    ?? Document.prototype.getElementById.call(document, id)).filter(Boolean);
  const found = named.flatMap((one) => isPopup(one) ? [one] : within(one, isPopup));
  if (found.length) return found;
  if (named.some(sized)) return [];  // what it opens is known, and no list
  const inside = within(combo, isBox), came = opened(), fresh = inside.filter((one) => came.includes(one));
  if (fresh.length) return fresh.includes(noted.list) ? [noted.list] : fresh;
  if (inside.length > 1) {  // one of them may list what was chosen (Choices)
    if (attribute(combo, "aria-expanded") !== "true") return inside.filter((one) => !sized(one));
    const isLeft = (one) => attribute(one, "aria-selected") !== "true";
    const offers = inside.filter((one) => sized(one) && within(one, isOption).some(isLeft));
    return offers.length === 1 ? offers : [];
  }
  if (inside.length || attribute(combo, "aria-expanded") === "false") return inside;
  return came.length === 1 ? came : [];
};
const box = boxes()[0] ?? null;
const all = box && box !== alone ? within(box, isOption) : alone ? [alone] : [];
// `innerText` has nothing of what is slotted into an element, or stands in the shadow root below one.
const isComposed = (one) => one instanceof HTMLSlotElement || get(Element, "shadowRoot", one) !== null;
const isUnseen = (one) => /absolute|fixed/.test(getComputedStyle(one).position) && !sized(one);
const composedText = (one, seen = false) => {  // `seen`: without what is for assistive technology alone
  const parts = [], open = [one];
  for (let looks = 0; open.length && looks < 2000; looks++) {
    const node = open.pop();
    if (node instanceof Text) parts.push(get(CharacterData, "data", node));
    if (!(node instanceof Element) || matches(node, "script, style")) continue;
    if (getComputedStyle(node).display === "none" || (seen && node instanceof Element && isUnseen(node))) continue;
    const slotted = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
    const inner = get(Element, "shadowRoot", node) ?? node;
    open.push(...(slotted.length ? slotted : [...get(Node, "childNodes", inner)]).reverse());
  }
  return parts.join(" ");
};
// A list that is still invisible, as it is placed or fades in, has no rendered text: its options have their labels.
const labelOf = (one) => squeezed(attribute(one, "aria-label") ?? (isComposed(one) || within(one, isComposed).length
  ? composedText(one) : one.innerText || get(Node, "textContent", one)));
const valueOf = (one) => attribute(one, "data-value") ?? attribute(one, "value")
  ?? squeezed(one.textContent);
// What holds the popup that holds the list, or may: anything of the page stands there.
const OUTSIDE = "html, body, main, nav, header, footer, aside, form, [role=main], [role=navigation], [role=banner], "
  + "[role=contentinfo], [role=complementary], [role=search], [role=form]";
const OTHERS = "a, button, input, select, textarea, label, summary, [role=button], [role=link]";
// Items that show a label and have no role: the innermost of those in the list. A list without any size is for
// assistive technology alone: what it stands for shows beside it, in the popup that holds both.
const shownItems = (label) => {
  const items = (above, isItem) => {
    const texts = [...Element.prototype.querySelectorAll.call(above, "*")].filter((one) => sized(one)
      && squeezed(one.innerText) === label && isItem(one));
    // In document order what is inside an element comes right behind it.
    return texts.filter((one, at) => !texts[at + 1] || !Node.prototype.contains.call(one, texts[at + 1]));
  };
  if (!label || !isShown(box, { visibilityProperty: true })) return [];
  if (sized(box)) return items(box, (one) => closest(one, POPUPS) === box);
  for (let above = get(Node, "parentElement", box), n = 0; above && n < 2; n++) {
    if (matches(above, OUTSIDE) || (combo && Node.prototype.contains.call(above, combo))) break;
    const found = items(above, (one) => [null, box].includes(closest(one, POPUPS)) && !closest(one, OTHERS));
    if (found.length) return found;
    above = get(Node, "parentElement", above);
  }
  return [];
};
// So many options the list has, also where it draws those alone that are in view; each has its place then.
const counted = (item, name, number = Number(attribute(item, name))) => Number.isSafeInteger(number) ? number : 0;
const size = Math.max(all.length, all.length && counted(all[0], "aria-setsize"));
const placeOf = (item, at = all.indexOf(item)) => size > all.length ? counted(item, "aria-posinset") - 1 : at;
// The options that are meant, whether they show or not.
const meant = (by, one) => {
  const fits = { value: (item) => valueOf(item) === one, label: (item) => one && labelOf(item) === squeezed(one) };
  // To assistive technology an option may say more than it shows: "Not Selected, Red" (UI5).
  const isShownAs = (item) => labelOf(item).includes(squeezed(one))
    && squeezed(composedText(item, true)) === squeezed(one);
  const those = (test) => {
    const all_ = all.filter(test), seen = all_.filter(sized);
    return seen.length ? seen : all_;
  };
  if (by === "index") return all.filter((item, at) => placeOf(item, at) === one);
  const ways = [fits[by], by === "label" ? fits.value : fits.label, isShownAs];
  return ways.map(those).find((some) => some.length) ?? [];
};
// Several where the words fit several; those that a page itself gives the same value are the same option.
const matching = (by, one) => {
  const found = meant(by, one);
  if (by === "index") return found.filter(sized);
  if (found.some(sized)) {
    const ownValue = (item) => attribute(item, "data-value") ?? attribute(item, "value");
    const isSame = (item) => ownValue(item) !== null && ownValue(item) === ownValue(found[0])
      && labelOf(item) === labelOf(found[0]);
    return found.slice(1).every(isSame) ? found.slice(0, 1) : found;
  }
  return box ? shownItems(found.length ? labelOf(found[0]) : squeezed(one)) : [];
};
