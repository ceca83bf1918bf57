// The panel in which a reader chooses filters, each choice with the exact number of stories that it would show.

import { byId, debounce, element } from "./dom.js";
import { isAbort } from "./api.js";
import { ChoiceList } from "./choices.js";
import { Histogram, bins } from "./histogram.js";
import { kindShape } from "./shapes.js";
import { kindWord, knownViews, stories, viewWord } from "./words.js";
import { t, tn } from "./texts.js";

const most = 200; // values of a facet that the service lists
const few = 8; // choices of a list that are shown at once
const narrow = matchMedia("(max-width: 48rem)");
const pause = 200; // milliseconds of typing before names are looked up

export class FilterPanel extends EventTarget {
  #api;
  #session;
  #filters;
  #question;
  #names = { owner: new Map(), family: new Map() };
  #lists = {};
  #histogram;
  #request = null;
  #state = element("p", { class: "hint", role: "status" });
  #favourites = null;

  // `question()` is the part of the map that counts are for: parameters of a request.
  constructor(api, session, filters, question) {
    super();
    this.#api = api;
    this.#session = session;
    this.#filters = filters;
    this.#question = question;
    this.#histogram = new Histogram(filters);
    this.#build();
    byId("filter-open").addEventListener("click", () => (this.isOpen ? this.close() : this.open()));
    byId("filters").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  get isOpen() { return !byId("filters").hidden; }
  get isPlaying() { return this.#histogram.playing; }

  // The name of an owner or a family, if an answer has named it.
  name(filter, value) { return this.#names[filter]?.get(value) ?? null; }

  open() {
    byId("filters").hidden = false;
    byId("filter-open").setAttribute("aria-expanded", "true");
    byId("stories").classList.add("filtering");
    this.dispatchEvent(new Event("open"));
    byId("filters-title").focus();
    return this.update();
  }

  close() {
    this.#hide();
    byId("filter-open").focus();
  }

  // On narrow screens the panel covers the list: it makes room for what is opened there.
  makeRoom() {
    if (this.isOpen && narrow.matches) this.#hide();
  }

  #hide() {
    this.#histogram.stop();
    byId("filters").hidden = true;
    byId("filter-open").setAttribute("aria-expanded", "false");
    byId("stories").classList.remove("filtering");
  }

  // Counts again, if the panel is open or a chip has no name yet.
  async update() {
    const on = this.#filters.count;
    byId("filter-open").textContent = on === 0 ? t("Filter") : t("Filter ({count})", { count: on });
    byId("filter-open").setAttribute("aria-label", on === 0 ? t("Filter") : tn(on, "Filter, {count} active", "Filter, {count} active"));
    const isNameless = this.#filters.entries.some(({ name, value }) => name in this.#names && !this.#names[name].has(value));
    if (!this.isOpen && !isNameless) return;
    this.#request?.abort();
    const { signal } = (this.#request = new AbortController());
    const parameters = { ...this.#question(), ...this.#filters.parameters() };
    try {
      const facets = await this.#api.get("/v1/facets", { ...parameters, limit: most }, { signal });
      this.#showFacets(facets);
      if (!this.isOpen) return;
      const asked = { ...this.#question(), ...this.#filters.parameters("from", "to"), bins };
      const [histogram] = await Promise.all([this.#api.get("/v1/histogram", asked, { signal }), this.#find("tag", signal), this.#find("person", signal)]);
      this.#histogram.update(histogram);
      this.#state.textContent = "";
    } catch (error) {
      if (!isAbort(error)) this.#state.textContent = t("The numbers could not be counted. {why}", { why: error.message });
    }
  }

  #build() {
    const filters = this.#filters;
    const list = (name, options) => (this.#lists[name] = new ChoiceList({ ...options, isOn: (value) => filters.has(name, value), choose: (value, on) => filters.set(name, value, on) }));
    const group = (name, title, options, ...more) => {
      const choices = list(name, options);
      return (this.#lists[name].group = element("fieldset", { class: "filter-group" }, element("legend", {}, title), ...more, choices.node));
    };
    this.#favourites = new ChoiceList({ words: () => t("Only my favourites"), isOn: () => filters.favourites, choose: (_, on) => filters.setFavourites(on) });
    const dates = element("fieldset", { class: "filter-group" }, element("legend", {}, t("Dates")), ...this.#histogram.nodes);
    byId("filters-body").append(this.#state, dates,
      group("kind", t("Kind"), { words: kindWord, shape: kindShape }),
      group("tag", t("Topic"), { few, canFind: true }, this.#finder("tag", t("Find a topic"))),
      group("person", t("Person"), { few, canFind: true }, this.#finder("person", t("Find a person"))),
      group("view", t("Show"), { words: viewWord }, this.#favourites.node),
      group("owner", t("Told by"), { words: (value) => this.name("owner", value) ?? value, few }),
      group("family", t("Family"), { words: (value) => this.name("family", value) ?? value, few }),
      group("collection", t("Collection"), { few }));
    byId("filters-done").addEventListener("click", () => this.close());
    byId("filters-clear").addEventListener("click", () => { filters.clear(); byId("filters-title").focus(); });
  }

  // A box that looks up names as they are typed.
  #finder(name, label) {
    const input = element("input", { type: "search", class: "finder", "aria-label": label, placeholder: label, autocomplete: "off", spellcheck: "false", maxlength: "100", dir: "auto" });
    this.#lists[`${name}-finder`] = input;
    const look = debounce(pause, async () => {
      try {
        await this.#find(name, this.#request?.signal);
      } catch (error) {
        if (!isAbort(error)) this.#state.textContent = error.message;
      }
    });
    input.addEventListener("input", look);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || input.value === "") return;
      event.stopPropagation();
      input.value = "";
      look();
    });
    return input;
  }

  async #find(name, signal) {
    const prefix = this.#lists[`${name}-finder`].value.trim();
    const parameters = { ...this.#question(), ...this.#filters.parameters(), prefix, limit: 50 };
    const found = await this.#api.get(name === "tag" ? "/v1/tags" : "/v1/people", parameters, { signal });
    if (this.#lists[`${name}-finder`].value.trim() !== prefix) return;
    this.#lists[name].update(found.values, prefix === "" ? this.#filters.values(name) : [], found.numberMatched);
  }

  #showFacets(facets) {
    for (const { value, name } of facets.owners.values) this.#names.owner.set(value, name ?? value);
    for (const { value, name } of facets.families.values) this.#names.family.set(value, name ?? value);
    for (const name of ["owner", "family"]) for (const value of this.#filters.values(name)) if (!this.#names[name].has(value)) this.#names[name].set(value, value);
    this.dispatchEvent(new Event("names"));
    const show = (name, { values, numberMatched }) => this.#lists[name].update(values, this.#filters.values(name), numberMatched);
    show("kind", facets.kinds);
    show("owner", facets.owners);
    show("family", facets.families);
    show("collection", facets.collections);
    const signedIn = this.#session.signedIn;
    const views = knownViews.filter((view) => signedIn || view === "shared");
    this.#lists.view.update(views.map((value) => ({ value, count: facets.views.values.find((one) => one.value === value)?.count ?? 0 })), [], views.length);
    this.#favourites.update([{ value: "true", count: facets.favourites }], [], 1);
    this.#lists.view.group.hidden = !signedIn;
    this.#lists.family.group.hidden = facets.families.values.length === 0 && this.#filters.values("family").length === 0;
    this.#lists.collection.group.hidden = facets.collections.values.length === 0 && this.#filters.values("collection").length === 0;
    byId("filters-done").textContent = tn(facets.numberMatched, "Show {count} story", "Show {count} stories");
  }
}
