// What belongs to the map and is no story: named places as circles, and the path of a trip. Drawn as SVG between the map
// and its markers, so that the page's colours and forced colours hold. Lists say the same in words.

const smallest = 6; // pixels of a circle's radius
const labelled = 11; // the zoom from which on places have their names

function drawn(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export class MapDrawing {
  #map;
  #picture = drawn("svg", { class: "map-drawing", "aria-hidden": "true" });
  #places = [];
  #draft = null;
  #stops = [];
  #step = null;

  constructor(map) {
    this.#map = map;
    map.canvas.after(this.#picture);
    for (const name of ["moving", "move"]) map.addEventListener(name, () => this.#draw());
  }

  // Named places: [{ name, lat, lon, radius }].
  setPlaces(places) {
    this.#places = places;
    this.#draw();
  }

  // The circle that is being chosen; null for none.
  setDraft(place) {
    this.#draft = place;
    this.#draw();
  }

  // The stops of a trip that have a point, as [{ number, center }] in their order, and the number of the current one.
  setTrip(stops, step = null) {
    [this.#stops, this.#step] = [stops, step];
    this.#draw();
  }

  // Where a point is on the turn of the world that is in view.
  #at([longitude, latitude]) {
    const middle = this.#map.view.center.lng;
    return this.#map.project([longitude + 360 * Math.round((middle - longitude) / 360), latitude]);
  }

  #draw() {
    const { width, height } = this.#map.size;
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const nodes = this.#places.flatMap((place) => this.#circle(place, "named-place"));
    if (this.#draft) nodes.push(...this.#circle(this.#draft, "named-place draft"));
    if (this.#stops.length > 0) nodes.push(...this.#path());
    this.#picture.replaceChildren(...nodes);
  }

  #circle({ name, lat, lon, radius }, kind) {
    const { x, y } = this.#at([lon, lat]);
    const size = Math.max(smallest, this.#map.pixels(radius, lat));
    const { width, height } = this.#map.size;
    if (x + size < 0 || y + size < 0 || x - size > width || y - size > height) return [];
    const circle = drawn("circle", { class: kind, cx: x.toFixed(1), cy: y.toFixed(1), r: size.toFixed(1) });
    if (!name || this.#map.view.zoom < labelled) return [circle];
    const label = drawn("text", { class: "place-label", x: x.toFixed(1), y: (y + size + 15).toFixed(1), "text-anchor": "middle", direction: /[\u0590-\u08ff]/.test(name) ? "rtl" : "ltr" }, name);
    return [circle, label];
  }

  // The path from stop to stop, the part that is done drawn stronger, and the numbers of the stops.
  #path() {
    const points = this.#stops.map(({ number, center }) => ({ number, ...this.#at(center) }));
    const line = (kind, part) => drawn("polyline", { class: kind, points: part.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") });
    const done = this.#step === null ? points : points.filter(({ number }) => number <= this.#step);
    const spots = points.map(({ number, x, y }) => drawn("g", { class: number === this.#step ? "stop current" : "stop", transform: `translate(${x.toFixed(1)} ${(y - 24).toFixed(1)})` },
      drawn("circle", { r: "10" }), drawn("text", { "text-anchor": "middle", y: "4" }, String(number))));
    return [line("trip-halo", points), line("trip-path", points), ...(this.#step === null ? [] : [line("trip-done", done)]), ...spots];
  }
}

// How much of the map lies under a panel, beside or below it, for `map.fit`.
export function covered(map, panel) {
  const [on, over] = [map.canvas.getBoundingClientRect(), panel.getBoundingClientRect()];
  const [right, bottom] = [Math.max(0, on.right - over.left), Math.max(0, on.bottom - over.top)];
  if (over.left > on.left && right < 0.65 * on.width) return { right };
  return bottom < 0.75 * on.height ? { bottom } : {};
}
