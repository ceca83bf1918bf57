// The map itself: engine, view and movement. Knows nothing of stories.

import { basemap } from "./basemap.js";
import { Overlays } from "./basemap-overlay.js";
import { boxParameter, unwrapped, wrap } from "./geo.js";
import { labelImage } from "./labels.js";
import { calm, element } from "./dom.js";
import { followPresses } from "./presses.js";
import { t } from "./texts.js";

export const deepest = 18;
const flight = 1100; // milliseconds, however far
const engine = { script: "/assets/maplibre-gl.js", style: "/assets/maplibre-gl.css" };
export const worldBox = [-170, -58, 190, 76];

// One world fills the width, so that a marker is never on screen twice.
export const outermost = (width) => Math.max(0, Math.log2(width / 512));

// How a box is fitted into a map; `right` and `bottom` pixels of it lie under something else.
export function fitting({ width, height }, { right = 0, bottom = 0, closest = 14 } = {}) {
  const room = Math.min(72, (width - right) / 8, (height - bottom) / 8);
  return { padding: { top: room, bottom: room + bottom, left: room, right: room + 24 + right }, maxZoom: closest };
}

// Loads the engine; false if the server has none (it is fetched at set-up and not part of the program).
export async function loadEngine() {
  const arrives = (node) => new Promise((resolve) => {
    node.addEventListener("load", () => resolve(true));
    node.addEventListener("error", () => resolve(false));
    document.head.append(node);
  });
  const [script, style] = await Promise.all([
    arrives(element("script", { src: engine.script })),
    arrives(element("link", { rel: "stylesheet", href: engine.style })),
  ]);
  return script && style && "maplibregl" in window;
}

// The basemaps that the server has ready, in the order in which they are drawn; none if it does not say.
export async function readyBasemaps() {
  try {
    const reply = await fetch("/v1/basemaps", { credentials: "omit" });
    const { basemaps } = reply.ok ? await reply.json() : { basemaps: [] };
    return basemaps.map((set) => ({ ...set, url: new URL(set.tilejson, location.href).href }));
  } catch {
    return [];
  }
}

export class StoryMap extends EventTarget {
  #engine;
  #container;
  #ring = null;
  #sets;
  #overlays;
  #taken = { type: "FeatureCollection", features: [] };

  // `start` is { box } or { zoom, center }; `sets` are the server's basemaps; `name` says what it is a map of. Throws if the
  // browser cannot draw (no WebGL).
  constructor(container, look, start, sets, name = t("Map")) {
    super();
    this.#container = container;
    this.#sets = sets;
    this.#overlays = new Overlays(sets);
    this.#engine = new window.maplibregl.Map({
      container,
      style: basemap(look, sets, this.#overlays.states),
      ...(start.center ? { center: start.center, zoom: start.zoom } : { bounds: unwrapped(start.box ?? worldBox), fitBoundsOptions: this.#fitting() }),
      minZoom: this.#outermost(),
      maxZoom: deepest,
      maxPitch: 0,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      attributionControl: false,
      fadeDuration: calm() ? 0 : 200,
      transformRequest: (url) => ({ url, credentials: "omit" }), // tiles are the same for everybody
      locale: { "Map.Title": t("{name}. Arrow keys move it, plus and minus zoom.", { name }) },
    });
    this.#engine.touchZoomRotate.disableRotation();
    this.#engine.keyboard.disableRotation();
    this.#engine.addControl(new window.maplibregl.ScaleControl({ maxWidth: 110 }), "bottom-right");
    this.#engine.on("load", () => this.keepNamesFrom(null));
    this.#overlays.follow(this.#engine, container);
    this.#engine.on("styleimagemissing", ({ id }) => labelImage.provide(this.#engine, id));
    this.#engine.on("move", () => this.dispatchEvent(new Event("moving")));
    this.#engine.on("moveend", () => this.dispatchEvent(new Event("move")));
    this.#engine.on("resize", () => this.#engine.setMinZoom(this.#outermost()));
    this.#engine.on("click", ({ lngLat }) => this.#tell("press", lngLat));
    followPresses(this.#engine, (lngLat) => this.#tell("point", lngLat));
    this.#engine.on("error", ({ error }) => this.dispatchEvent(new CustomEvent("fault", { detail: error })));
  }

  // The visible area: the zoom, the box for lists, and a larger one for markers, so that they are ready before a pan.
  get view() {
    const zoom = this.#engine.getZoom();
    return { zoom, level: Math.floor(zoom), center: this.#engine.getCenter(), box: this.#box(0, zoom), wideBox: this.#box(160, zoom) };
  }

  get canvas() { return this.#engine.getCanvas(); }
  get deepEnough() { return this.#engine.getZoom() >= deepest - 0.01; }

  setLook(look) {
    this.#engine.setStyle(basemap(look, this.#sets, this.#overlays.states));
    this.#engine.once("styledata", () => this.keepNamesFrom(null));
  }

  // Keeps names of the map from lying under markers: [{ center, size in pixels }]; null for those given before.
  keepNamesFrom(markers) {
    if (markers) {
      const feature = ({ center, size }) => ({ type: "Feature", properties: { size }, geometry: { type: "Point", coordinates: center } });
      this.#taken = { type: "FeatureCollection", features: markers.map(feature) };
    }
    this.#engine.getSource("taken")?.setData(this.#taken);
  }

  // Moves the map down or up by pixels.
  panBy(pixels) { this.#engine.panBy([0, pixels], { animate: !calm() }); }
  resize() { this.#engine.resize(); }
  zoomBy(steps) { this.#move("easeTo", { zoom: this.#engine.getZoom() + steps }); }
  // Shows a box; `covered` says how many pixels at the right and the bottom lie under something else, and how close to go.
  fit(box, covered = {}) { this.#move("fitBounds", unwrapped(box ?? worldBox), { ...this.#fitting(covered), duration: flight }); }
  show(center, zoom) { this.#move("flyTo", { center, zoom: Math.min(deepest, zoom), duration: flight }); }
  showAtLeast(center, zoom) { this.show(center, Math.max(zoom, this.#engine.getZoom())); }

  // Shows all these points; a single one with a ring.
  showPoints(points) {
    const [x, y] = [points.map(([lon]) => lon), points.map(([, lat]) => lat)];
    if (points.length === 1) {
      this.mark(points[0]);
      this.showAtLeast(points[0], 13);
    } else if (points.length > 1) this.fit([Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)]);
  }

  // Zooms into a cluster: to its box if that is close enough to split it, otherwise to its centre at the zoom where it
  // splits.
  open(center, box, expansionZoom) {
    const target = Math.max(expansionZoom, Math.floor(this.#engine.getZoom()) + 1);
    const camera = box && this.#engine.cameraForBounds(unwrapped(box), this.#fitting());
    if (camera && camera.zoom >= target) this.show(camera.center, camera.zoom);
    else this.show(center, target);
  }

  // Returns a DOM marker of the engine at a position.
  place(node, center) {
    return new window.maplibregl.Marker({ element: node, anchor: "center" }).setLngLat(center).addTo(this.#engine);
  }

  // Returns a DOM marker of the engine that can be dragged; the middle of its lower edge is at the position.
  pin(node, center) {
    return new window.maplibregl.Marker({ element: node, anchor: "bottom", draggable: true }).setLngLat(center).addTo(this.#engine);
  }

  // The number of pixels that a distance in metres takes at a latitude, as the map is shown now.
  pixels(metres, latitude) {
    const circumference = 40_075_016.686 * Math.cos((latitude * Math.PI) / 180);
    return (metres * 512 * 2 ** this.#engine.getZoom()) / Math.max(1, circumference);
  }

  project(center) { return this.#engine.project(center); }

  // The position at a pixel.
  unproject(pixel) {
    const { lng, lat } = this.#engine.unproject(pixel);
    return [wrap(lng), lat];
  }

  // Moves a position into the middle without changing the zoom.
  center(center) { this.#move("easeTo", { center }); }
  // Frees the browser's memory for graphics.
  remove() { this.#engine.remove(); }

  get size() { return { width: this.#container.clientWidth, height: this.#container.clientHeight }; }

  // Draws a ring around the last selected place; null removes it.
  mark(center) {
    this.#ring?.remove();
    this.#ring = null;
    if (!center) return;
    const node = element("div", { class: "ring" });
    this.#ring = this.place(node, center);
    node.setAttribute("aria-hidden", "true");
    node.removeAttribute("aria-label");
  }

  #tell(name, { lng, lat }) { this.dispatchEvent(new CustomEvent(name, { detail: { center: [wrap(lng), lat] } })); }

  #move(how, ...values) {
    const last = values.length - 1;
    values[last] = { ...values[last], animate: !calm() };
    this.#engine[calm() && how === "flyTo" ? "jumpTo" : how](...values);
  }

  #outermost() { return outermost(this.#container.clientWidth); }
  #fitting(covered) { return fitting(this.size, covered); }

  #box(margin, zoom) {
    const { width, height } = this.size;
    const northWest = this.#engine.unproject([-margin, -margin]);
    const southEast = this.#engine.unproject([width + margin, height + margin]);
    return boxParameter({ west: northWest.lng, north: northWest.lat, east: southEast.lng, south: southEast.lat }, zoom);
  }
}
