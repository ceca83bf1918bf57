// The search box for places and stories: a combobox that completes the name of a place being typed and offers the
// stories with these words; Enter goes to the place, or to the stories if there is no such place.

import { byId, debounce, element } from "./dom.js";
import { isAbort } from "./api.js";
import { stories } from "./words.js";
import { pieces, t, tn } from "./texts.js";

const pause = 200; // milliseconds
const shortest = 2; // characters
const longestStart = 300; // bytes that the server completes
const sure = 0.6; // confidence below which people are asked
const most = 6; // candidates offered
// check-texts: "country" "state" "region" "admin1" "county" "admin2" "postcode" "city" "town" "village" "neighbourhood"
// check-texts: "neighborhood" "address" "area" "water" "river" "island" "mountain" "park" "airport" "landmark" "street"
const zooms = { __proto__: null, country: 5, state: 6, region: 6, admin1: 6, county: 9, admin2: 9, postcode: 12, city: 11, town: 12, village: 13, neighbourhood: 14, neighborhood: 14, address: 17, area: 4, water: 7, river: 7, island: 9, mountain: 9, park: 13, airport: 13, landmark: 15, street: 15 };

// The place as shown in the list; one found by another name also shows that name.
const shown = (place) => (place.label || place.name) + (place.matched_name ? ` (${place.matched_name})` : "");

export class PlaceSearch extends EventTarget {
  #api;
  #input = byId("place");
  #options = byId("places");
  #found = [];
  #active = -1;
  #request = null;
  #stories = null; // { words, count } of the stories with the words
  #filters;
  #shown = ""; // the words of the stories listed
  #typed = 0; // how often the text has changed: what was asked for an older text comes too late

  // `filters()` are the parameters that narrow the stories, without the words.
  constructor(api, filters) {
    super();
    this.#api = api;
    this.#filters = filters;
    const complete = debounce(pause, (typed) => { if (typed === this.#typed) this.#complete(); });
    this.#input.addEventListener("input", () => { this.#forget(); complete(this.#typed); });
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    this.#input.addEventListener("focus", () => { if (this.#found.length > 0) this.#open(); });
    this.#options.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
  }

  // While typing: names with this prefix; if there are none, it may be an address or a position.
  async #complete() {
    const query = this.#input.value.trim();
    if (query.length < shortest) return this.#say("");
    await this.#ask(async (get) => {
      const [started] = await Promise.all([get("/v1/suggest", query), this.#countStories(query)]);
      this.#found = started.length > 0 ? started : await get("/v1/geocode", query);
      if (this.#found.length === 0 && !this.#stories) return this.#say(t("Nothing starts like this. Write on, or press Enter to search."));
      this.#say("");
      if (document.activeElement === this.#input) this.#open();
    });
  }

  // On Enter: the first item of the list; without a list the named place, or the first visible match of the prefix.
  async #search() {
    const query = this.#input.value.trim();
    if (query.length === 0) return;
    if (!this.#options.hidden && this.#found.length > 0 && this.#found[0].match_type === "exact" && !this.#found[0].matched_name) return this.#choose(0);
    this.#typed += 1;
    await this.#ask(async (get) => {
      const [named, started] = await Promise.all([get("/v1/geocode", query), get("/v1/suggest", query), this.#countStories(query)]);
      // A fully typed name counts; an alias of another place does not come before prefix matches.
      const isNamed = named.length > 0 && named[0].match_type !== "fuzzy" && named[0].unmatched.length === 0;
      const isVisible = started.length > 0 && started[0].match_type === "exact" && !started[0].matched_name;
      const isAlias = isNamed && Boolean(named[0].matched_name) && isVisible;
      this.#found = (isNamed && !isAlias) || started.length === 0 ? named : started;
      if (this.#found.length === 0 && this.#stories) return this.#chooseStories();
      if (this.#found.length === 0) return this.#say(t("No place called “{query}” is known, and no story here has these words. Try a larger place or another spelling.", { query }));
      this.#say("");
      const [first] = this.#found;
      const isSure = this.#found === started || (first.confidence >= sure && !first.ambiguous);
      if (isSure || this.#found.length === 1) return this.#choose(0);
      this.#open();
      this.#point(0);
    });
  }

  // How many stories have the words; none if the service does not accept them as a search.
  async #countStories(query) {
    const { signal } = this.#request;
    this.#stories = null;
    try {
      const { numberMatched } = await this.#api.get("/v1/stories", { ...this.#filters(), q: query, limit: 1 }, { signal });
      if (numberMatched > 0) this.#stories = { words: query, count: numberMatched };
    } catch (error) {
      if (isAbort(error)) throw error;
    }
  }

  async #ask(action) {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    const get = async (path, query) => {
      if (path === "/v1/suggest" && new TextEncoder().encode(query).length > longestStart) return [];
      const answer = await this.#api.get(path, { q: query, limit: most }, { signal: request.signal });
      return Array.isArray(answer) ? answer.filter((place) => Number.isFinite(place.lat) && Number.isFinite(place.lon)) : [];
    };
    try {
      await action(get);
    } catch (error) {
      if (!isAbort(error)) this.#say(error.message);
    }
  }

  // The text has changed, so results for the old text no longer apply to Enter.
  #forget() {
    this.#request?.abort();
    this.#typed += 1;
    this.#found = [];
    this.#stories = null;
    this.#close();
  }

  #open() {
    this.#active = -1;
    this.#options.replaceChildren(...this.#found.map((place, index) => element("li", {
      id: `place-${index}`, role: "option", "aria-selected": "false", onclick: () => this.#choose(index),
    }, element("span", { class: "place-name", dir: "auto" }, shown(place)), element("span", { class: "place-kind" }, t(String(place.kind ?? "").replace(/_/g, " "))))));
    if (this.#stories) {
      this.#options.append(element("li", {
        id: `place-${this.#found.length}`, role: "option", class: "story-option", "aria-selected": "false", onclick: () => this.#chooseStories(),
      }, element("span", { class: "place-name" }, ...pieces("Stories with {words}", { words: element("bdi", {}, `“${this.#stories.words}”`) })), element("span", { class: "place-kind" }, stories(this.#stories.count))));
    }
    this.#options.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    const places = tn(this.#found.length, "{count} place found.", "{count} places found.");
    byId("live").textContent = this.#stories ? `${places} ${tn(this.#stories.count, "{count} story found.", "{count} stories found.")}` : places;
  }

  #close() {
    this.#options.hidden = true;
    this.#active = -1;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    const open = !this.#options.hidden;
    if (event.key === "Escape" && open) this.#close();
    else if (event.key === "Escape") { this.#input.value = ""; this.#forget(); this.#say(""); }
    else if (event.key === "Enter" && this.#active >= this.#found.length) this.#chooseStories();
    else if (event.key === "Enter" && this.#active >= 0) this.#choose(this.#active);
    else if (event.key === "Enter") this.#search();
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && this.#found.length + (this.#stories ? 1 : 0) > 0) {
      if (!open) this.#open();
      const all = this.#options.children.length;
      this.#point((this.#active + (event.key === "ArrowDown" ? 1 : this.#active < 0 ? 0 : -1) + all) % all);
    } else return;
    event.preventDefault();
  }

  #point(index) {
    this.#active = index;
    [...this.#options.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    this.#input.setAttribute("aria-activedescendant", `place-${index}`);
    this.#options.children[index].scrollIntoView({ block: "nearest" });
  }

  #choose(index) {
    const place = this.#found[index];
    this.#input.value = place.label || place.name;
    this.#forget();
    const area = Array.isArray(place.bbox) && place.bbox.length === 4 && (place.bbox[0] !== place.bbox[2] || place.bbox[1] !== place.bbox[3]);
    this.dispatchEvent(new CustomEvent("choose", { detail: { name: place.label || place.name, center: [place.lon, place.lat], box: area ? place.bbox : null, zoom: zooms[place.kind] ?? 12 } }));
  }

  // Lists the stories with the words; the text stays in the box until it is removed there or as a filter.
  #chooseStories() {
    const { words } = this.#stories;
    this.#forget();
    this.#say("");
    this.dispatchEvent(new CustomEvent("stories", { detail: { words } }));
  }

  // Shows the words of the stories listed, if they changed elsewhere: by a link or by removing the filter.
  show(words) {
    if (words === this.#shown) return;
    if (document.activeElement !== this.#input || words === "") this.#input.value = words;
    this.#shown = words;
  }

  #say(words) { byId("place-state").textContent = words; }
}
