// Starts the map with its engine and basemaps, and makes the small maps of dialogs.

import { byId } from "./dom.js";
import { knownPosition } from "./dialogs.js";
import { StoryMap, loadEngine, readyBasemaps } from "./map.js";
import { t } from "./texts.js";
import { SketchMap } from "./sketch.js";

export class MapStart {
  #engine = loadEngine(); // meanwhile the service is asked who is signed in
  #ready = readyBasemaps();
  #look;
  #sets = null; // the basemaps; null without a map

  constructor(look) { this.#look = look; }

  // Resolves to a stand-in for the map, at the linked view, at the reader's position if it is known, or at `findBox()`.
  async sketch(linked, findBox) {
    const [position, box] = await Promise.all([linked ? null : knownPosition(), linked ? null : findBox()]);
    return new SketchMap(byId("canvas"), linked ?? (position ? { center: position, zoom: 11 } : { box }));
  }

  // Resolves to { map } that shows what the sketch does, or to { words } that say why there is none.
  async open(sketch) {
    const [present, sets] = await Promise.all([this.#engine, this.#ready]);
    if (!present) return { words: t("The map engine is missing on this server, so the stories are shown as a list. Running ./scripts/run on the server fetches it.") };
    let map;
    try {
      map = new StoryMap(byId("canvas"), this.#look.current, sketch.start, sets);
    } catch {
      return { words: t("This browser cannot draw the map (WebGL is off or missing), so the stories are shown as a list.") };
    }
    this.#sets = sets;
    byId("zoom-in").addEventListener("click", () => map.zoomBy(1));
    byId("zoom-out").addEventListener("click", () => map.zoomBy(-1));
    this.#look.addEventListener("change", () => map.setLook(this.#look.current));
    return { map };
  }

  // Returns a small map in a container, or null if this browser draws none.
  small(container, center, zoom) {
    if (!this.#sets) return null;
    try {
      return new StoryMap(container, this.#look.current, { center, zoom }, this.#sets.filter(({ kind }) => kind !== "raster"), t("Map around the place"));
    } catch { return null; }
  }
}
