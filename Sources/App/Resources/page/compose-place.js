// The place of a story being written: found by a name or coordinates, set by a pin on a small map, and what others will
// see of it.

import { isAbort } from "./api.js";
import { debounce, element } from "./dom.js";
import { Pin } from "./pin.js";
import { t, tn } from "./texts.js";

const close = 14; // zoom at a place just chosen
const pause = 150; // milliseconds before the square is asked for
const most = 5; // places offered
const same = 1e-7; // degrees below which a place has not moved
const cells = { __proto__: null, "0.01": [t("about 1 km"), t("Of the date they see the month.")], "0.1": [t("about 11 km"), t("Of the date they see the year.")], "1": [t("about 110 km"), t("Of the date they see the decade.")] };
const precisions = [["exact", t("The exact place")], ["0.01", t("A square of about 1 km")], ["0.1", t("A square of about 11 km")], ["1", t("A square of about 110 km")], ["hidden", t("No place")]];
const zooms = { __proto__: null, "0.01": 12, "0.1": 9, "1": 6 };

export class PlaceField {
  #api;
  #makeMap; // makes a map in a container, or returns null
  #map = null;
  #pin = null;
  #point = null; // { center, source, accuracy }
  #before = null; // the location of the story that is edited
  #showsDates = false; // whether others see the exact date wherever it was
  #request = null;
  #where = element("input", { id: "compose-where", type: "text", inputmode: "search", enterkeyhint: "search", autocomplete: "off", spellcheck: "false", dir: "auto", "aria-describedby": "compose-where-help compose-location-problem" });
  #found = element("ul", { class: "found", "aria-label": t("Places found"), hidden: true });
  #said = element("p", { id: "compose-place-said", class: "place-said", role: "status", dir: "auto" });
  #canvas = element("div", { class: "canvas" });
  #box = element("div", { class: "compose-map", role: "group", "aria-label": t("Map of the story’s place") }, this.#canvas);
  #precision = element("select", { id: "compose-precision", "aria-describedby": "compose-seen compose-location-precision-problem" },
    ...precisions.map(([value, words]) => element("option", { value }, words)));
  #family = element("input", { type: "checkbox", id: "compose-family-exact" });
  #familyRow = element("label", { class: "choice" }, this.#family, element("span", { class: "choice-name" }, t("My families still see the exact place")));
  #seen = element("p", { id: "compose-seen", class: "hint", role: "status" });
  #remove = element("button", { type: "button", class: "plain", id: "compose-place-remove" }, t("Remove the place"));
  #help = element("p", { class: "hint" }, t("Drag the pin, tap the map, or move the pin with the arrow keys."));
  #shown = element("div", {}, this.#box, this.#help,
    element("label", { for: "compose-precision" }, t("Others see")), this.#precision,
    element("p", { id: "compose-location-precision-problem", class: "field-problem" }), this.#familyRow, this.#seen, this.#remove);
  #preview = debounce(pause, () => this.#askCell());

  constructor(api, makeMap) {
    [this.#api, this.#makeMap] = [api, makeMap];
    const find = element("button", { type: "button", class: "pill", id: "compose-find" }, t("Find"));
    find.addEventListener("click", () => this.#find());
    this.#where.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // it would save the story
      this.#find();
    });
    this.#precision.addEventListener("change", () => this.#show({ fits: true }));
    this.#remove.addEventListener("click", () => { this.set(null); this.#where.focus(); });
    this.node = element("fieldset", { class: "filter-group", id: "compose-place" }, element("legend", {}, t("Place")),
      element("label", { for: "compose-where" }, t("Find it by name or coordinates")),
      element("div", { class: "beside" }, this.#where, find),
      element("p", { id: "compose-where-help", class: "hint" }, t("Such as Tuskegee, Alabama, or 32.43, -85.71, or 32°26′N 85°42′W.")),
      this.#found, this.#said, element("p", { id: "compose-location-problem", class: "field-problem" }), this.#shown);
  }

  // Shows the location of a story or of a draft, which is sent whole; null for none.
  fill(location, isNew) {
    this.#before = isNew ? null : location;
    this.#showsDates = location?.date_precision === "exact";
    this.#where.value = "";
    this.#clearFound();
    this.#precision.value = !location || location.precision === "exact" ? "exact" : location.precision === "hidden" ? "hidden" : String(location.cell ?? 0.01);
    this.#family.checked = location?.family_sees_exact ?? false;
    this.set(location ? { center: [location.lon, location.lat], source: location.source, accuracy: location.accuracy } : null, { words: "" });
  }

  // Puts the story at { center, source, accuracy }; null removes its place.
  set(point, { words = null, zoom = close } = {}) {
    this.#point = point;
    this.#shown.hidden = !point; // a map needs a size
    if (point) this.#startMap();
    this.#pin?.set(point?.center ?? null);
    if (point && this.#map) this.#map.show(point.center, this.#zoomFor(zoom));
    this.#said.textContent = words ?? (point ? t("At {place}.", { place: coordinates(point.center) }) : t("The story has no place."));
    this.#show();
  }

  // The location to send: all of it for a new story, else what differs; undefined if nothing does.
  value() {
    if (!this.#point) return this.#before ? null : undefined;
    const { center: [lon, lat], source = "manual", accuracy = null } = this.#point;
    const precision = this.#precision.value;
    const cell = precision in cells ? Number(precision) : null;
    const whole = { lat: round(lat), lon: round(lon), source, accuracy, precision: cell ? "approximate" : precision, ...(cell ? { cell } : {}),
      family_sees_exact: this.#family.checked };
    const old = this.#before;
    if (!old) return whole;
    const moved = Math.abs(old.lat - whole.lat) > same || Math.abs(old.lon - whole.lon) > same;
    const changed = moved || old.precision !== whole.precision || (cell !== null && old.cell !== cell) || Boolean(old.family_sees_exact) !== whole.family_sees_exact;
    if (!changed) return undefined;
    const { lat: toLatitude, lon: toLongitude, source: by, accuracy: within, ...seen } = whole;
    return moved ? { lat: toLatitude, lon: toLongitude, source: by, accuracy: within, ...seen } : seen;
  }

  get center() { return this.#point?.center ?? null; }

  // Frees the map; the next place makes another.
  close() {
    this.#request?.abort();
    this.#pin?.set(null);
    this.#map?.remove();
    [this.#map, this.#pin] = [null, null];
    this.#canvas = element("div", { class: "canvas" });
    this.#box.replaceChildren(this.#canvas);
  }

  #startMap() {
    if (this.#map) return;
    this.#box.hidden = this.#help.hidden = false;
    this.#map = this.#makeMap(this.#canvas, this.#point.center, close);
    this.#box.hidden = this.#help.hidden = this.#map === null;
    if (!this.#map) return;
    this.#pin = new Pin(this.#map, this.#canvas);
    this.#pin.addEventListener("moved", ({ detail: { center } }) => {
      this.#point = { center, source: "manual", accuracy: null };
      this.#pin.set(center);
      this.#said.textContent = t("Moved to {place}.", { place: coordinates(center) });
      this.#show();
    });
  }

  // What others see, in words and on the map.
  #show({ fits = false } = {}) {
    const precision = this.#precision.value;
    this.#familyRow.hidden = precision === "exact";
    this.#request?.abort();
    if (!(precision in cells)) this.#drawCell(null);
    this.#seen.textContent = this.#seenWords;
    if (!this.#point) return;
    if (fits && this.#map) this.#map.show(this.#point.center, this.#zoomFor(close));
    if (precision in cells) this.#preview();
  }

  get #seenWords() {
    const precision = this.#precision.value;
    const date = (words) => (this.#showsDates ? "" : ` ${words}`);
    if (precision === "exact") return t("Everyone who may see the story sees exactly this place.");
    if (precision === "hidden") return `${t("Others see no place at all. It is on your own map alone.")}${date(t("Of the date they see the year."))}`;
    const [size, span] = cells[precision];
    return `${t("Others see a square of {size}, with the marker in its middle wherever in it the pin is.", { size })}${date(span)}`;
  }

  #zoomFor(zoom) { return Math.min(zoom, zooms[this.#precision.value] ?? zoom); }

  // The service says which square it would show.
  async #askCell() {
    const cell = this.#precision.value;
    if (!this.#point || !(cell in cells)) return;
    const [lon, lat] = this.#point.center;
    this.#request?.abort();
    const { signal } = (this.#request = new AbortController());
    try {
      const { lat: y, lon: x, bbox } = await this.#api.get("/v1/approximate-cell", { lat: round(lat), lon: round(lon), cell }, { signal });
      this.#drawCell({ center: [x, y], box: bbox });
      this.#seen.textContent = this.#seenWords;
    } catch (error) {
      if (isAbort(error)) return;
      this.#drawCell(null);
      this.#seen.textContent = `${this.#seenWords} ${t("The square cannot be drawn just now. {why}", { why: error.message })}`;
    }
  }

  #drawCell(cell) {
    this.#pin?.show(cell);
    this.#box.classList.toggle("unseen-place", this.#precision.value === "hidden");
  }

  async #find() {
    const query = this.#where.value.trim();
    this.#clearFound();
    if (query === "") return void (this.#said.textContent = t("Type a name or coordinates first."));
    try {
      const places = await this.#api.get("/v1/geocode", { q: query, limit: most });
      if (this.#where.value.trim() !== query) return;
      if (places.length === 0) return void (this.#said.textContent = t("No place called “{query}” is known. Try a larger place or another spelling.", { query }));
      if (places.length === 1) return this.#choose(places[0]);
      this.#said.textContent = tn(places.length, "{count} place found. Choose it.", "{count} places found. Choose one.");
      this.#found.replaceChildren(...places.map((place) => element("li", {},
        element("button", { type: "button", class: "found-place", onclick: () => this.#choose(place) }, element("bdi", {}, place.label || place.name)))));
      this.#found.hidden = false;
      this.#found.querySelector("button").focus();
    } catch (error) {
      this.#said.textContent = error.what ?? error.message;
    }
  }

  #choose(place) {
    const had = this.#found.contains(document.activeElement);
    this.#clearFound();
    this.set({ center: [place.lon, place.lat], source: "manual", accuracy: null }, { words: t("At {place}. Move the pin if it belongs elsewhere.", { place: place.label || place.name }) });
    if (had) (this.#pin ?? this.#where).focus();
  }

  #clearFound() {
    this.#found.replaceChildren();
    this.#found.hidden = true;
  }
}

const round = (degrees) => Number(degrees.toFixed(7)); // a centimetre

export function coordinates([lon, lat]) {
  return `${Math.abs(lat).toFixed(5)}° ${lat < 0 ? "S" : "N"}, ${Math.abs(lon).toFixed(5)}° ${lon < 0 ? "W" : "E"}`;
}
