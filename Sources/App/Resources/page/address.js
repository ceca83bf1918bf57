// The address of the page: what is shown, so that a link, a bookmark or the back button brings it back.
// `#map=zoom/latitude/longitude` as on openstreetmap.org, the filters by their names in the service, and what is open.

import { permalink } from "./geo.js";

const subjects = ["story", "stories", "family", "place", "list"];
const place = /^-?[\d.]+(,-?[\d.]+){3}$/;

// How an address names a list of stories; undefined for lists that only their own link opens.
export function subjectOf({ ids, family }) {
  if (ids) return ids.length === 1 ? { story: ids[0] } : { stories: ids.join(",") };
  return family ? { family } : undefined;
}

export class Address {
  #filters;

  constructor(filters) { this.#filters = filters; }

  get fields() { return new URLSearchParams(location.hash.replace(/^#/, "")); }

  // Takes the filters from the address.
  restore() { this.#filters.read(this.fields); }

  // What the address opens, besides links of links.js: { box } of a place, or { list: "unplaced" }; null for nothing.
  get subject() {
    const fields = this.fields;
    if (place.test(fields.get("place") ?? "")) return { box: fields.get("place").split(",").map(Number) };
    return fields.get("list") === "unplaced" ? { list: "unplaced" } : null;
  }

  get namesSubject() { return subjects.some((name) => this.fields.has(name)); }

  // Writes what is shown. A change that a reader chose is a step of its own for the back button; moving the map is not.
  write(view, open, isStep) {
    const fields = new URLSearchParams();
    this.#filters.write(fields);
    for (const [name, value] of Object.entries(open ?? {})) fields.append(name, value);
    // The parts of the map and of ids stay readable.
    const rest = fields.toString().replace(/%2C/g, ",");
    const map = view ? permalink(view.zoom, view.center) : "#";
    const hash = rest === "" ? map : map === "#" ? `#${rest}` : `${map}&${rest}`;
    if (hash === location.hash || (hash === "#" && location.hash === "")) return;
    const target = hash === "#" ? location.pathname + location.search : hash;
    if (isStep) history.pushState(null, "", target);
    else history.replaceState(null, "", target);
  }
}
