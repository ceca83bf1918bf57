// The fields of a story being written, besides its place and its picture.

import { element } from "./dom.js";
import { privacyShape } from "./shapes.js";
import { kindWord, knownKinds, knownLevels, levelMeaning, levelWord } from "./words.js";
import { t } from "./texts.js";

const lists = ["people", "tags"];
const texts = ["title", "date", "collection", "text"];
const inputs = { __proto__: null, location: "compose-where", "location-precision": "compose-precision" };

export class StoryFields {
  #inputs = {};
  #levels = new Map(); // level → its radio button
  #families = element("select", { id: "compose-family", "aria-describedby": "compose-family-problem" });
  #familyRow = element("div", {}, element("label", { for: "compose-family" }, t("Which family")), this.#families, problem("family"));
  #collections = element("datalist", { id: "compose-collections" });
  #before = {}; // the story as it was
  #filled = {}; // what its inputs held: a line break or space that an input drops is no change

  constructor() {
    const field = (name, label, input, hint = null) => {
      this.#inputs[name] = input;
      input.id = `compose-${name}`;
      input.setAttribute("aria-describedby", `${hint ? `compose-${name}-help ` : ""}compose-${name}-problem`);
      return element("div", {}, element("label", { for: input.id }, label), input,
        hint ? element("p", { id: `compose-${name}-help`, class: "hint" }, hint) : null, problem(name));
    };
    const line = (attributes = {}) => element("input", { type: "text", autocomplete: "off", dir: "auto", ...attributes });
    const levels = element("fieldset", { class: "filter-group", id: "compose-privacy", "aria-describedby": "compose-privacy-problem" }, element("legend", {}, t("Who sees it")),
      ...knownLevels.map((level) => this.#level(level)), problem("privacy"), this.#familyRow);
    this.first = [
      field("title", t("Title"), line({ required: true })),
      field("kind", t("Kind"), element("select")),
      field("text", t("Text"), element("textarea", { rows: "5", dir: "auto", class: "words" })),
      field("date", t("Date"), line(), t("As exactly as you know it: 1936, 1936-05, 1936-05-04, ca. 1920, or 1936/1941.")),
    ];
    this.last = [
      levels,
      field("people", t("People it is about"), element("textarea", { rows: "2", dir: "auto", class: "words" }), t("One on each line.")),
      field("tags", t("Topics"), element("textarea", { rows: "2", dir: "auto", class: "words" }), t("One on each line.")),
      field("collection", t("Collection"), line({ list: "compose-collections" })),
      this.#collections,
    ];
  }

  // Shows a story or the body of a draft; `families` are those of its writer.
  fill(story, families) {
    this.#before = story;
    const kinds = knownKinds.includes(story.kind ?? "photo") ? knownKinds : [...knownKinds, story.kind];
    this.#inputs.kind.replaceChildren(...kinds.map((value) => element("option", { value }, kindWord(value))));
    this.#inputs.kind.value = story.kind ?? "photo";
    for (const name of texts) this.#inputs[name].value = story[name] ?? "";
    for (const name of lists) this.#inputs[name].value = (story[name] ?? []).join("\n");
    this.#filled = Object.fromEntries([...texts, ...lists].map((name) => [name, this.#inputs[name].value]));
    this.#families.replaceChildren(element("option", { value: "" }, t("All my families")),
      ...families.map(({ id, name }) => element("option", { value: id, dir: "auto" }, name)));
    // Without the list of families, a story stays with the one it was given to.
    if (story.family && !families.some(({ id }) => id === story.family)) this.#families.append(element("option", { value: story.family }, t("The family chosen before")));
    this.#families.value = story.family ?? "";
    // Nobody publishes by not choosing.
    this.#levels.get(story.privacy ?? (families.length > 0 ? "family_only" : "private")).checked = true;
    this.#showFamilies();
    this.tell([]);
  }

  suggestCollections(names) { this.#collections.replaceChildren(...names.map((value) => element("option", { value }))); }

  setDate(date) { this.#inputs.date.value = date; }
  get title() { return this.#inputs.title.value.trim(); }

  // The members to send: all that are given for a new story, else those that differ.
  value(isNew) {
    const all = { kind: this.#inputs.kind.value, privacy: this.#privacy, family: null };
    for (const name of texts) all[name] = this.#inputs[name].value.trim() || null;
    for (const name of lists) all[name] = [...new Set(this.#inputs[name].value.split("\n").map((item) => item.trim()).filter(Boolean))];
    if (all.privacy === "family_only") all.family = this.#families.value || null;
    // A level that is not the family's says nothing about the family of a story that has one.
    else if (!isNew) delete all.family;
    all.title ??= "";
    const isChanged = (name, value) => !(name in this.#filled && this.#inputs[name].value === this.#filled[name]) && !isSame(value, this.#before[name]);
    return Object.fromEntries(Object.entries(all).filter(([name, value]) => (isNew ? value !== null && value.length > 0 : isChanged(name, value))));
  }

  // Shows problems { field, message } beside their fields. Returns the first node to go to, and the problems of no field here.
  tell(problems) {
    for (const node of document.querySelectorAll("#compose .field-problem[id$='-problem']")) node.textContent = "";
    for (const node of document.querySelectorAll("#compose [aria-invalid]")) node.removeAttribute("aria-invalid");
    let first = null;
    const others = [];
    for (const { field, message } of problems) {
      const id = `compose-${fieldName(field)}`;
      const place = document.getElementById(`${id}-problem`);
      const input = document.getElementById(inputs[fieldName(field)] ?? id);
      if (!place || !input) { others.push(`${field} ${message}.`.trim()); continue; }
      place.textContent = `${place.textContent} ${this.#sentence(field, message)}`.trim();
      if (!input.matches("fieldset")) input.setAttribute("aria-invalid", "true");
      const target = input.matches("fieldset") ? input.querySelector("input") : input;
      if (!first || target.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING) first = target;
    }
    return { first, others };
  }

  get #privacy() { return [...this.#levels].find(([, input]) => input.checked)[0]; }

  #level(level) {
    const input = element("input", { type: "radio", name: "compose-privacy", value: level });
    input.addEventListener("change", () => this.#showFamilies());
    this.#levels.set(level, input);
    return element("label", { class: "choice" }, input, privacyShape(level),
      element("span", { class: "choice-name" }, `${levelWord(level)}. `, element("span", { class: "hint" }, levelMeaning(level, true))));
  }

  // A problem of an item of a list names it; only what is sent is counted, so its line may be another.
  #sentence(field, message) {
    const [, name, index] = /^(\w+)\[(\d+)\]/.exec(field) ?? [];
    const item = name in this.#inputs ? this.value(true)[name]?.[Number(index)] : undefined;
    const words = item === undefined ? message.charAt(0).toUpperCase() + message.slice(1) : `“${item}” ${message}`;
    return /[.!?]$/.test(words) ? words : `${words}.`;
  }

  #showFamilies() { this.#familyRow.hidden = this.#privacy !== "family_only" || this.#families.length < 3; }
}

function problem(name) { return element("p", { id: `compose-${name}-problem`, class: "field-problem" }); }

// "tags[2]" is of the tags, "location.cell" of the precision, "location.lat" of the place.
function fieldName(field) {
  if (/^location\.(cell|precision|family_sees_exact)/.test(field)) return "location-precision";
  return field.split(/[.[]/)[0];
}

const isSame = (value, before) => JSON.stringify(value ?? null) === JSON.stringify(before ?? (Array.isArray(value) ? [] : null));
