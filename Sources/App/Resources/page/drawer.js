// Fetches the markers of a view and shows them; while the map still moves, those of what comes into view, so that they are
// there when it stops.

import { isAbort } from "./api.js";
import { covers } from "./geo.js";
import { remark } from "./status.js";

const pause = 80; // milliseconds between two looks at a map that moves

export class Drawing {
  #api;
  #parameters;
  #without;
  #asked = { level: null, wideBox: "" };
  #looked = 0;
  #isAsking = false;
  markers = null;
  card = null;

  // `parameters()` are those of the filters; `without(features)` leaves out what is just being deleted.
  constructor(api, parameters, without) { [this.#api, this.#parameters, this.#without] = [api, parameters, without]; }

  // Resolves to true, to false if another request took this one's place, or to the error.
  async draw(view, signal) {
    this.#asked = view;
    try {
      const collection = await this.#api.get("/v1/clusters", { ...this.#parameters(), bbox: view.wideBox, zoom: view.level }, { signal, orLast: true });
      const features = this.#without(collection.features ?? []);
      this.markers.update(features, view.level);
      this.card?.keepIfAmong(features);
      remark("");
      return true;
    } catch (error) {
      return isAbort(error) ? false : error;
    }
  }

  // The map moves. Asks for markers beyond those that were asked for, one request at a time.
  async moving(view, signal) {
    const now = performance.now();
    if (this.#isAsking || now - this.#looked < pause) return;
    this.#looked = now;
    if (view.level === this.#asked.level && covers(this.#asked.wideBox, view.box)) return;
    this.#isAsking = true;
    await this.draw(view, signal); // what fails here is asked for, and said, when the map rests
    this.#isAsking = false;
  }
}
