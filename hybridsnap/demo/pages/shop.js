// The shop's behaviour. Everything happens on a visitor's action; nothing runs by itself, so a page at rest stays as it is.
"use strict";

const byId = (id) => document.getElementById(id);

// Cart: kept for the tab, so that it comes along to the checkout.
const cart = {
  lines: JSON.parse(sessionStorage.getItem("cart") ?? "[]"),
  add(slug, name, price, quantity) {
    const line = this.lines.find((other) => other.slug === slug);
    if (line) line.quantity += quantity;
    else this.lines.push({ slug, name, price, quantity });
    this.changed();
  },
  remove(slug) {
    this.lines = this.lines.filter((line) => line.slug !== slug);
    this.changed();
  },
  changed() {
    sessionStorage.setItem("cart", JSON.stringify(this.lines));
    showCart();
  },
};

function showCart() {
  const list = byId("cart-items");
  if (!list) return;
  const items = new Map([...list.children].map((item) => [item.dataset.slug, item]));
  for (const [slug, item] of items) if (!cart.lines.some((line) => line.slug === slug)) item.remove();
  for (const line of cart.lines) {
    let item = items.get(line.slug);
    if (!item) {
      item = document.createElement("li");
      item.dataset.slug = line.slug;
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "link";
      remove.textContent = "Remove";
      remove.setAttribute("aria-label", `Remove ${line.name}`);
      remove.addEventListener("click", () => cart.remove(line.slug));
      item.append(document.createElement("span"), remove);
      list.append(item);
    }
    item.firstChild.textContent = `${line.quantity} × ${line.name}, €${(line.quantity * line.price).toFixed(2)}`;
  }
  const count = cart.lines.reduce((sum, line) => sum + line.quantity, 0);
  const total = cart.lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
  byId("cart-count").textContent = String(count);
  byId("cart-total").textContent = `€${total.toFixed(2)}`;
}

// The toast stays until the next one or until it is clicked away.
function showToast(text) {
  const toast = byId("toast");
  toast.textContent = text;
  toast.classList.toggle("shown", text !== "");
}

function wireBuying() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.buy");
    if (!button) return;
    const place = button.closest("tr, article");
    const quantity = Number(place.querySelector("input[type=number], quantity-stepper").value) || 1;
    cart.add(button.dataset.slug, button.dataset.name, Number(button.dataset.price), quantity);
    showToast(`Added to the cart: ${quantity} × ${button.dataset.name}`);
  });
  byId("toast").addEventListener("click", () => showToast(""));
}

// Search: a combobox with a listbox (ARIA practices); Enter or the button narrows the table down.
function wireSearch() {
  const form = byId("search");
  if (!form) return;
  const input = byId("search-text");
  const list = byId("suggestions");
  const options = [...list.children];
  let active = null;

  const mark = (option) => {
    active = option;
    for (const other of options) other.setAttribute("aria-selected", String(other === option));
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
  };
  const setOpen = (open) => {
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (!open) mark(null);
  };
  const narrow = () => {
    const wanted = input.value.trim().toLowerCase();
    for (const option of options) option.hidden = !option.textContent.toLowerCase().includes(wanted);
    setOpen(wanted !== "" && options.some((option) => !option.hidden));
  };
  const choose = (option) => {
    input.value = option.textContent;
    setOpen(false);
    filterTable(input.value);
  };

  input.addEventListener("input", narrow);
  input.addEventListener("blur", () => setOpen(false));
  input.addEventListener("keydown", (event) => {
    const shown = options.filter((option) => !option.hidden);
    if (event.key === "Escape") setOpen(false);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) narrow();
      if (list.hidden) return;
      const step = event.key === "ArrowDown" ? 1 : -1;
      const place = active ? shown.indexOf(active) + step : step === 1 ? 0 : shown.length - 1;
      mark(shown[(place + shown.length) % shown.length]);
      event.preventDefault();
    } else if (event.key === "Enter" && active) {
      choose(active);
      event.preventDefault();
    }
  });
  // On mousedown, before the blur that closes the list.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) choose(option);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setOpen(false);
    filterTable(input.value);
  });
}

function filterTable(text) {
  const rows = [...document.querySelectorAll("#products tbody tr")];
  const wanted = text.trim().toLowerCase();
  for (const row of rows) row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
  const found = rows.filter((row) => !row.hidden).length;
  byId("search-result").textContent = wanted ? `${found} of ${rows.length} products for “${text.trim()}”` : "";
}

function wireSorting() {
  const body = document.querySelector("#products tbody");
  const first = body ? [...body.rows] : [];
  const price = (row) => Number(row.querySelector(".buy").dataset.price);
  const orders = {
    "": (one, other) => first.indexOf(one) - first.indexOf(other),
    name: (one, other) => one.dataset.name.localeCompare(other.dataset.name),
    price: (one, other) => price(one) - price(other),
  };
  byId("sort")?.addEventListener("change", (event) => body.append(...[...first].sort(orders[event.target.value])));
}

function wireTabs() {
  for (const list of document.querySelectorAll("[role=tablist]")) {
    const tabs = [...list.querySelectorAll("[role=tab]")];
    const select = (chosen) => {
      for (const tab of tabs) {
        tab.setAttribute("aria-selected", String(tab === chosen));
        tab.tabIndex = tab === chosen ? 0 : -1;
        byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
      }
    };
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (tab) select(tab);
    });
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
      select(next);
      next.focus();
    });
  }
}

function wireDialogs() {
  byId("open-desk")?.addEventListener("click", () => byId("desk").showModal());
  byId("desk")?.addEventListener("close", () => {
    if (byId("desk").returnValue === "send") showToast("The order desk has your message");
  });
  byId("open-terms")?.addEventListener("click", () => byId("terms").showModal());
}

function wireCheckout() {
  const form = byId("checkout");
  if (!form) return;
  const mixed = form.querySelector("[data-indeterminate]");
  mixed.indeterminate = true;
  form.addEventListener("reset", () => setTimeout(() => { mixed.indeterminate = true; }));
  const gift = byId("gift");
  gift.addEventListener("click", () => gift.setAttribute("aria-checked", String(gift.getAttribute("aria-checked") !== "true")));
  byId("voucher").addEventListener("input", (event) => {
    const valid = event.target.value === "" || event.target.value === "LOOM-10";
    event.target.setAttribute("aria-invalid", String(!valid));
    byId("voucher-note").hidden = valid;
  });
  byId("estimate").addEventListener("click", () => {
    const speed = form.elements.speed.value === "bike" ? "two days" : "five days";
    byId("estimate-text").textContent = `To ${byId("country").selectedOptions[0].text}: ${speed}`;
  });
}

showCart();
wireBuying();
wireSearch();
wireSorting();
wireTabs();
wireDialogs();
wireCheckout();
