// Custom elements: <star-rating> and <quantity-stepper> in open shadow roots, <news-letter> in a closed one.
"use strict";

customElements.define("star-rating", class extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `
      <style>
        fieldset { border: 0; padding: 0; margin: 0 }
        legend { margin-bottom: .4rem }
        label { display: inline-block; padding: .15rem .5rem; cursor: pointer }
        label::before { content: "★ "; color: #b86a17 }
        output { display: block; margin-top: .4rem; min-height: 1.4em; color: #57606f }
      </style>
      <fieldset>
        <legend><slot name="label">Your rating</slot></legend>
        ${[1, 2, 3, 4, 5].map((stars) => `<label><input type="radio" name="stars" value="${stars}">${stars}</label>`).join("")}
        <output></output>
      </fieldset>`;
    root.addEventListener("change", (event) => {
      root.querySelector("output").textContent = `Thank you for ${event.target.value} of 5`;
    });
  }
});

customElements.define("quantity-stepper", class extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `
      <style>
        div { display: inline-flex; border: 1px solid #c9bda6; border-radius: 8px; overflow: hidden; background: #fff }
        button { width: 2.4rem; font: inherit; border: 0; background: #f3ead9; cursor: pointer }
        input { width: 3rem; padding: .45rem; border: 0; font: inherit; text-align: center }
      </style>
      <div role="group"><button type="button" part="less" aria-label="One less">−</button><input type="text" inputmode="numeric" role="spinbutton" value="1" aria-valuenow="1" aria-valuemin="1"><button type="button" part="more" aria-label="One more">+</button></div>`;
    const input = root.querySelector("input");
    const most = Number(this.getAttribute("max")) || 1;
    root.querySelector("div").setAttribute("aria-label", this.getAttribute("label"));
    input.setAttribute("aria-label", this.getAttribute("label"));
    input.setAttribute("aria-valuemax", String(most));
    const set = (value) => {
      input.value = String(Math.min(most, Math.max(1, value || 1)));
      input.setAttribute("aria-valuenow", input.value);
    };
    root.querySelector("[part=less]").addEventListener("click", () => set(this.value - 1));
    root.querySelector("[part=more]").addEventListener("click", () => set(this.value + 1));
    input.addEventListener("change", () => set(this.value));
  }
  get value() {
    return Number(this.shadowRoot.querySelector("input").value);
  }
});

customElements.define("news-letter", class extends HTMLElement {
  #root = null;
  connectedCallback() {
    if (this.#root) return;
    this.#root = this.attachShadow({ mode: "closed" });
    this.#root.innerHTML = `
      <style>
        form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end }
        label { flex: 1 1 12rem }
        input { display: block; width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #c9bda6; border-radius: 8px }
        button { padding: .55rem 1rem; font: inherit; border: 0; border-radius: 8px; color: #fff; background: #22304a; cursor: pointer }
        p { flex: 1 0 100%; margin: 0; min-height: 1.4em; color: #57606f }
      </style>
      <form>
        <label>E-mail for the letter <input type="email" required></label>
        <button>Sign me up</button>
        <p role="status"></p>
      </form>`;
    this.#root.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#root.querySelector("p").textContent = `The next letter goes to ${this.#root.querySelector("input").value}`;
    });
  }
});
