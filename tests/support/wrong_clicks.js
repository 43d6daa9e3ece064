// Stages of presses that would reach the wrong thing, and of changes after which it is still the right one.
// A kind builds its part of the page, and changes it. What a press does is told in `log`, as the page itself
// understands it at that moment: by the data behind the element, or where it leads.
const log = [], stage = document.querySelector("#stage");
const put = (html) => { stage.innerHTML = html; };
const one = (selector, root = stage) => root.querySelector(selector);
const all = (selector, root = stage) => [...root.querySelectorAll(selector)];
const hear = (element, words, type = "click") => element.addEventListener(type, () => log.push(words()));
document.addEventListener("click", (event) => {
  const link = event.composedPath().find((at) => at instanceof HTMLAnchorElement && at.href);
  if (link) { log.push("to " + link.getAttribute("href")); event.preventDefault(); }
});
document.addEventListener("submit", (event) => {
  const by = event.submitter, form = event.target;
  log.push(`sent to ${(by && by.getAttribute("formaction")) || form.getAttribute("action")}`
    + (by && by.name ? ` ${by.name}=${by.value}` : ""));
  event.preventDefault();
});
document.addEventListener("reset", () => log.push("reset"));

// Rows that are drawn into the same nodes each time, as frameworks do that key them by their index.
const rows = (row, list = ["Ann", "Bob", "Cid"], root = stage) => {
  const state = { list: [...list] };
  const wrap = document.createElement("div");
  root.append(wrap);
  const nodes = [];
  state.draw = () => {
    while (nodes.length > state.list.length) nodes.pop().remove();
    state.list.forEach((what, n) => {
      if (!nodes[n]) {
        const holder = document.createElement("template");
        holder.innerHTML = row.trim();
        nodes[n] = holder.content.firstElementChild;
        wrap.append(nodes[n]);
        for (const at of all("[data-does]", nodes[n])) hear(at, () => `${at.dataset.does} ${state.list[n]}`);
        if (nodes[n].dataset.does) hear(nodes[n], () => `${nodes[n].dataset.does} ${state.list[n]}`);
      }
      for (const at of all(".n", nodes[n])) at.firstChild
        ? at.firstChild.data = state.list[n] : at.append(state.list[n]);
      for (const at of all("img", nodes[n])) at.alt = state.list[n];
      for (const at of all(".no", nodes[n])) at.textContent = n + 1;
    });
  };
  state.draw();
  state.nodes = nodes;
  return state;
};
let state;
// Of a kind that changes at an event of the action itself, and so at the same moment each time.
const atItsOwnEvent = () => {};
const removed = (row, list) => ({
  build() { put(""); state = rows(row, list); },
  change() { state.list.shift(); state.draw(); },
});
const DOES = "<button data-does=delete>Delete</button>";
const flat = (before, behind) => ({
  build() {
    put("<h2>People</h2><div id=flat></div>");
    state = { list: ["Ann", "Bob", "Cid"] };
    const box = one("#flat");
    state.list.forEach((_, n) => {
      const text = document.createElement("p"), button = document.createElement("button");
      button.textContent = "Delete";
      hear(button, () => `delete ${state.list[n]}`);
      box.append(...(before ? [text, button] : [button, text]));
    });
    state.draw = () => all("p").forEach((p, n) => { p.textContent = state.list[n] ?? ""; });
    state.draw();
  },
  change() { state.list.shift(); state.draw(); },
});
// The next page, in the same nodes; what each says beside the name stays: another one is in that state.
const turned = (row, list, next, said) => ({
  build() { put(""); state = rows(row, list);
    state.nodes.forEach((at, n) => { for (const i of all("i", at)) i.textContent = said[n]; }); },
  change() { state.list = next; state.draw(); },
  expected: `delete ${list[1]}`,
});
const STATES = ["Paid", "Due", "Paid", "Paid"];
const pressed = (type) => ({
  build() { put(""); state = rows(`<li><b class=n></b> ${DOES}</li>`);
    stage.firstElementChild.addEventListener(type, () => { state.list.shift(); state.draw(); }, { once: true }); },
  change: atItsOwnEvent,
});
const focused = (field) => ({
  build() { put(""); state = rows(`<li><b class=n></b> ${field}</li>`);
    state.nodes.forEach((row, n) => hear(row.lastElementChild, () => `pay ${state.list[n]}`, "input"));
    stage.firstElementChild.addEventListener("focusin", () => { state.list.shift(); state.draw(); }, { once: true }); },
  change: atItsOwnEvent, name: "Amount", role: "textbox", action: "fill", expected: "pay Bob",
});
// The page changes at an event of the row, once: with every such event before it left as it is.
const upon = (type, row, more = {}, skip = 0) => ({
  build() { put(""); state = rows(row);
    const heard = more.hear ?? "click";
    state.nodes.forEach((at, n) => hear(at, () => `delete ${state.list[n]}`, heard));
    let left = skip;
    stage.firstElementChild.addEventListener(type, () => { if (!left--) { state.list.shift(); state.draw(); } }); },
  change: atItsOwnEvent, ...more,
});
// Rows that only the value of a field, or the address of a picture, tells apart.
const told = (row, set) => ({
  build() { put(""); state = rows(row); const draw = state.draw;
    state.draw = () => { draw(); state.list.forEach((who, n) => set(state.nodes[n].firstElementChild, who)); };
    state.draw(); },
  change() { state.list.shift(); state.draw(); },
});
const FOR_DRAGS = "<li draggable=true><b class=n></b> <button>Move</button></li>";
const dragged = (type) => ({
  build() { put(""); state = rows(FOR_DRAGS); let source;
    state.nodes.forEach((row, n) => {
      row.ondragstart = (event) => { source = state.list[n]; event.dataTransfer.setData("text/plain", source); };
      row.ondragover = (event) => event.preventDefault();
      row.ondrop = () => { log.push(`move ${source} to ${state.list[n]}`); };
    });
    const next = () => { state.list.shift(); state.draw(); };
    if (type) stage.firstElementChild.addEventListener(type, next, { once: true }); },
  change: type ? atItsOwnEvent : () => { state.list.shift(); state.draw(); },
  name: "Move", action: "drag", expected: "move Bob to Ann",
});
const ATTACKS = {
  "fields' values tell rows apart": told(`<li><input aria-label=Name> ${DOES}</li>`, (at, who) => { at.value = who; }),
  "the only row, called by itself, becomes another's": {
    build() { put(`<div role=group aria-label=Bob><button>Delete</button></div>`);
      hear(one("button"), () => `delete ${one("div").getAttribute("aria-label")}`); },
    change() { one("div").setAttribute("aria-label", "Cid"); }, nth: 0,
  },
  "at pointerdown, the dragged row changes places": {
    ...dragged(null), change: atItsOwnEvent,
    build() { dragged(null).build();
      const box = stage.firstElementChild;
      box.addEventListener("pointerdown", () => box.append(box.firstElementChild), { once: true }); },
  },
  "pictures' addresses tell rows apart": told(`<li><img width=9 height=9> ${DOES}</li>`,
    (at, who) => { at.src = `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" id="${who}"/>`; }),
  "a field that only its value tells apart": {
    ...told("<li><input aria-label=Name></li>", (at, who) => { at.value = who; }),
    build() { put(""); state = rows("<li><input aria-label=Name></li>"); const draw = state.draw;
      state.nodes.forEach((row, n) => hear(one("input", row), () => `name ${state.list[n]}`, "input"));
      state.draw = () => { draw(); state.list.forEach((who, n) => { one("input", state.nodes[n]).value = who; }); };
      state.draw(); },
    name: "Name", role: "textbox", action: "fill", expected: "name Bob",
  },
  "the only row becomes another's": { ...removed(`<li><b class=n></b> <i>Berlin</i> ${DOES}</li>`, ["Bob"]),
    change() { state.list = ["Cid"]; state.draw(); }, nth: 0 },
  "days of another month": {
    build() { put("<h2>May 2026</h2><div id=days></div>");
      for (let day = 1; day < 32; day++) {
        const button = document.createElement("button");
        button.textContent = day;
        hear(button, () => `${day} ${one("h2").textContent}`);
        one("#days").append(button);
      } },
    change() { one("h2").textContent = "June 2026"; }, name: "14", nth: 0, expected: "14 May 2026",
  },
  "the first of two clicks makes it another's": upon("click", `<li><b class=n></b> <button>Delete</button></li>`,
    { action: "double", hear: "dblclick" }),
  "at mousedown of a right click, the next takes its place": upon("mousedown",
    "<li><b class=n></b> <button>Delete</button></li>", { action: "right", hear: "contextmenu" }),
  "the box of a label becomes another's": {
    ...removed("<li><label><input type=checkbox data-does=delete style='position:absolute;opacity:0'>Delete</label>"
      + " <i class=n></i></li>"), role: "checkbox", action: "check" },
  "as the first key comes, it becomes another's": upon("input", "<li><b class=n></b> <input aria-label=Delete></li>",
    { action: "keys", role: "textbox", hear: "beforeinput", several: true }, 1),
  "at beforeinput, the next takes its place": upon("beforeinput",
    "<li><b class=n></b> <input aria-label=Delete></li>", { action: "fill", role: "textbox", hear: "input" }),
  "at keydown, the next takes its place": upon("keydown", "<li><b class=n></b> <button>Delete</button></li>",
    { action: "press" }),
  "a row is dragged that is another's": dragged(null),
  "at mousedown, another is dragged": dragged("mousedown"),
  "at dragstart, another takes the target's place": dragged("dragstart"),
  "list reuses nodes": removed(`<li><span class=n></span> ${DOES}</li>`),
  "table reuses nodes": removed(`<article><b class=no></b> <i class=n></i> <span>Berlin</span> ${DOES}</article>`),
  "cards reuse nodes": removed(`<div><h3 class=n></h3><p>Some words</p><div><div>${DOES}</div></div></div>`),
  "orders are told apart by numbers": { ...removed(`<li>Order <b class=n></b> ${DOES}</li>`, ["1001", "1002", "1003"]), expected: "delete 1002" },
  "texts end in numbers": { ...removed(`<li><b class=n></b> ${DOES}</li>`, ["Item 1", "Item 2", "Item 3"]), expected: "delete Item 2" },
  "pictures tell rows apart": removed(`<li><img width=9 height=9> ${DOES}</li>`),
  "links tell rows apart": removed(`<li><a class=n href=#same></a> ${DOES}</li>`),
  "two of a name in each row": { ...removed(`<div role=row><span class=n></span><div>${DOES}</div><div>${DOES}</div></div>`), nth: 3 },
  "list items without a name": { ...removed("<li data-does=open tabindex=0><b class=n></b></li>"), role: "listitem", name: "", expected: "open Bob" },
  "texts before, no rows": flat(true),
  "texts behind, no rows": flat(false),
  "checkboxes of one name": { ...removed("<li><input type=checkbox aria-label=Select data-does=delete> <i class=n></i></li>"), role: "checkbox", name: "Select" },
  "icons by title": removed("<li><em class=n></em> <button title=Delete data-does=delete style=width:20px;height:20px></button></li>"),
  "another names this one": {
    build() { put(""); state = rows(`<li><b class=n></b> <i>by Zoe</i> ${DOES}</li>`); },
    change() { const [, row] = state.nodes; row.prepend("Zed"); one(".n", row).firstChild.data = "Cid";
      one("i", row).textContent = "by Bob"; state.list[1] = "Cid"; },
  },
  "a virtual list scrolls on": {
    build() { put(""); state = rows(`<li><b class=n></b> ${DOES}</li>`, ["Ann", "Bob", "Cid", "Dan"]); },
    change() { state.list = ["Eve", "Fay", "Gus", "Hal"]; state.draw(); },
  },
  "a virtual list of numbers": {
    build() { put(""); state = rows(`<li>Row <b class=n></b> ${DOES}</li>`, ["1", "2", "3", "4"]); },
    change() { state.list = ["21", "22", "23", "24"]; state.draw(); }, expected: "delete 2",
  },
  "the list is sorted anew": {
    build() { put(""); state = rows(`<li><b class=n></b> <i>Berlin</i> ${DOES}</li>`); },
    change() { state.list = ["Bob", "Cid", "Ann"]; state.draw(); },
  },
  "orders beside their states": turned(`<li><b class=n></b> <i></i> ${DOES}</li>`,
    ["Order 11", "Order 12", "Order 13", "Order 14"], ["Order 21", "Order 22", "Order 23", "Order 24"], STATES),
  "states before the names": turned(`<li><i></i> <b class=n></b> ${DOES}</li>`,
    ["Ann", "Bob", "Cid", "Dan"], ["Eve", "Fay", "Gus", "Hal"], STATES),
  "names that are buttons": turned(`<li><button class=n></button> <i></i> ${DOES}</li>`,
    ["Ann", "Bob", "Cid", "Dan"], ["Eve", "Fay", "Gus", "Hal"], STATES),
  "a few orders and their states": turned(`<li><b class=n></b> <i></i> ${DOES}</li>`,
    ["Order 11", "Order 12"], ["Order 21", "Order 22"], ["Paid", "Due"]),
  "badges before headings": turned(`<div><i></i><h3 class=n></h3> ${DOES}</div>`,
    ["Ann", "Bob"], ["Eve", "Fay"], ["Paid", "Due"]),
  "numbers in names": turned(`<li><b class=n></b> ${DOES}</li>`, ["Echo", "Pixel 8 Pro", "Hub"],
    ["Nest", "Pixel 9 Pro", "Fold"]),
  "others of the same names": turned(`<li><i></i> <b class=n></b> ${DOES}</li>`,
    ["ann1@x.org", "bob2@x.org", "cid3@x.org"], ["ann4@x.org", "bob5@x.org", "cid6@x.org"], ["Ann", "Bob", "Cid"]),
  "at pointerdown, the next takes its place": pressed("pointerdown"),
  "at mousedown, the next takes its place": pressed("mousedown"),
  "at pointerup, the next takes its place": pressed("pointerup"),
  "at mouseup, the next takes its place": pressed("mouseup"),
  "rows in a shadow root": {
    build() { put("<div id=host></div>"); const root = one("#host").attachShadow({ mode: "open" });
      state = rows(`<li><b class=n></b> ${DOES}</li>`, undefined, root); },
    change() { state.list.shift(); state.draw(); },
  },
  "rows in a closed root": {
    build() { put("<div id=host></div>"); const root = one("#host").attachShadow({ mode: "closed" });
      state = rows(`<li><b class=n></b> ${DOES}</li>`, undefined, root); },
    change() { state.list.shift(); state.draw(); },
  },
  "buttons in rows": removed("<li><b class=n></b> <div><button>Edit</button> <button data-does=delete>Delete</button></div></li>"),
  "texts are swapped": {
    build() { put("<button>Keep</button> <button>Delete</button> <button>Archive</button>");
      for (const at of all("button")) hear(at, () => at.textContent.toLowerCase()); },
    change() { all("button")[1].textContent = "Archive"; all("button")[2].textContent = "Delete"; },
    name: "Delete", expected: "delete", nth: 0,
  },
  "renamed by aria-label": {
    build() { put("<button aria-label=Delete>x</button>");
      hear(one("button"), () => one("button").getAttribute("aria-label").toLowerCase()); },
    change() { one("button").setAttribute("aria-label", "Publish"); },
    name: "Delete", expected: "delete", nth: 0,
  },
  "renamed by what labels it": {
    build() { put("<span id=label>Delete</span><button aria-labelledby=label>x</button>");
      hear(one("button"), () => one("#label").textContent.toLowerCase()); },
    change() { one("#label").textContent = "Publish"; },
    name: "Delete", expected: "delete", nth: 0,
  },
  "renamed by title": {
    build() { put("<button title=Delete></button>"); one("button").style.width = "40px";
      hear(one("button"), () => one("button").title.toLowerCase()); },
    change() { one("button").title = "Publish"; },
    name: "Delete", expected: "delete", nth: 0,
  },
  "a link leads elsewhere": {
    build() { put("<a href=/good>Pay</a>"); }, change() { one("a").href = "/bad"; },
    name: "Pay", expected: "to /good", nth: 0, role: "link",
  },
  "a link around a picture leads elsewhere": {
    build() { put("<a href=/good><img alt=Pay width=20 height=20></a>"); }, change() { one("a").href = "/bad"; },
    name: "Pay", expected: "to /good", nth: 0, role: "image",
  },
  "a form goes elsewhere": {
    build() { put("<form action=/good><button>Pay</button></form>"); },
    change() { one("form").action = "/bad"; },
    name: "Pay", expected: "sent to /good", nth: 0,
  },
  "a button's form goes elsewhere": {
    build() { put("<form action=/good><button>Pay</button></form>"); },
    change() { one("button").setAttribute("formaction", "/bad"); },
    name: "Pay", expected: "sent to /good", nth: 0,
  },
  "a button moves to another form": {
    build() { put("<form action=/good id=good><button>Pay</button></form><form action=/bad id=bad></form>"); },
    change() { one("button").setAttribute("form", "bad"); },
    name: "Pay", expected: "sent to /good", nth: 0,
  },
  "a button becomes a reset": {
    build() { put("<form action=/good><button>Pay</button></form>"); }, change() { one("button").type = "reset"; },
    name: "Pay", expected: "sent to /good", nth: 0,
  },
  "moved": {
    build() { put("<button id=a>Delete</button> <button id=b>Publish</button>");
      for (const at of all("button")) hear(at, () => at.textContent.toLowerCase()); },
    change() { one("#b").after(one("#a")); },
    name: "Delete", expected: "delete", nth: 0,
  },
  "covered": {
    build() { put("<button>Delete</button>"); hear(one("button"), () => "delete"); },
    change() { const over = document.createElement("div"); over.style.cssText = "position:fixed;inset:0";
      hear(over, () => "cover"); hear(over, () => "cover", "mousedown"); stage.append(over); },
    name: "Delete", expected: "delete", nth: 0, wait: 0.5,
  },
  "replaced": {
    build() { put("<button>Delete</button>"); hear(one("button"), () => "delete"); },
    change() { put("<button>Delete</button>"); hear(one("button"), () => "another"); },
    name: "Delete", expected: "delete", nth: 0,
  },
  "taken out, the next moves up": {
    build() { put("<p><button>Delete</button></p><p><button>Publish</button></p>");
      for (const at of all("button")) hear(at, () => at.textContent.toLowerCase()); },
    change() { one("p").remove(); },
    name: "Delete", expected: "delete", nth: 0,
  },
  "fields of one label in rows": {
    ...removed("<li><b class=n></b> <input aria-label=Amount></li>"),
    build() { put(""); state = rows("<li><b class=n></b> <input aria-label=Amount></li>");
      state.nodes.forEach((row, n) => hear(one("input", row), () => `pay ${state.list[n]}`, "input")); },
    name: "Amount", role: "textbox", action: "fill", expected: "pay Bob",
  },
  "a field becomes another's": {
    build() { put("<label>Street <input></label>");
      hear(one("input"), () => one("label").textContent.trim(), "input"); },
    change() { one("label").firstChild.data = "Card number "; },
    name: "Street", role: "textbox", action: "fill", nth: 0, expected: "Street",
  },
  "a field changes its type": {
    build() { put("<label>Code <input type=password></label>"); hear(one("input"), () => one("input").type, "input"); },
    change() { one("input").type = "text"; },
    name: "Code", role: "textbox", action: "fill", nth: 0, expected: "password",
  },
  "selects of one label in rows": {
    build() { put(""); state = rows("<li><b class=n></b> <select aria-label=Role><option>reader<option>5</select></li>");
      state.nodes.forEach((row, n) => hear(one("select", row), () => `role of ${state.list[n]}`, "input")); },
    change() { state.list.shift(); state.draw(); },
    name: "Role", role: "combobox", action: "select", expected: "role of Bob",
  },
  "a field becomes another's as it gets the focus": focused("<input aria-label=Amount>"),
  "a slider becomes another's as it gets the focus": { ...focused("<input type=range aria-label=Amount>"), role: "slider" },
  "a select becomes another's as it gets the focus": {
    ...focused("<select aria-label=Amount><option>reader<option>5</select>"), role: "combobox", action: "select" },
  "Enter on a link that leads elsewhere": {
    build() { put("<a href=/good>Pay</a>"); }, change() { one("a").href = "/bad"; },
    name: "Pay", expected: "to /good", nth: 0, role: "link", action: "press",
  },
  "checking a box in a row": {
    ...removed("<li><input type=checkbox aria-label=Select data-does=delete> <i class=n></i></li>"),
    role: "checkbox", name: "Select", action: "check",
  },
  "swapped as the pointer comes": {
    build() { put("<button>Delete Ann</button> <button>Delete Bob</button>");
      const [a, b] = all("button");
      for (const at of [a, b]) hear(at, () => at.textContent);
      b.addEventListener("mouseover", () => { a.textContent = "Delete Bob"; b.textContent = "Delete Ann"; }); },
    change: atItsOwnEvent, name: "Delete Bob", expected: "Delete Bob", nth: 0,
  },
};

// Rows that keep their nodes, as frameworks do that key them by what they stand for.
const kept = (inner, change, list = ["Ann", "Bob", "Cid"]) => ({
  build() {
    put("<ul id=list></ul>");
    list.forEach((who, n) => {
      const row = document.createElement("li");
      row.innerHTML = inner.replaceAll("WHO", who).replaceAll("NO", n + 1).replaceAll("STATE", STATES[n]);
      one("#list").append(row);
      for (const at of all("[data-does]", row)) hear(at, () => `${at.dataset.does} ${who}`);
    });
  },
  change() { const items = all("li"); change(items[list.indexOf(list[1])], items); },
});
const said = (selector, words) => (row) => { one(selector, row).textContent = words; };
const named = (html, does, change = () => {}) => ({
  build() { put(html); const at = one("button, a"); if (at.localName === "button") hear(at, () => "done");
    does?.(at); },
  change() { change(one("button, a")); },
  expected: "done", nth: 0, name: "Press", role: html.startsWith("<a") ? "link" : "button",
});
const BENIGN = {
  "a counter beside it": kept(`<b>WHO</b> <i>NO new</i> ${DOES}`, said("i", "7 new")),
  "a counter in the text": kept(`<b>WHO (NO new)</b> ${DOES}`, said("b", "Bob (12 new)")),
  "time passes": kept(`<b>WHO</b> <time>just now</time> ${DOES}`, said("time", "1 min ago")),
  "time before the name": kept(`<time>NO min ago</time> <b>WHO</b> ${DOES}`, said("time", "12 min ago")),
  "a clock in the row": kept(`<b>WHO</b> <time>12:30:01</time> ${DOES}`, (row) => {
    setInterval(() => { one("time", row).textContent = new Date().toISOString(); }, 10); }),
  "the price changes": kept(`<h3>Tea for WHO</h3> <span>$NO.50</span> ${DOES}`, said("span", "$19.99")),
  "the state changes": kept(`<b>WHO</b> <i>offline</i> ${DOES}`, said("i", "online")),
  "the state before the name changes": kept(`<i>STATE</i> <b>WHO</b> ${DOES}`, said("i", "Sent")),
  "the last message changes": kept(`<b>WHO</b> <p>message NO of WHO</p> ${DOES}`, said("p", "something else")),
  "a box in the row is ticked": kept(`<input type=checkbox> <b>WHO</b> ${DOES}`,
    (row) => { one("input", row).checked = true; }),
  "text is typed in the row": kept(`<b>WHO</b> <input value=NO> <textarea>a</textarea> ${DOES}`,
    (row) => { one("input", row).value = "9"; one("textarea", row).value = "b"; }),
  "the row is selected": kept(`<b>WHO</b> ${DOES}`,
    (row) => { row.className = "on"; row.setAttribute("aria-selected", "true"); row.style.background = "#eee"; }),
  "a badge comes": kept(`<b>WHO</b> ${DOES}`, (row) => row.prepend("New! ")),
  "a badge comes behind": kept(`<b>WHO</b> ${DOES}`, (row) => row.append("New!")),
  "a badge goes": kept(`<b>WHO</b> <em>New NO</em> ${DOES}`, (row) => one("em", row).remove()),
  "a row above goes": kept(`<b>WHO</b> ${DOES}`, (row, items) => items[0].remove()),
  "a row below goes": kept(`<b>WHO</b> ${DOES}`, (row, items) => items[2].remove()),
  "rows come above": kept(`<b>WHO</b> ${DOES}`, (row, items) => items[0].before(items[0].cloneNode(true))),
  "the rows are sorted": kept(`<b>WHO</b> ${DOES}`, (row, items) => row.parentNode.append(row)),
  "a wrapper comes around the list": kept(`<b>WHO</b> ${DOES}`, () => {
    const box = document.createElement("section"), list = one("#list"); list.before(box); box.append(list); }),
  "a menu of the row opens": kept(`<b>WHO</b> ${DOES}`, (row) => {
    const menu = document.createElement("div"); menu.innerHTML = "<a href=#x>Copy</a> <a href=#y>Move</a>";
    row.append(menu); }),
  "an error shows in the row": kept(`<b>WHO</b> <input> ${DOES}`, (row) => row.append("This field is needed")),
  "a button of the row changes its name": kept(`<b>WHO</b> <button>Follow</button> ${DOES}`,
    (row) => { one("button", row).textContent = "Following"; }),
  "the page above changes": kept(`<b>WHO</b> ${DOES}`, () => stage.prepend("Something new")),
  "as hovered, it says something else": named("<button>Press</button>", (at) => {
    at.onmouseenter = () => { at.textContent = "Unfollow"; }; }),
  "as hovered, it says something else at once": named("<button>Press</button>", (at) => {
    at.onpointerover = () => { at.textContent = "Press?"; }; }),
  "as hovered, a tooltip comes": named("<button title='A tip'>Press</button>", (at) => {
    at.onmouseover = () => { at.removeAttribute("title"); at.setAttribute("aria-describedby", "tip");
      const tip = document.createElement("div"); tip.id = "tip"; tip.textContent = "A tip";
      tip.style.cssText = "position:fixed;top:90%"; stage.append(tip); }; }),
  "as hovered, it opens": named("<button aria-expanded=false>Press</button>", (at) => {
    at.onmouseenter = () => at.setAttribute("aria-expanded", "true"); }),
  "as pressed, it says something else": named("<button>Press</button>", (at) => {
    at.onmousedown = () => { at.textContent = "Press?"; }; }),
  "as pressed, a ripple comes": named("<button>Press</button>", (at) => {
    at.onpointerdown = () => at.append(document.createElement("span")); }),
  "as pressed, the link is rewritten": { ...named("<a href=#x>Press</a>", (at) => {
    at.onmousedown = () => { at.setAttribute("href", "/track?to=x"); }; }), expected: "to /track?to=x" },
  "its class changes": named("<button>Press</button>", null, (at) => { at.className = "on"; at.style.color = "red"; }),
  "a script marks it": named("<button>Press</button>", null, (at) => { at.dataset.seen = "1"; at.id = "other"; }),
  "a field counts what is typed": {
    build() { put("<label>Note <i>0</i> <input></label>");
      hear(one("input"), () => { one("i").textContent = one("input").value.length; return "typed"; }, "input"); },
    change: atItsOwnEvent, name: "Note 0", role: "textbox", nth: 0, action: "fill", expected: "typed",
  },
  "what is typed shows above the field": {
    build() { put(""); state = rows("<article><h3 class=n></h3> <input aria-label=Name></article>");
      state.nodes.forEach((row) => one("input", row).addEventListener("input", () => {
        one("h3", row).textContent = one("input", row).value;
        if (one("input", row).value === "five") log.push("typed"); })); },
    change: atItsOwnEvent, name: "Name", role: "textbox", action: "keys", expected: "typed",
  },
  "the day of the same month": {
    build() { put("<h2>May 2026</h2><i>Chosen: 3 May 2026</i><div id=days></div>");
      for (let day = 1; day < 32; day++) one("#days").append(Object.assign(
        document.createElement("button"), { textContent: day, onclick: () => log.push(`day ${day}`) })); },
    change() { one("i").textContent = "Chosen: 4 May 2026"; }, name: "14", nth: 0, expected: "day 14",
  },
  "the only row gets a badge": { ...kept(`<b>WHO</b> <i>NO new</i> ${DOES}`, (row) => { row.append("New!");
    one("i", row).textContent = "7 new"; }, ["Ann", "Bob", "Cid"]), nth: 1 },
  "the state of the only row changes": { ...kept(`<b>WHO</b> ${DOES} <i>Off</i>`, said("i", "On"), ["Bob"]), nth: 0,
    change() { one("i").textContent = "On"; } },
  "the count before the only control goes up": { ...kept(`<p>WHO 2</p> ${DOES}`, null, ["Bob"]), nth: 0,
    change() { one("p").textContent = "Bob 3"; } },
  "the box that alone is checked is checked no more": {
    build() { kept(`<input type=checkbox aria-label=On> ${DOES}`).build(); all("input")[1].checked = true; },
    change() { all("input")[1].checked = false; }, nth: 1 },
  "a row is dragged": { ...dragged(null), change() { one("b").className = "on"; } },
  "a field's label moves as it is focused": {
    build() { put("<label><span>Note</span> <input></label>"); hear(one("input"), () => "typed", "input");
      one("input").onfocus = () => { one("span").textContent = "Note (optional)"; }; },
    change: atItsOwnEvent, name: "Note", role: "textbox", nth: 0, action: "fill", expected: "typed",
  },
  "as the row is hovered, its actions come": kept(`<b>WHO</b> <time>12:3NO</time> ${DOES}`, (row) => {
    row.onmouseenter = () => { one("time", row).textContent = ""; row.append("Edit"); }; }),
};
const KINDS = { attack: ATTACKS, benign: BENIGN };
const changesByItself = (group, kind) => KINDS[group][kind].change === atItsOwnEvent;
let changed = Promise.resolve();
// Build a kind; how its element is called, which of that name it is, and what its press does.
const begin = (group, kind) => {
  log.length = 0;
  stage.style.marginTop = `${(begin.count = (begin.count ?? 0) + 1) % 2 * 200}px`;  // not under the pointer
  KINDS[group][kind].build();
  return { name: "Delete", role: "button", nth: 1, expected: "delete Bob", action: "click",
    ...JSON.parse(JSON.stringify(KINDS[group][kind])) };
};
// Change it: at once, or after so many milliseconds.
const change = (group, kind, after) => {
  if (after === null) KINDS[group][kind].change();
  else changed = new Promise((done) => setTimeout(() => { KINDS[group][kind].change(); done(); }, after));
};
