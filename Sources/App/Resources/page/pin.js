// The pin of a story's place: dragged, moved by the arrow keys or set by a tap; and what others will see of the place.

import { element } from "./dom.js";
import { wrap } from "./geo.js";
import { t } from "./texts.js";

const step = 4; // pixels for an arrow key
const leap = 40; // with Shift
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const mostLatitude = 85.05; // where the map ends

export class Pin extends EventTarget {
  #map;
  #container;
  #node;
  #cellNode = element("div", { class: "cell", "aria-hidden": "true", hidden: true });
  #seenNode = element("div", { class: "cell-seen", "aria-hidden": "true", hidden: true });
  #marker = null;
  #cell = null; // { center, box } as others see it

  // `map` is a StoryMap in `container`.
  constructor(map, container) {
    super();
    [this.#map, this.#container] = [map, container];
    this.#node = element("button", { type: "button", class: "pin" }, drawing());
    this.#node.addEventListener("keydown", (event) => this.#key(event));
    this.#node.addEventListener("click", (event) => event.stopPropagation()); // not a tap on the map under it
    container.append(this.#cellNode, this.#seenNode);
    map.addEventListener("moving", () => this.#draw());
    map.addEventListener("press", ({ detail }) => this.#tell(detail.center));
  }

  get center() { return this.#marker ? this.#point() : null; }

  // Puts the pin at [longitude, latitude]; null removes it.
  set(center) {
    if (!center) {
      this.#marker?.remove();
      this.#marker = null;
      return this.show(null);
    }
    if (this.#marker) {
      this.#marker.setLngLat(center);
    } else {
      this.#marker = this.#map.pin(this.#node, center);
      this.#marker.on("dragend", () => this.#tell(this.#point()));
      this.#node.setAttribute("aria-label", t("Pin of the story. Arrow keys move it, with Shift ten times as far."));
    }
    return undefined;
  }

  // Draws the cell that others see instead of the pin: { center, box }; null for none.
  show(cell) {
    this.#cell = cell;
    this.#draw();
  }

  focus() { if (this.#marker) this.#node.focus(); }

  #point() {
    const { lng, lat } = this.#marker.getLngLat();
    return [wrap(lng), lat];
  }

  #key(event) {
    if (!(event.key in arrows) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // the map would move instead
    const by = event.shiftKey ? leap : step;
    const { x, y } = this.#map.project(this.#marker.getLngLat());
    const { width, height } = this.#map.size;
    const [left, top] = [x + by * arrows[event.key][0], y + by * arrows[event.key][1]];
    const moved = this.#map.unproject([left, top]);
    const center = [moved[0], Math.max(-mostLatitude, Math.min(mostLatitude, moved[1]))];
    this.#marker.setLngLat(center);
    if (left < by || top < by || left > width - by || top > height - by) this.#map.center(center);
    this.#tell(this.#point());
  }

  #tell(center) { this.dispatchEvent(new CustomEvent("moved", { detail: { center } })); }

  #draw() {
    const shown = this.#cell !== null;
    this.#cellNode.hidden = this.#seenNode.hidden = !shown;
    if (!shown) return;
    const { center, box: [west, south, east, north] } = this.#cell;
    // A pin on the other side of the antimeridian is drawn beside a map that has been moved around the world.
    const turns = this.#marker ? 360 * Math.round((this.#marker.getLngLat().lng - center[0]) / 360) : 0;
    const [start, end] = [this.#map.project([west + turns, north]), this.#map.project([east + turns, south])];
    place(this.#cellNode, start.x, start.y);
    this.#cellNode.style.width = `${Math.max(2, end.x - start.x)}px`;
    this.#cellNode.style.height = `${Math.max(2, end.y - start.y)}px`;
    const seen = this.#map.project([center[0] + turns, center[1]]);
    place(this.#seenNode, seen.x, seen.y);
  }
}

// Pixels of the map have no direction of reading.
function place(node, x, y) { node.style.transform = `translate(${x}px, ${y}px)`; }

function drawing() {
  const template = element("template");
  template.innerHTML = '<svg viewBox="0 0 32 44" aria-hidden="true" focusable="false"><path class="pin-body" d="M16 42C16 42 30 26 30 15A14 14 0 1 0 2 15C2 26 16 42 16 42z"/><circle class="pin-hole" cx="16" cy="15" r="5"/></svg>';
  return template.content.firstChild;
}
