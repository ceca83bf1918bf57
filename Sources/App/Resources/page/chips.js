// The filters that are on, as a row of buttons that remove them.

import { byId, element } from "./dom.js";
import { dateWords, kindWord, viewWord } from "./words.js";
import { t } from "./texts.js";

const titles = { __proto__: null, kind: t("kind"), tag: t("topic"), person: t("person"), owner: t("told by"), family: t("family"), collection: t("collection"), view: t("shown"), dates: t("dates"), q: t("text") };

export class Chips {
  #filters;
  #names;

  // `names(filter, value)` is the name of a person or family of the service, if it is known.
  constructor(filters, names) {
    this.#filters = filters;
    this.#names = names;
  }

  update() {
    const entries = this.#filters.entries;
    const row = byId("chips");
    const focused = [...row.querySelectorAll("button")].indexOf(document.activeElement);
    row.replaceChildren(...entries.map((entry) => element("li", {}, this.#chip(entry))));
    if (entries.length > 1) row.append(element("li", {}, element("button", { type: "button", class: "plain", id: "clear-all", onclick: () => this.#clear() }, t("Clear all"))));
    row.hidden = entries.length === 0;
    // The focus moves to the neighbour of the chip that went, or to the button that shows the filters.
    if (focused >= 0) ([...row.querySelectorAll("button")][Math.min(focused, entries.length - 1)] ?? byId("filter-open")).focus();
  }

  #chip(entry) {
    const [title, words] = this.words(entry);
    return element("button", { type: "button", class: "chip", "aria-label": t("Remove: {filter}", { filter: `${title} ${words}`.trim() }), onclick: () => this.#filters.remove(entry) },
      element("span", { class: "chip-title" }, title), " ", element("bdi", {}, words), element("span", { class: "cross", "aria-hidden": "true" }, "×"));
  }

  // The name of a filter and its value, in words.
  words({ name, value }) {
    if (name === "favourites") return [t("favourites only"), ""];
    if (name === "dates") return [titles.dates, rangeWords(...value)];
    if (name === "on") return [t("on this day"), dayOfYearWords(value)];
    if (name === "kind") return [titles.kind, kindWord(value).toLowerCase()];
    if (name === "view") return [titles.view, viewWord(value).toLowerCase()];
    if (name === "q") return [titles.q, `“${value}”`];
    return [titles[name], this.#names(name, value) ?? value];
  }

  #clear() {
    this.#filters.clear();
    byId("filter-open").focus();
  }
}

export function rangeWords(from, to) {
  if (from && to) return dateWords(`${from}/${to}`);
  return from ? t("from {date}", { date: dateWords(from) }) : t("until {date}", { date: dateWords(to) });
}

// "19 June" of "06-19".
const dayOfYearWords = (text) => dateWords(`2000-${text}`).replace(/ 2000$/, "");
