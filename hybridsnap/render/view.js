// The outline, the details of the pinned element, the controls, and what links them to the screenshot.

const ROW = 26;
const INDENT = 14;
const DEEPEST = 16;
const LONGEST = 300;
const $ = (id) => document.getElementById(id);
const tree = $("tree");
const list = $("rows");
const drawn = new Map();
let active = -1;
let pinned = -1;
let hot = -1;
let wordPattern = null;

const plain = (count) => count.toLocaleString("en");
const plural = (count, noun) => `${plain(count)} ${noun}${count === 1 ? "" : "s"}`;
// What a path or a value holds that cannot be seen, made visible; what is copied stays as it is.
const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, "\ufffd");

function add(parent, tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

function addMarked(parent, tag, className, text) {
  const node = add(parent, tag, className);
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  if (wordPattern === null) node.textContent = short;
  else short.split(wordPattern).forEach((part, at) => part && (at % 2 ? add(node, "mark", "", part) : node.append(part)));
  return node;
}

// --- Rows

function buildRow(i) {
  const row = document.createElement("div");
  const branches = hasBranches(i);
  row.id = `row-${i}`;
  row.className = "row";
  row.dataset.row = i;
  row.style.top = `${shownAt[i] * ROW}px`;
  row.setAttribute("role", "treeitem");
  row.setAttribute("aria-level", rows.depth[i] + 1);
  row.setAttribute("aria-posinset", places[i]);
  row.setAttribute("aria-setsize", siblings[i]);
  if (branches) row.setAttribute("aria-expanded", String(!folded.has(i)));
  row.classList.toggle("operable", isInteractive(i));
  row.classList.toggle("context", !fits[i]);
  row.classList.toggle("missing", isMissing(i));
  row.style.paddingInlineStart = `${10 + Math.min(rows.depth[i], DEEPEST) * INDENT}px`;
  add(row, "span", `twist${branches ? (folded.has(i) ? " shut" : " open") : ""}`).setAttribute("aria-hidden", "true");
  if (rows.depth[i] > DEEPEST) add(row, "span", "deep", String(rows.depth[i]));
  addMarked(row, "span", "role", labelOf(i));
  if (rows.name[i]) addMarked(row, "bdi", "name", rows.name[i]);
  if (rows.value[i] && rows.value[i] !== rows.name[i]) addMarked(row, "bdi", "value", `= ${rows.value[i]}`);
  for (const state of rows.states[i] ? rows.states[i].split("\n") : []) add(row, "span", "state", state);
  if (rows.id[i]) addMarked(row, "code", "id", rows.id[i]);
  return row;
}

function paint(i) {
  const row = drawn.get(i);
  if (!row) return;
  row.classList.toggle("hot", i === hot);
  row.classList.toggle("active", i === active);
  row.classList.toggle("pinned", i === pinned);
  row.setAttribute("aria-selected", String(i === pinned));
}

// Only the rows near the visible part of the outline are in the document.
function draw(isAnew) {
  if (isAnew) {
    drawn.clear();
    list.replaceChildren();
    list.style.height = `${shown.length * ROW}px`;
    $("nothing").hidden = shown.length > 0;
  }
  const first = Math.max(0, Math.floor(tree.scrollTop / ROW) - 10);
  const last = Math.min(shown.length, Math.ceil((tree.scrollTop + tree.clientHeight) / ROW) + 10);
  for (const [i, row] of drawn) {
    const at = shownAt[i];
    if ((at < first || at >= last) && i !== active) {
      row.remove();
      drawn.delete(i);
    }
  }
  const needed = shown.slice(first, last);
  if (active >= 0 && shownAt[active] >= 0) needed.push(active);
  for (const i of needed) {
    if (drawn.has(i)) continue;
    drawn.set(i, list.appendChild(buildRow(i)));
    paint(i);
  }
  if (active >= 0 && drawn.has(active)) tree.setAttribute("aria-activedescendant", `row-${active}`);
  else tree.removeAttribute("aria-activedescendant");
}

function scrollToRow(i, isCentred) {
  const top = shownAt[i] * ROW + list.offsetTop;
  if (top >= tree.scrollTop && top + ROW <= tree.scrollTop + tree.clientHeight) return;
  if (isCentred) tree.scrollTop = top - tree.clientHeight / 2;
  else tree.scrollTop = top < tree.scrollTop ? top - 6 : top + ROW + 6 - tree.clientHeight;
}

function repaint(...several) {
  draw(false);
  several.forEach(paint);
}

// --- Hovering, moving, pinning

function hover(i, isFromPicture) {
  const before = hot;
  hot = i;
  picture.hover(i);
  if (isFromPicture && i >= 0 && pinned < 0 && shownAt[i] >= 0) scrollToRow(i, true);
  repaint(before, i);
}

function moveTo(i) {
  if (i === undefined || i < 0) return;
  const before = active;
  active = i;
  scrollToRow(i, false);
  hover(i, false);
  repaint(before, i);
}

function pin(i, isFromPicture) {
  const before = pinned;
  const wasActive = active;
  pinned = i === pinned ? -1 : i;
  describe(); // first: it takes room from the outline
  if (pinned >= 0) {
    active = pinned;
    const wasListed = shownAt[pinned] >= 0;
    if (unfoldTo(pinned)) {
      if (!wasListed) draw(true);
      scrollToRow(pinned, isFromPicture);
    }
    picture.reveal(pinned);
  }
  picture.pin(pinned);
  repaint(before, pinned, wasActive, active);
  remember(pinned);
}

function remember(i) {
  try {
    history.replaceState(null, "", i >= 0 && rows.id[i] ? `#${rows.id[i]}` : location.pathname + location.search);
  } catch {
    // A place without a history of its own.
  }
}

function fold(i, isFolded) {
  if (isFolded) folded.add(i);
  else folded.delete(i);
  listRows();
  draw(true);
}

// --- The pinned element

function describe() {
  const panel = $("details");
  panel.replaceChildren();
  if (pinned < 0) {
    const keys = add(panel, "p", "keys");
    for (const [key, what] of [["↑ ↓", "move"], ["← →", "fold, unfold"], ["Enter", "pin"], ["/", "search"], ["c", "copy id"], ["x", "copy XPath"], ["Esc", "let go"]]) {
      const one = add(keys, "span");
      add(one, "kbd", "", key);
      one.append(` ${what}`);
    }
    return;
  }
  const heading = add(panel, "h2");
  add(heading, "span", "role", labelOf(pinned));
  add(heading, "bdi", "", rows.name[pinned]);
  const facts = add(panel, "dl");
  for (const [term, text, isCode] of factsOf(pinned)) {
    if (!text) continue;
    add(facts, "dt", "", term);
    add(add(facts, "dd"), isCode ? "code" : "bdi", "", visible(text));
  }
  const cover = boxOf(pinned)?.coveredBy;
  if (cover) {
    add(facts, "dt", "", "Covered by");
    add(facts, "dd").append(jump(cover));
  }
  const actions = add(panel, "div", "actions");
  const button = (id, label, text) => {
    if (!text) return;
    const node = add(actions, "button", "plain", label);
    node.type = "button";
    node.id = id;
    node.addEventListener("click", () => copy(text, label));
  };
  button("copy-id", "Copy id", rows.id[pinned]);
  button("copy-xpath", "Copy XPath", xpathOf(pinned));
  const close = add(actions, "button", "plain", "Unpin");
  close.type = "button";
  close.id = "unpin";
  close.addEventListener("click", () => { pin(pinned); tree.focus(); });
}

function factsOf(i) {
  const box = boxOf(i);
  const frame = data.frames.find((one) => one.ordinal === rows.frame[i]);
  const hidden = { label: "only a label says the name", offscreen: "off screen", transparent: "transparent", "zero-size": "without size", "cross-origin": "in another site's frame" };
  return [
    ["Id", rows.id[i], true],
    ["XPath", xpathOf(i), true],
    ["Role", roleOf(i) === labelOf(i) ? "" : roleOf(i)],
    ["Value", rows.value[i]],
    ["Description", rows.description[i]],
    ["States", rows.states[i].replaceAll("\n", ", ")],
    ["URL", data.urls[i] || "", true],
    ["Frame", data.frames.length > 1 && frame ? `${frame.ordinal}  ${frame.url}` : "", true],
    ["Place", box === null ? "" : placeOf(box)],
    ["Seen", box !== null && box.provenance ? hidden[box.provenance] || box.provenance : ""],
  ];
}

function placeOf(box) {
  const [x, y, width, height] = box.bounds.map((number) => Math.round(number));
  let words = `${plain(width)} × ${plain(height)} px at ${plain(x)}, ${plain(y)}`;
  if (box.share < 1) words += box.share > 0 ? `; ${Math.max(1, Math.round(box.share * 100))} % of it in view` : "; out of view";
  return words;
}

function jump(id) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = id;
  button.addEventListener("click", () => {
    const i = byId.get(id);
    if (i === undefined) say(`${id} has no row in the outline`);
    else {
      if (!kept[i]) clear();
      if (i !== pinned) pin(i, true);
    }
  });
  return button;
}

async function copy(text, label) {
  let isDone = false;
  try {
    await navigator.clipboard.writeText(text);
    isDone = true;
  } catch {
    const field = add(document.body, "textarea", "", text);
    const before = document.activeElement;
    field.select();
    isDone = document.execCommand("copy");
    field.remove();
    before?.focus();
  }
  say(isDone ? `${label.replace(/^Copy /, "")} copied` : "The browser did not let it be copied");
}

let silence = 0;
function say(words) {
  clearTimeout(silence);
  $("said").textContent = words.charAt(0).toUpperCase() + words.slice(1);
  $("said").classList.add("now");
  silence = setTimeout(() => $("said").classList.remove("now"), 1800);
}

// --- Search and filters

function refresh() {
  wanted.words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  wanted.interactive = $("only-interactive").checked;
  wanted.inView = $("only-in-view").checked;
  const quoted = wanted.words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  wordPattern = quoted.length ? new RegExp(`(${quoted.join("|")})`, "giu") : null;
  const count = filterRows();
  if (active >= 0 && shownAt[active] < 0) active = -1;
  hot = -1;
  picture.hover(-1);
  $("found").textContent = isFiltered() ? `${plain(count)} of ${plain(total)}` : plural(total, "row");
  $("clear").hidden = !isFiltered();
  draw(true);
  if (pinned >= 0 && shownAt[pinned] >= 0) scrollToRow(pinned, true);
  else tree.scrollTop = 0;
  draw(false);
  picture.refresh();
  picture.pin(pinned);
}

function clear() {
  $("search").value = "";
  document.querySelectorAll("#outline .filters input").forEach((input) => { input.checked = false; });
  for (const [id, chosen] of [["roles", wanted.roles], ["frames", wanted.frames]]) {
    chosen.clear();
    tellChosen(id, chosen);
  }
  refresh();
}

function tellChosen(id, chosen) {
  $(id).querySelector("summary .count").textContent = chosen.size ? String(chosen.size) : "";
  $(id).querySelector("summary").classList.toggle("chosen", chosen.size > 0);
}

function buildMenu(id, choices, chosen) {
  const field = $(id).querySelector("fieldset");
  $(id).hidden = choices.length < 2;
  for (const [key, text, count, tip] of choices) {
    const label = add(field, "label");
    const input = add(label, "input");
    input.type = "checkbox";
    input.value = String(key);
    const words = add(label, "span", "", text);
    if (tip) words.title = tip;
    add(label, "span", "count", plain(count));
    input.addEventListener("change", () => {
      if (input.checked) chosen.add(key);
      else chosen.delete(key);
      tellChosen(id, chosen);
      refresh();
    });
  }
}

function countBy(column) {
  const counts = new Map();
  for (const key of column) counts.set(key, (counts.get(key) || 0) + 1);
  return counts;
}

function buildFilters() {
  const roles = [...countBy(rows.role)].sort((a, b) => b[1] - a[1] || (data.roles[a[0]] < data.roles[b[0]] ? -1 : 1));
  buildMenu("roles", roles.map(([role, count]) => [role, data.roles[role], count]), wanted.roles);
  const frames = countBy(rows.frame);
  buildMenu("frames", data.frames.map((frame) => [frame.ordinal, `${frame.ordinal}  ${frame.url || frame.status}`, frames.get(frame.ordinal) || 0, frame.url]), wanted.frames);
  $("interactive-count").textContent = plain(rows.interactive.reduce((sum, one) => sum + one, 0));
  $("in-view-chip").hidden = data.viewport === null;
  $("search").addEventListener("input", refresh);
  $("only-interactive").addEventListener("change", refresh);
  $("only-in-view").addEventListener("change", refresh);
  $("clear").addEventListener("click", () => { clear(); $("search").focus(); });
  document.addEventListener("pointerdown", (event) => {
    document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });
}

// --- Keys and pointer

function onTreeKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = active >= 0 ? shownAt[active] : -1;
  const page = Math.max(1, Math.floor(tree.clientHeight / ROW) - 1);
  const last = shown.length - 1;
  const moves = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: last, PageDown: at + page, PageUp: Math.max(0, at - page) };
  if (event.key in moves) moveTo(shown[Math.min(last, moves[event.key])]);
  else if (active < 0) return;
  else if (event.key === "ArrowRight" && hasBranches(active)) folded.has(active) ? fold(active, false) : moveTo(shown[at + 1]);
  else if (event.key === "ArrowLeft") hasBranches(active) && !folded.has(active) ? fold(active, true) : moveTo(parents[active]);
  else if (event.key === "Enter" || event.key === " ") pin(active);
  else if (event.key === "c" && rows.id[active]) copy(rows.id[active], "Copy id");
  else if (event.key === "x" && xpathOf(active)) copy(xpathOf(active), "Copy XPath");
  else return;
  event.preventDefault();
}

function onKey(event) {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.id !== "search") {
    $("search").focus();
    $("search").select();
    event.preventDefault();
  } else if (event.key === "Escape") {
    const menu = document.querySelector("details.menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    } else if (event.target.id === "search") {
      if ($("search").value) {
        $("search").value = "";
        refresh();
      } else tree.focus();
    } else if (pinned >= 0) {
      pin(pinned);
      tree.focus();
    }
    event.preventDefault();
  } else if (event.target.id === "search" && (event.key === "Enter" || event.key === "ArrowDown")) {
    const first = shown.find((i) => fits[i]);
    tree.focus();
    moveTo(first);
    if (event.key === "Enter" && first !== undefined && first !== pinned) pin(first);
    event.preventDefault();
  }
}

function listenToTree() {
  const rowAt = (event) => Number(event.target.closest?.(".row")?.dataset.row ?? -1);
  tree.addEventListener("scroll", () => draw(false), { passive: true });
  tree.addEventListener("keydown", onTreeKey);
  // Scrolling moves rows below a pointer that rests; only a pointer that moves means one.
  let rested = "";
  tree.addEventListener("mousemove", (event) => {
    const point = `${event.clientX},${event.clientY}`;
    if (point !== rested && rowAt(event) !== hot) hover(rowAt(event), false);
    rested = point;
  });
  tree.addEventListener("mouseleave", () => hover(-1, false));
  tree.addEventListener("click", (event) => {
    const i = rowAt(event);
    if (i < 0) return;
    if (event.target.matches(".twist.open, .twist.shut")) fold(i, !folded.has(i));
    else pin(i);
  });
  tree.addEventListener("focus", () => { if (active < 0 && tree.matches(":focus-visible")) moveTo(pinned >= 0 && shownAt[pinned] >= 0 ? pinned : shown[0]); });
  document.addEventListener("keydown", onKey);
  new ResizeObserver(() => draw(false)).observe(tree);
}

// --- The page around them

function listenToDivider() {
  const divider = $("divider");
  const split = (percent) => {
    const value = Math.max(20, Math.min(80, percent));
    document.documentElement.style.setProperty("--split", `${value}%`);
    divider.setAttribute("aria-valuenow", String(Math.round(value)));
  };
  divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener("pointermove", (event) => { if (divider.hasPointerCapture(event.pointerId)) split((event.clientX / innerWidth) * 100); });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (step) split(Number(divider.getAttribute("aria-valuenow")) + step);
  });
  if (data.picture === null) split(36);
}

function listenToTheme() {
  const themes = ["auto", "light", "dark"];
  const apply = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    $("theme").textContent = `Theme: ${theme}`;
  };
  let theme = "auto";
  try {
    theme = localStorage.getItem("hybridsnap-theme") || theme;
  } catch {
    // A place without storage of its own.
  }
  apply(themes.includes(theme) ? theme : "auto");
  $("theme").addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    apply(theme);
    try {
      localStorage.setItem("hybridsnap-theme", theme);
    } catch {
      // The same.
    }
  });
}

function showHead() {
  $("title").textContent = data.title || "Untitled page";
  $("address").textContent = data.url;
  $("address").title = data.url;
  $("summary").textContent = data.summary;
  $("gaps").hidden = data.gaps.length === 0;
  for (const gap of data.gaps) {
    const item = add($("gaps").querySelector("ul"), "li", "", gap.text);
    if (gap.id && byId.has(gap.id)) item.append(jump(gap.id));
  }
}

showHead();
listenToTheme();
listenToDivider();
buildFilters();
picture.explain();
picture.listen((i) => hover(i, true), (i) => { if (i >= 0) pin(i, true); });
listenToTree();
$("copy-command").addEventListener("click", () => copy($("command").textContent, "Copy commands"));
refresh();
describe();
if (byId.has(location.hash.slice(1))) pin(byId.get(location.hash.slice(1)), true);
