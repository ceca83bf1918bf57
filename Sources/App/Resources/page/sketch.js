// The map until its engine has arrived: the view that the engine will show, computed by hand, so that the first markers are
// there a second earlier and stay where they are when the map appears under them.

import { element } from "./dom.js";
import { boxAround, cameraOver, positionOn, unwrapped } from "./geo.js";
import { deepest, fitting, outermost, worldBox } from "./map.js";

export class SketchMap {
  #layer = element("div", { class: "canvas" });
  #camera;

  // `start` is { box } or { zoom, center }, as for the map that follows.
  constructor(container, start) {
    container.after(this.#layer);
    const { size } = this;
    const least = Math.max(outermost(size.width), Math.log2(Math.max(1, size.height) / 512));
    this.#camera = cameraOver(start.center ? start : { box: unwrapped(start.box ?? worldBox), ...fitting(size) }, size, { least, most: deepest });
  }

  // Where the map has to start to show the same.
  get start() { return { zoom: this.#camera.zoom, center: this.#camera.center }; }

  get view() {
    const { zoom, center: [lng, lat] } = this.#camera;
    return { zoom, level: Math.floor(zoom), center: { lng, lat }, box: boxAround(this.#camera, this.size, 0), wideBox: boxAround(this.#camera, this.size, 160) };
  }

  get canvas() { return this.#layer; }
  get size() { return { width: this.#layer.clientWidth, height: this.#layer.clientHeight }; }
  project(center) { return positionOn(this.#camera, this.size, center); }
  keepNamesFrom() { /* no names are drawn yet */ }

  place(node, center) {
    const { x, y } = this.project(center);
    node.classList.add("sketched");
    node.style.transform = `translate(-50%, -50%) translate(${x}px, ${y}px)`;
    this.#layer.append(node);
    return {
      remove() {
        node.remove();
        node.classList.remove("sketched");
        node.style.removeProperty("transform");
      },
    };
  }

  remove() { this.#layer.remove(); }
}
