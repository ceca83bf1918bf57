// Collections as trips: the stories in their order, the path between their places on the map, and a walk through them.
// The service gives each viewer what they may see: hidden places have no point, approximate ones the middle of their cell.

import { byId, element } from "./dom.js";
import { covered } from "./drawing.js";
import { kindShape } from "./shapes.js";
import { Panel, allPages, audience, problemWords } from "./panel.js";
import { twice } from "./settings-parts.js";
import { makeTrip } from "./trip-add.js";
import { t, tn } from "./texts.js";
import { dateWords, placeWords } from "./words.js";

export class Trips extends Panel {
  #api;
  #session;
  #drawing;
  #map;
  #trip = null;
  #stops = [];
  #step = null; // the index of the stop that is shown

  constructor(api, session, map, drawing) {
    super("trips", t("Trips"));
    [this.#api, this.#session, this.#map, this.#drawing] = [api, session, map, drawing];
    this.addEventListener("closed", () => this.#leave());
    session.addEventListener("change", () => { this.close({ keepsFocus: true }); this.body.replaceChildren(); });
  }

  get #mine() { return this.#trip?.owner === this.#session.user?.id && this.#session.signedIn; }

  // The list of all trips that the viewer may know of.
  async openList(words = "") {
    this.#leave();
    this.open(t("Trips"));
    this.tell(t("One moment…"));
    try {
      const [trips, families] = await Promise.all([allPages(this.#api, "/v1/collections?limit=100", "collections"), this.#families()]);
      const list = element("ul", { class: "settings-list" }, ...trips.map((trip) => this.#row(trip)));
      const none = trips.length === 0 ? [element("p", {}, t("A trip tells stories one after the other, with its path on the map. There is none yet."))] : [];
      this.body.replaceChildren(...none, list, ...(this.#session.signedIn ? [this.#form(families)] : []));
      this.tell(words);
    } catch (error) {
      this.tell("", error.message);
    }
  }

  #families() { return this.#session.signedIn ? allPages(this.#api, "/v1/families?limit=100", "families") : []; }

  #row(trip) {
    const open = element("button", { type: "button", class: "plain", onclick: () => this.openTrip(trip) }, element("bdi", {}, trip.title));
    const facts = [tn(trip.story_count, "{count} story", "{count} stories"), t("by {name}", { name: trip.owner_name ?? trip.owner })];
    return element("li", { class: "settings-row" }, open, element("span", { class: "hint", dir: "auto" }, facts.join(" · ")));
  }

  #form(families) {
    const name = element("input", { id: "new-trip-name", type: "text", maxlength: "100", autocomplete: "off", dir: "auto", required: true });
    const who = audience("new-trip-audience", families);
    return element("form", { class: "settings-group", novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      if (name.value.trim() === "") { this.tell("", t("Name the trip first.")); return name.focus(); }
      try {
        const title = await makeTrip(this.#api, name.value.trim(), who.chosen());
        await this.openList(t("“{trip}” is made. Put stories into it with “Add to a trip” under each of your stories.", { trip: title }));
      } catch (error) {
        this.tell("", problemWords(error));
        name.focus();
      }
      return undefined;
    } },
    element("h3", {}, t("Make a trip")), element("label", { for: "new-trip-name" }, t("Name"), name), who.row,
    element("p", { class: "hint" }, t("Each story keeps its own level, whoever sees the trip.")),
    element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Make the trip"))));
  }

  // One trip with its path.
  async openTrip(trip, words = "") {
    this.open(trip.title);
    this.tell(t("One moment…"));
    try {
      const path = `/v1/collections/${trip.id}`;
      const [known, stories] = await Promise.all([this.#api.get(path), this.#api.get(`${path}/stories`)]);
      this.#trip = known;
      this.#stops = stories.features;
      this.#step = null;
      this.#showTrip(stories.numberMatched);
      this.#fit();
      this.tell(words);
    } catch (error) {
      this.tell("", error.message);
    }
  }

  #showTrip(matched) {
    const button = (words, action, more = {}) => element("button", { type: "button", class: "plain", onclick: action, ...more }, words);
    const placed = this.#stops.filter(({ geometry }) => geometry).length;
    const facts = [tn(matched, "{count} story", "{count} stories"), tn(placed, "{count} on the map", "{count} on the map"), t("by {name}", { name: this.#trip.owner_name ?? this.#trip.owner })];
    const cut = matched > this.#stops.length ? [element("p", { class: "hint" }, t("The first {count} are shown.", { count: this.#stops.length }))] : [];
    const walk = element("div", { class: "trip-walk", role: "group", "aria-label": t("Walk through the trip") },
      button(t("Back"), () => this.#go(-1), { id: "trip-back" }), element("span", { id: "trip-now", role: "status", dir: "auto" }),
      element("button", { type: "button", class: "primary", id: "trip-next", onclick: () => this.#go(1) }, t("Start")));
    const list = element("ol", { id: "trip-stops", class: "trip-stops" });
    const end = twice(t("Delete this trip"), t("Delete it: press again"), () => this.#delete());
    const empty = this.#stops.length === 0 ? [element("p", {}, t("No story in it is for you to see. Stories come into a trip with “Add to a trip”."))] : [];
    this.body.replaceChildren(
      element("p", { class: "hint", dir: "auto" }, facts.join(" · ")), ...(this.#trip.text ? [element("p", { dir: "auto" }, this.#trip.text)] : []),
      ...(this.#stops.length > 0 ? [walk] : empty), ...cut, list,
      ...(this.#mine && this.#stops.length > 1 ? [element("p", { class: "hint", id: "trip-keys" }, t("Change the order with the buttons, or with Alt and the arrow keys on a story."))] : []),
      element("div", { class: "choices" }, button(t("All trips"), () => this.openList()), this.#mine ? end : null));
    this.#list();
  }

  #list() {
    byId("trip-stops").replaceChildren(...this.#stops.map((stop, index) => this.#stop(stop, index)));
    this.#say();
    this.#draw();
  }

  #stop({ geometry, properties }, index) {
    const place = geometry ? placeWords(properties.location) : t("no place on the map");
    const about = [properties.date ? dateWords(properties.date) : null, place, properties.location?.precision === "approximate" ? t("approximate") : null].filter(Boolean).join(" · ");
    const title = properties.title || t("Untitled");
    const show = element("button", { type: "button", class: "trip-stop", "aria-current": index === this.#step ? "step" : null, "aria-describedby": this.#mine ? "trip-keys" : null,
      onclick: () => this.#show(index), onkeydown: (event) => this.#key(event, index) },
    kindShape(properties.kind), element("span", {}, element("bdi", {}, title), element("span", { class: "hint" }, ` ${about}`)));
    const move = (by, words, sign) => element("button", { type: "button", class: "tool", "aria-label": words, disabled: !this.#stops[index + by], onclick: () => this.#move(index, by, sign) }, element("span", { "aria-hidden": "true" }, sign));
    const tools = this.#mine && this.#stops.length > 1 ? element("span", { class: "trip-tools" }, move(-1, t("Move {story} up", { story: title }), "↑"), move(1, t("Move {story} down", { story: title }), "↓")) : null;
    return element("li", {}, show, tools);
  }

  #key(event, index) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    if (event.altKey && this.#mine) this.#move(index, by, null);
    else byId("trip-stops").children[index + by]?.querySelector(".trip-stop").focus();
  }

  // Moves a stop by one place, and has the service keep the order.
  async #move(index, by, sign) {
    const to = index + by;
    if (!this.#stops[to]) return;
    const before = [...this.#stops];
    [this.#stops[index], this.#stops[to]] = [this.#stops[to], this.#stops[index]];
    this.#step = null;
    this.#list();
    const row = byId("trip-stops").children[to];
    const same = [...row.querySelectorAll(".tool")].find((one) => one.textContent === sign && !one.disabled);
    (sign ? same ?? row.querySelector(".tool:not(:disabled)") : row.querySelector(".trip-stop")).focus();
    try {
      await this.#api.send("PUT", `/v1/collections/${this.#trip.id}/order`, { stories: this.#stops.map(({ id }) => id) });
      this.tell(t("“{story}” is number {number} now.", { story: this.#stops[to].properties.title || t("Untitled"), number: to + 1 }));
    } catch (error) {
      this.#stops = before;
      this.#list();
      this.tell("", t("The order was not changed. {reason}", { reason: problemWords(error) }));
    }
  }

  #go(by) {
    const to = this.#step === null ? (by > 0 ? 0 : null) : this.#step + by;
    if (to !== null && to >= 0 && to < this.#stops.length) this.#show(to);
  }

  #show(index) {
    this.#step = index;
    for (const [at, row] of [...byId("trip-stops").children].entries()) {
      const button = row.querySelector(".trip-stop");
      if (at === index) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (at === index) row.scrollIntoView({ block: "nearest" });
    }
    this.#say();
    this.#draw();
    const { geometry } = this.#stops[index];
    if (!geometry) return;
    const [x, y] = geometry.coordinates;
    this.#map.fit([x - 0.012, y - 0.008, x + 0.012, y + 0.008], covered(this.#map, this.node));
  }

  // Says where in the trip one is.
  #say() {
    const now = byId("trip-now");
    if (!now) return;
    const stop = this.#step === null ? null : this.#stops[this.#step];
    now.textContent = stop ? t("{number} of {count}: {story}", { number: this.#step + 1, count: this.#stops.length, story: stop.properties.title || t("Untitled") }) : "";
    byId("trip-back").disabled = !stop || this.#step === 0;
    byId("trip-next").disabled = this.#step === this.#stops.length - 1;
    byId("trip-next").textContent = stop ? t("Next") : t("Start");
  }

  // The path goes through the places that the viewer is shown, and through no others.
  #draw() {
    const points = this.#stops.flatMap(({ geometry }, index) => (geometry ? [{ number: index + 1, center: geometry.coordinates }] : []));
    this.#drawing?.setTrip(points, this.#step === null ? null : this.#step + 1);
  }

  #fit() {
    const points = this.#stops.flatMap(({ geometry }) => (geometry ? [geometry.coordinates] : []));
    if (points.length === 0 || !this.#map) return;
    const [x, y] = [points.map(([lon]) => lon), points.map(([, lat]) => lat)];
    this.#map.fit([Math.min(...x) - 0.002, Math.min(...y) - 0.002, Math.max(...x) + 0.002, Math.max(...y) + 0.002], covered(this.#map, this.node));
  }

  async #delete() {
    try {
      await this.#api.send("DELETE", `/v1/collections/${this.#trip.id}`);
      await this.openList(t("“{trip}” is deleted. Its stories stay.", { trip: this.#trip?.title ?? "" }));
    } catch (error) {
      this.tell("", error.message);
    }
  }

  #leave() {
    [this.#trip, this.#stops, this.#step] = [null, [], null];
    this.#drawing?.setTrip([]);
  }
}
