// Images over the map, such as an old map: a switch and a slider for each, shown where it has images; and the sources of
// what is shown of the tiles that the operator added.

import { element } from "./dom.js";
import { t } from "./texts.js";

const bundled = new Set(["land", "names"]); // their sources stand below the list

// The layers of images; `states`: name → { shown, opacity }.
export function overlayLayers(sets, states) {
  return sets.map(({ name, source }) => ({ id: source, type: "raster", source, layout: layout(states.get(name)), paint: paint(states.get(name)) }));
}

const layout = (state) => ({ visibility: state?.shown ? "visible" : "none" });
const paint = (state) => ({ "raster-opacity": state?.opacity ?? 1, "raster-fade-duration": 0 });

export class Overlays {
  // The state of each image: name → { shown, opacity }.
  states;
  #sets;
  #engine;
  #rows = new Map();
  #panel = element("div", { class: "overlays", role: "group", "aria-label": t("Old maps"), hidden: true });
  #credit = element("p", { class: "map-credit", dir: "auto", hidden: true });

  constructor(sets) {
    this.#sets = sets.filter(({ name }) => !bundled.has(name));
    const images = this.#sets.filter(({ kind }) => kind === "raster");
    this.states = new Map(images.map(({ name }) => [name, { shown: true, opacity: 0.8 }]));
    for (const { name } of images) this.#addRow(name, images.length > 1 ? t("Old map: {name}", { name }) : t("Old map"));
  }

  // Shows controls and sources beside `container` for what lies in the view of a map.
  follow(engine, container) {
    if (this.#sets.length === 0) return;
    this.#engine = engine;
    container.after(this.#panel, this.#credit);
    engine.on("moveend", () => this.#update());
    this.#update();
  }

  #addRow(name, title) {
    const state = this.states.get(name);
    const apply = () => {
      const id = `added-${name}`;
      if (!this.#engine?.getLayer(id)) return;
      this.#engine.setLayoutProperty(id, "visibility", layout(state).visibility);
      this.#engine.setPaintProperty(id, "raster-opacity", state.opacity);
    };
    const slider = element("input", {
      type: "range", min: "0", max: "100", step: "5", value: String(state.opacity * 100), "aria-label": t("{title}: how opaque", { title }),
      oninput: ({ target }) => { state.opacity = Number(target.value) / 100; apply(); },
    });
    const box = element("input", {
      type: "checkbox", checked: true,
      onchange: ({ target }) => { state.shown = target.checked; slider.disabled = !target.checked; apply(); this.#update(); },
    });
    const row = element("div", { class: "overlay" }, element("label", {}, box, element("span", { dir: "auto" }, title)), slider);
    this.#rows.set(name, row);
    this.#panel.append(row);
  }

  #update() {
    const zoom = this.#engine.getZoom();
    const view = this.#engine.getBounds();
    const inView = this.#sets.filter(({ bounds: [west, south, east, north], minzoom }) =>
      zoom >= minzoom - 1 && south <= view.getNorth() && north >= view.getSouth() && [-360, 0, 360].some((turn) => west + turn <= view.getEast() && east + turn >= view.getWest()));
    const names = new Set(inView.map(({ name }) => name));
    for (const [name, row] of this.#rows) row.hidden = !names.has(name);
    this.#panel.hidden = ![...this.#rows.keys()].some((name) => names.has(name));
    const shown = inView.filter(({ name }) => this.states.get(name)?.shown ?? true);
    const sources = [...new Set(shown.map(({ attribution }) => attribution))].filter((text) => text !== "");
    this.#credit.textContent = sources.join(" · ");
    this.#credit.hidden = sources.length === 0;
  }
}
