// Exploring: filters, their chips and panel, the order of the list, the search in texts, and stories without a place.

import { byId } from "./dom.js";
import { isAbort } from "./api.js";
import { Chips } from "./chips.js";
import { wrap } from "./geo.js";
import { FilterPanel } from "./filter-panel.js";
import { Filters } from "./filters.js";
import { count } from "./words.js";
import { openSheet } from "./sheet.js";
import { t, tn } from "./texts.js";

export class Explore extends EventTarget {
  #api;
  #session;
  #panel;
  #chips;
  #view;
  #request = null;
  filters = new Filters();

  // `view()` is the part of the map in view: { box, center } with a box as a parameter; null without a map.
  constructor(api, session, view) {
    super();
    [this.#api, this.#session, this.#view] = [api, session, view];
    this.#panel = new FilterPanel(api, session, this.filters, () => this.#question);
    this.#chips = new Chips(this.filters, (filter, value) => this.#panel.name(filter, value));
    this.#panel.addEventListener("names", () => this.#chips.update());
    this.#panel.addEventListener("open", () => openSheet(true));
    this.filters.addEventListener("change", () => {
      this.show();
      this.dispatchEvent(new Event("change"));
    });
    byId("sort").addEventListener("change", () => this.filters.setSort(byId("sort").value));
    byId("unplaced").addEventListener("click", () => this.dispatchEvent(new Event("unplaced")));
  }

  get isPlaying() { return this.#panel.isPlaying; }

  // The parameters of the markers, of live changes and of counts.
  get parameters() { return this.filters.parameters(); }

  // The box of all stories that match; null if there are none, or if the service does not say.
  async wholeBox() {
    try {
      return (await this.#api.get("/v1/bounds", this.parameters)).bbox ?? null;
    } catch { return null; } // the list says what is wrong; the map can still show the world
  }

  // The parameters of the list of stories without a place.
  get unplaced() { return { ...this.parameters, placed: "false" }; }

  // The parameters of a list, with its order.
  get listParameters() {
    const { sort } = this.filters;
    const center = this.#view()?.center;
    if (sort === "nearest" && !center) return this.parameters;
    const near = sort === "nearest" ? `${center.lat.toFixed(5)},${wrap(center.lng).toFixed(5)}` : null;
    return { ...this.parameters, sort: sort || null, near };
  }

  // Shows what is chosen, and counts what each further choice would show.
  show() {
    this.#chips.update();
    // The order unless another is chosen: of stories with the words searched for, the best match first.
    const isSearch = this.filters.text !== "";
    byId("sort").options[0].textContent = isSearch ? t("Best match first") : t("Newest first");
    const newest = byId("sort-newest");
    newest.hidden = newest.disabled = !isSearch;
    byId("sort").value = this.filters.sort === "newest" && !isSearch ? "" : this.filters.sort;
    byId("sort-nearest").hidden = this.#view() === null;
    this.#panel.update();
    this.#countUnplaced();
  }

  // Something is opened in the list.
  makeRoom() { this.#panel.makeRoom(); }

  // The map was moved: only counts in the open panel depend on it.
  moved() { this.#panel.update(); }

  viewerChanged() {
    if (!this.#session.signedIn) this.filters.forgetViewer();
    this.show();
  }

  get #question() {
    const view = this.#view();
    return view ? { bbox: view.box } : {};
  }

  async #countUnplaced() {
    this.#request?.abort();
    const { signal } = (this.#request = new AbortController());
    try {
      const { numberMatched } = await this.#api.get("/v1/stories", { ...this.parameters, placed: "false", limit: 1 }, { signal });
      byId("unplaced").hidden = numberMatched === 0 || this.#view() === null;
      byId("unplaced").textContent = tn(numberMatched, "{count} without a place", "{count} without a place");
    } catch (error) {
      if (!isAbort(error)) byId("unplaced").hidden = true;
    }
  }
}
