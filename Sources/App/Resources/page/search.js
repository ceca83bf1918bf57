// The search box for places: a combobox that waits for a pause in typing.

import { byId, debounce, element } from "./dom.js";
import { isAbort } from "./api.js";

const pause = 300; // milliseconds
const shortest = 2; // characters
const most = 6; // candidates offered
const zooms = { __proto__: null, country: 5, state: 6, region: 6, admin1: 6, county: 9, admin2: 9, postcode: 12, city: 11, town: 12, village: 13, neighbourhood: 14, neighborhood: 14, address: 17 };

export class PlaceSearch extends EventTarget {
  #api;
  #input = byId("place");
  #options = byId("places");
  #found = [];
  #active = -1;
  #request = null;

  constructor(api) {
    super();
    this.#api = api;
    const ask = debounce(pause, () => this.#ask());
    this.#input.addEventListener("input", () => { this.#close(); ask(); });
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    this.#input.addEventListener("focus", () => { if (this.#found.length > 0) this.#open(); });
    this.#options.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
  }

  async #ask() {
    this.#request?.abort();
    const query = this.#input.value.trim();
    this.#found = [];
    if (query.length < shortest) return this.#say("");
    const request = (this.#request = new AbortController());
    try {
      const answer = await this.#api.get("/v1/geocode", { q: query }, { signal: request.signal });
      this.#found = Array.isArray(answer) ? answer.filter((place) => Number.isFinite(place.lat) && Number.isFinite(place.lon)).slice(0, most) : [];
    } catch (error) {
      return isAbort(error) ? undefined : this.#say(error.message);
    }
    if (this.#found.length === 0) return this.#say(`No place called “${query}” is known. Try a larger place or another spelling.`);
    this.#say("");
    return document.activeElement === this.#input ? this.#open() : undefined;
  }

  #open() {
    this.#active = -1;
    this.#options.replaceChildren(...this.#found.map((place, index) => element("li", {
      id: `place-${index}`, role: "option", "aria-selected": "false", onclick: () => this.#choose(index),
    }, element("span", { class: "place-name", dir: "auto" }, place.label || place.name), element("span", { class: "place-kind" }, String(place.kind ?? "").replace(/_/g, " ")))));
    this.#options.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    byId("live").textContent = this.#found.length === 1 ? "1 place found." : `${this.#found.length} places found.`;
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
    else if (event.key === "Escape") { this.#input.value = ""; this.#found = []; this.#say(""); }
    else if (event.key === "Enter" && this.#found.length > 0) this.#choose(Math.max(0, this.#active));
    else if (event.key === "Enter") this.#ask();
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && this.#found.length > 0) {
      if (!open) this.#open();
      this.#point((this.#active + (event.key === "ArrowDown" ? 1 : this.#active < 0 ? 0 : -1) + this.#found.length) % this.#found.length);
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
    this.#found = [];
    this.#close();
    const area = Array.isArray(place.bbox) && place.bbox.length === 4 && (place.bbox[0] !== place.bbox[2] || place.bbox[1] !== place.bbox[3]);
    this.dispatchEvent(new CustomEvent("choose", { detail: { name: place.label || place.name, center: [place.lon, place.lat], box: area ? place.bbox : null, zoom: zooms[place.kind] ?? 12 } }));
  }

  #say(words) { byId("place-state").textContent = words; }
}
