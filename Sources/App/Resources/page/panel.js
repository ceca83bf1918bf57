// A panel over the map that leaves the map in use: beside it, or on narrow screens at the lower edge.

import { byId, element } from "./dom.js";
import { openSheet } from "./sheet.js";
import { t } from "./texts.js";

let open = null; // one at a time

export class Panel extends EventTarget {
  #opener = null;
  body = element("div", {});
  state = element("p", { class: "panel-state", role: "status" });
  problem = element("p", { class: "field-problem", role: "alert" });

  constructor(id, title) {
    super();
    this.heading = element("h2", { id: `${id}-title`, tabindex: "-1" }, title);
    const close = element("button", { type: "button", class: "plain", onclick: () => this.close() }, t("Close"));
    this.node = element("section", { id, class: "notices settings together", "aria-labelledby": `${id}-title`, hidden: true },
      element("div", { class: "notices-head" }, this.heading, close), this.state, this.problem, this.body);
    byId("settings").after(this.node);
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.stopPropagation();
      this.close();
    });
    // The panels of notifications lie at the same place.
    for (const other of ["bell", "settings-open"]) byId(other).addEventListener("click", () => this.close({ keepsFocus: true }));
  }

  get isOpen() { return !this.node.hidden; }

  open(title) {
    if (open !== this) open?.close({ keepsFocus: true });
    open = this;
    for (const name of ["notices-close", "settings-close"]) if (!byId(name).closest("section").hidden) byId(name).click();
    if (!this.isOpen) this.#opener = document.activeElement;
    this.tell("");
    this.heading.textContent = title;
    openSheet(false); // the map is wanted
    byId("said").textContent = ""; // what was said lies over the panel on narrow screens
    this.node.hidden = false;
    this.heading.focus();
  }

  close({ keepsFocus = false } = {}) {
    if (!this.isOpen) return;
    this.node.hidden = true;
    if (open === this) open = null;
    this.dispatchEvent(new Event("closed"));
    if (keepsFocus) return;
    const isThere = this.#opener?.isConnected && this.#opener.checkVisibility();
    (isThere ? this.#opener : byId("account")).focus();
  }

  // Says what happened, or what is wrong.
  tell(words, problem = "") {
    this.state.textContent = words;
    this.problem.textContent = problem;
  }
}

// The sentences of an error, field by field.
export function problemWords(error) {
  if (!error.fields?.length) return error.message;
  return error.fields.map(({ field, message }) => `${named[field] ?? t("This")} ${message}.`).join(" ");
}

const named = { __proto__: null, get name() { return t("The name"); }, get title() { return t("The title"); }, get radius() { return t("The radius"); }, get family() { return t("The family"); } };

// The choice of who sees something: { row, select, chosen() }; `families` are those of the viewer.
export function audience(id, families, { privacy = "private", family = null } = {}) {
  const options = [["private", t("Only me")], ...(families.length > 0 ? [["family_only", t("All my families")]] : []), ...families.map(({ id: one, name }) => [`family ${one}`, t("The family {name}", { name })])];
  const now = privacy === "family_only" && family ? `family ${family}` : privacy;
  const select = element("select", { id }, ...options.map(([value, words]) => element("option", { value, selected: value === now }, words)));
  const chosen = () => (select.value.startsWith("family ") ? { privacy: "family_only", family: select.value.slice(7) } : { privacy: select.value, family: null });
  return { row: element("label", { class: "settings-row", for: id }, element("span", {}, t("Who sees it")), select), select, chosen };
}

// All entries of a list in pages.
export async function allPages(api, path, name) {
  const found = [];
  let next = path;
  while (next && found.length < 1000) {
    const page = await api.get(next);
    found.push(...page[name]);
    next = page.links?.next ?? null;
  }
  return found;
}
