// A list of choices with numbers: one checkbox a line. Lines keep their places and the focus while the numbers change.

import { element } from "./dom.js";
import { count, stories } from "./words.js";
import { t } from "./texts.js";

export class ChoiceList {
  #words;
  #shape;
  #few;
  #canFind;
  #isOn;
  #choose;
  #rows = new Map(); // value → { row, box, number }
  #list = element("ul", { class: "choice-list" });
  #more = element("button", { type: "button", class: "plain", hidden: true });
  #none = element("p", { class: "hint", hidden: true });
  #showsAll = false;

  constructor({ words = String, shape = null, few = Infinity, canFind = false, isOn, choose }) {
    [this.#words, this.#shape, this.#few, this.#canFind, this.#isOn, this.#choose] = [words, shape, few, canFind, isOn, choose];
    this.#more.addEventListener("click", () => {
      this.#showsAll = true;
      const hidden = [...this.#list.children].find((row) => row.hidden);
      this.#fold();
      hidden?.querySelector("input").focus();
    });
    this.node = element("div", {}, this.#list, this.#none, this.#more);
  }

  // Shows these values and, without a number, the chosen ones that are not among them. `all` counts those that exist.
  update(values, chosen, all) {
    const isComplete = values.length >= all;
    const known = new Set(values.map(({ value }) => value));
    const shown = [...values, ...chosen.filter((value) => !known.has(value)).map((value) => ({ value, count: isComplete ? 0 : null }))];
    const rows = shown.map((entry) => this.#row(entry));
    const keep = new Set(shown.map(({ value }) => value));
    for (const value of [...this.#rows.keys()]) if (!keep.has(value)) this.#rows.delete(value);
    // Moving the line that has the focus would lose it.
    const isUsed = this.#list.contains(document.activeElement);
    const old = [...this.#list.children];
    const isSame = old.length === rows.length && rows.every((row) => old.includes(row));
    if (!(isUsed && isSame)) {
      const focused = isUsed ? document.activeElement : null;
      this.#list.replaceChildren(...rows);
      if (focused?.isConnected) focused.focus();
    }
    this.#none.hidden = shown.length > 0;
    this.#none.textContent = t("None here.");
    this.#fold(all);
  }

  #row({ value, count: number }) {
    let known = this.#rows.get(value);
    if (!known) {
      const box = element("input", { type: "checkbox" });
      box.addEventListener("change", () => this.#choose(value, box.checked));
      const name = element("bdi", { class: "choice-name" });
      const seen = element("span", { class: "choice-count", "aria-hidden": "true" });
      const said = element("span", { class: "unseen" });
      const row = element("li", {}, element("label", { class: "choice" }, box, this.#shape?.(value) ?? null, name, seen, said));
      known = { row, box, name, seen, said };
      this.#rows.set(value, known);
    }
    known.name.textContent = this.#words(value);
    known.box.checked = this.#isOn(value);
    known.seen.textContent = number === null ? "" : count(number);
    known.said.textContent = number === null ? "" : `, ${stories(number)}`;
    known.row.classList.toggle("nothing", number === 0);
    return known.row;
  }

  // Folds long lists; what is chosen stays visible.
  #fold(all = this.#rows.size) {
    let hidden = 0;
    [...this.#list.children].forEach((row, index) => {
      row.hidden = !this.#showsAll && index >= this.#few && !row.querySelector("input").checked;
      if (row.hidden) hidden += 1;
    });
    this.#more.hidden = hidden === 0;
    this.#more.textContent = t("Show {count} more", { count: hidden });
    if (hidden === 0 && all > this.#rows.size) {
      this.#none.hidden = false;
      this.#none.textContent = this.#canFind
        ? t("And {count} more: type a name to find them.", { count: all - this.#rows.size })
        : t("And {count} more with fewer stories.", { count: all - this.#rows.size });
    }
  }
}
