// For functions on a node, behind `pointing`: which controls within it are other elements, so that a press there is
// none on the node.
const ROLES = ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "option", "treeitem", "combobox", "slider", "spinbutton", "textbox", "searchbox"];
const CONTROLS = `a[href], button, summary, label, input, select, textarea, ${
  ROLES.map((role) => `[role=${role}]`).join()}`;
const TICKED = "input[type=checkbox i], input[type=radio i], [role=checkbox], [role=radio], [role=switch], "
  + "[role=menuitemcheckbox], [role=menuitemradio]";
const FIELDS = "textarea, [role=textbox], [role=searchbox], input:not([type=button i], [type=submit i], "
  + "[type=reset i], [type=image i], [type=file i], [type=checkbox i], [type=radio i])";
const HOLD_FIELDS = "[role=combobox], [role=spinbutton], [role=textbox], [role=searchbox], [role=slider]";
// What shows that it takes clicks itself.
const USED = `${CONTROLS}, [role=row], [role=gridcell], [onclick], [tabindex]:not([tabindex='-1'])`;
const ITEMS = "li, [role=listitem]", TREE_ITEMS = "[role=treeitem]";
// A hit test inside a shape without a fill finds what holds the shape. For a drop (`hollow`) that does not
// count as a cover; and what is dropped on a control in an item is dropped on the item.
let hollow = false;
const kindsWithin = () => {
  if (!(subject instanceof Element)) return "";
  const items = [ITEMS, TREE_ITEMS].find((kind) => matches(subject, kind));
  return hollow ? items : items ? `${CONTROLS}, ${items}` : CONTROLS;
};
const isPlain = () => !matches(subject, USED) && getComputedStyle(subject).cursor !== "pointer";
const localName = reader(Element, "localName"), isEdited = reader(HTMLElement, "isContentEditable");
const selectAll = (root, selector) =>
  [...caller(root instanceof ShadowRoot ? DocumentFragment : Element, "querySelectorAll")(root, selector)];
const squeeze = (text) => (text ?? "").replace(/\s/g, "");
const wordsOf = (node) => squeeze(reader(Node, "textContent")(node))
  + selectAll(node, "slot").flatMap((slot) => slot.assignedNodes({ flatten: true }))
    .map((one) => squeeze(reader(Node, "textContent")(one))).join("");
const labelled = subject instanceof HTMLLabelElement ? controlOf(subject) : null;
let wordsOfSubject;  // read once: it may hold thousands of others
// The first words, or else the first picture, that are in nothing of some kind: that is where a person clicks.
const contentBeside = (isSkipped) => {
  const open = [subject];
  let picture;
  while (open.length) {
    const node = open.pop();
    if (node instanceof Text) {
      if (node.data.trim() && boxesOf(node).length) return [node];
    } else if (node === subject || !isSkipped(node)) {
      const isPicture = node instanceof Element && matches(node, "svg, img, canvas, video");
      const isUnsaid = node instanceof Element && attribute(node, "aria-hidden") === "true";
      // Words that only the eye is told are words; the arrow that folds the items of a tree is none.
      const isShown = isPicture || (isUnsaid && /\p{L}|\p{N}/u.test(reader(Node, "textContent")(node)));
      if (isShown && node !== subject && boxesOf(node).length) picture ??= node;
      if (isPicture || isUnsaid) continue;
      const held = [...reader(Node, "childNodes")(node)], root = node instanceof Element && openRoot(node);
      // What is slotted stands in the shadow tree.
      const inSkipped = (child) => line(child).some((one, n, all) => n && n < all.indexOf(node) && isSkipped(one));
      const children = root ? [...reader(Node, "childNodes")(root), ...held.filter((one) => !inSkipped(one))] : held;
      for (const child of children.reverse()) open.push(child);
    }
  }
  return picture ? [picture] : [];
};
const besideControls = () => contentBeside((one) => one instanceof Element && matches(one, CONTROLS));
const isOnly = (node) => {  // no other control is shown in the subject
  const isOf = (one) => line(one).includes(node) || line(node).includes(one)
    || (one instanceof HTMLLabelElement && controlOf(one) === node)
    || (node instanceof HTMLLabelElement && controlOf(node) === one);
  const holds = (one) => matches(one, CONTROLS)
    || (localName(one).includes("-") && openRoot(one) && selectAll(openRoot(one), CONTROLS).length);
  return ![subject, openRoot(subject)].filter(Boolean).flatMap((root) => selectAll(root, "*"))
    .some((one) => holds(one) && !isOf(one) && shown(one, { visibilityProperty: true }) && boxesOf(one).length);
};
const isCalledOtherwise = (words, node) => {
  const name = squeeze(attribute(subject, "aria-label") || attribute(subject, "title"));
  const said = squeeze(attribute(node, "aria-label")) || words || squeeze(attribute(node, "title"));
  return Boolean(name) && !(said && (name.startsWith(said) || said.startsWith(name)));
};
const NARROW = 4;  // px of the subject around a control, as of a cell of a table: no place to press
const fills = (node) => {
  const own = boxOf(boundsOf(subject)), box = boxOf(boundsOf(node));
  if (box[0] <= own[0] + NARROW && box[1] <= own[1] + NARROW && box[2] >= own[2] - NARROW
    && box[3] >= own[3] - NARROW) return true;
  // Or lies over all that is seen of the words, as a link that is stretched over its card.
  const [part] = besideControls().flatMap((one) => partsOf(boxesOf(one), clipOf(one)));
  return Boolean(part) && [0.1, 0.5, 0.9].every((share) => {
    const found = hit(part[0] + (part[2] - part[0]) * share, (part[1] + part[3]) / 2);
    return Boolean(found) && line(found).includes(node);
  });
};
// A press on the control is one on the subject: it is what the subject labels, shows or is for.
const standsForSubject = (node) => {
  const control = (node instanceof HTMLLabelElement && controlOf(node)) || node;
  if (control === labelled) return true;
  const plain = isPlain();
  // A press on a field only gives it the focus. In what does not show that it takes clicks, that is meant.
  if (matches(control, FIELDS) && (plain || matches(subject, HOLD_FIELDS))) return true;
  if (plain && rootOf(node) === openRoot(subject)) return true;
  if (matches(control, TICKED) && matches(subject, TICKED)) return true;
  if (matches(node, "a[href]") && subject instanceof HTMLElement && isEdited(subject)) return true;
  const words = wordsOf(node), isOther = isCalledOtherwise(words, control);
  if (words && !isOther && words === (wordsOfSubject ??= wordsOf(subject))) return true;
  if (isOnly(node) && ((plain && matches(node, "a[href]")) || (!isOther && !besideControls().length))) return true;
  return fills(node);
};
const isAnother = (node) => {
  const kinds = kindsWithin();
  if (!kinds || !(node instanceof Element) || node === subject || !matches(node, kinds)) return false;
  if (node instanceof HTMLLabelElement && [null, subject].includes(controlOf(node))) return false;
  return !standsForSubject(node);
};
const isInAnother = (node) => {
  // Over a text that is slotted, a hit test finds the host, and not what the text stands in.
  const slotted = node instanceof Element && openRoot(node)
    && [...reader(Node, "childNodes")(node)].find((one) => one instanceof Text && one.data.trim() && textSlot(one));
  const around = line(slotted || node);
  return around.slice(0, Math.max(around.indexOf(subject), 0)).some(isAnother);
};
const isCrowded = () => {  // another one has its middle
  const kinds = kindsWithin();
  if (!kinds) return false;
  const middle = centreOf(boxOf(boundsOf(subject)));
  return selectAll(subject, kinds).some((one) => within(boxOf(boundsOf(one)), ...middle) && isAnother(one))
    || isInAnother(hit(...middle));
};
const ownWords = () => contentBeside(isAnother);
// Where a press may begin that was aimed at `found`.
const placeOf = (found) => isOwn(found) && !isInAnother(found) ? (node) => isOwn(node) && !isInAnother(node) : isOwn;
