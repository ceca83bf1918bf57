// A distance as a circle on the map, so that a number of metres can be judged by streets.

import { byId, element } from "./dom.js";
import { stretch } from "./geo.js";

export class RadiusCircle {
  #map;
  #node = element("div", { class: "radius-circle", hidden: true });
  #marker;
  #center = null;
  #metres = 0;

  constructor(map) {
    this.#map = map;
    map.addEventListener("moving", () => this.#draw());
    map.addEventListener("move", () => this.#draw());
  }

  // Draws the circle around the middle of the map, where it stays until it is hidden, and brings all of it into view.
  show(metres) {
    const { lng, lat } = this.#map.view.center;
    this.#center ??= [lng, lat];
    this.#metres = metres;
    if (!this.#marker) {
      this.#marker = this.#map.place(this.#node, this.#center);
      this.#node.removeAttribute("aria-label");
      this.#node.setAttribute("aria-hidden", "true");
    }
    this.#marker.setLngLat(this.#center);
    this.#node.hidden = false;
    this.#map.fit(stretch(this.#center, metres * 1.15), this.#covered());
    this.#draw();
  }

  hide() {
    this.#node.hidden = true;
    this.#center = null;
  }

  // How much of the map lies under the panel, beside or below it.
  #covered() {
    const [map, panel] = [this.#map.canvas.getBoundingClientRect(), byId("settings").getBoundingClientRect()];
    const [right, bottom] = [Math.max(0, map.right - panel.left), Math.max(0, map.bottom - panel.top)];
    if (panel.left > map.left && right < 0.65 * map.width) return { right };
    return bottom < 0.75 * map.height ? { bottom } : {};
  }

  #draw() {
    if (!this.#center) return;
    const width = 2 * this.#map.pixels(this.#metres, this.#center[1]);
    this.#node.style.inlineSize = this.#node.style.blockSize = `${Math.min(width, 20_000).toFixed(1)}px`;
  }
}
