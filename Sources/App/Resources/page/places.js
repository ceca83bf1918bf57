// Named places: areas with a name of the viewer's or their family's, drawn on the map, made and changed in a panel.

import { debounce, element } from "./dom.js";
import { covered } from "./drawing.js";
import { middleOf, stretch } from "./geo.js";
import { Panel, allPages, audience, problemWords } from "./panel.js";
import { twice } from "./settings-parts.js";
import { t } from "./texts.js";

const closest = 8; // the zoom from which on places are drawn: they are streets wide
const most = 100; // places drawn at once
const path = "/v1/named-places";

export class NamedPlaces extends Panel {
  #api;
  #session;
  #map;
  #drawing;
  #draft = null;
  #request = null;

  constructor(api, session, map, drawing) {
    super("named-places", t("Named places"));
    [this.#api, this.#session, this.#map, this.#drawing] = [api, session, map, drawing];
    this.addEventListener("closed", () => this.#leave());
    map.addEventListener("move", debounce(250, () => this.show()));
    map.addEventListener("press", ({ detail }) => { if (this.#draft) this.#moveTo(detail.center); });
    session.addEventListener("change", () => {
      this.close({ keepsFocus: true });
      this.body.replaceChildren();
      drawing.setPlaces([]);
      this.show();
    });
    this.show();
  }

  // Draws the places in view.
  async show() {
    const { box, zoom } = this.#map.view;
    this.#request?.abort();
    if (zoom < closest || this.#session.link.isOpen) return this.#drawing.setPlaces([]);
    const { signal } = (this.#request = new AbortController());
    try {
      const { named_places: places } = await this.#api.get(path, { bbox: box, limit: most }, { signal });
      if (!signal.aborted) this.#drawing.setPlaces(places.filter(({ id }) => id !== this.#draft?.id));
    } catch { /* what is drawn stays; the list says what is wrong */ }
    return undefined;
  }

  async openList(words = "") {
    this.#leave();
    this.open(t("Named places"));
    this.tell(t("One moment…"));
    try {
      const places = await allPages(this.#api, `${path}?limit=100`, "named_places");
      const list = element("ul", { class: "settings-list" }, ...places.map((place) => this.#row(place)));
      const add = element("button", { type: "button", class: "primary", id: "name-area", onclick: () => this.edit() }, t("Name an area"));
      this.body.replaceChildren(
        element("p", {}, t("Give a house, a farm or a corner the name your family uses. Notifications of stories there say it, and the map shows it to those who may see it.")),
        element("div", { class: "choices" }, add), list);
      this.tell(words);
    } catch (error) {
      this.tell("", error.message);
    }
  }

  #row(place) {
    const own = place.owner === this.#session.user?.id;
    const button = (words, action) => element("button", { type: "button", class: "plain", "aria-describedby": `place-${place.id}`, onclick: action }, words);
    const seen = { private: t("only you"), family_only: t("family"), public: t("everybody") }[place.privacy];
    return element("li", {}, element("span", { id: `place-${place.id}` }, element("bdi", {}, place.name),
      element("span", { class: "hint" }, ` · ${t("{metres} m around", { metres: Math.round(place.radius) })} · ${own ? seen : t("of your family")}`)),
    element("div", { class: "choices" }, button(t("Show"), () => this.#fit(place)),
      ...(own ? [button(t("Change"), () => this.edit(place)), this.#removal(place)] : [])));
  }

  #removal(place) {
    const button = twice(t("Remove"), t("Remove it: press again"), async () => {
      try {
        await this.#api.send("DELETE", `${path}/${place.id}`);
      } catch (error) {
        if (error.status !== 404) return this.tell("", error.message);
      }
      await this.openList(t("“{place}” is no longer named.", { place: place.name }));
      return this.show();
    });
    button.setAttribute("aria-describedby", `place-${place.id}`);
    return button;
  }

  // The form for a new place in the middle of the map, or for one that is there.
  async edit(place = null) {
    this.open(place ? t("Change a named place") : t("Name an area"));
    const [lon, lat] = middleOf(this.#map.view);
    this.#draft = place ? { ...place } : { name: "", lat, lon, radius: 75 };
    const families = await allPages(this.#api, "/v1/families?limit=100", "families").catch(() => []);
    if (!this.#draft) return;
    const name = element("input", { id: "place-name", type: "text", maxlength: "100", autocomplete: "off", dir: "auto", value: this.#draft.name });
    const size = element("output", { for: "place-radius" });
    const radius = element("input", { id: "place-radius", type: "range", min: "10", max: "500", step: "5", value: String(this.#draft.radius), "aria-label": t("Radius in metres") });
    const who = audience("place-audience", families, place ?? undefined);
    const update = () => {
      this.#draft = { ...this.#draft, name: name.value.trim(), radius: Number(radius.value) };
      size.textContent = t("{metres} m", { metres: this.#draft.radius });
      radius.setAttribute("aria-valuetext", size.textContent);
      this.#drawing.setDraft(this.#draft);
    };
    for (const field of [name, radius]) field.addEventListener("input", update);
    radius.addEventListener("change", () => this.#fit(this.#draft));
    const here = element("button", { type: "button", class: "plain", onclick: () => this.#moveTo(this.#middle()) }, t("Move it to the middle of the map"));
    const form = element("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); this.#save(place, who.chosen(), name); } },
      element("label", { for: "place-name" }, t("Name"), name),
      element("p", { class: "hint" }, t("Press on the map where it is, or move the map and use the button.")), here,
      element("div", { class: "settings-row" }, element("label", { for: "place-radius" }, t("Radius")), size), radius, who.row,
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, place ? t("Save") : t("Name it")),
        element("button", { type: "button", class: "plain", onclick: () => this.openList() }, t("Cancel"))));
    this.body.replaceChildren(form);
    update();
    this.show();
    this.#fit(this.#draft);
    name.focus();
  }

  // The middle of the part of the map that the panel does not cover.
  #middle() {
    const { width, height } = this.#map.size;
    const { right = 0, bottom = 0 } = covered(this.#map, this.node);
    return this.#map.unproject([(width - right) / 2, (height - bottom) / 2]);
  }

  #moveTo([lon, lat]) {
    this.#draft = { ...this.#draft, lon, lat };
    this.#drawing.setDraft(this.#draft);
    this.tell(t("The area is moved."));
  }

  async #save(place, { privacy, family }, name) {
    const { lat, lon, radius } = this.#draft;
    if (name.value.trim() === "") {
      this.tell("", t("Name the area first."));
      return name.focus();
    }
    const body = { name: name.value.trim(), lat, lon, radius, privacy, family };
    try {
      if (place) await this.#api.send("PATCH", `${path}/${place.id}`, body);
      else await this.#api.send("POST", path, body);
    } catch (error) {
      return this.tell("", problemWords(error));
    }
    await this.openList(t("“{place}” is on the map.", { place: body.name }));
    return this.show();
  }

  #fit({ lat, lon, radius }) { this.#map.fit(stretch([lon, lat], radius * 2.2), { ...covered(this.#map, this.node), closest: 17 }); }

  #leave() {
    const hadDraft = this.#draft !== null;
    this.#draft = null;
    this.#drawing.setDraft(null);
    if (hadDraft) this.show();
  }
}
