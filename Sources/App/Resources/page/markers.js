// Clusters and single stories on the map as buttons: one tab stop, arrows to the nearest neighbour, the same button for
// the same id to avoid flicker.

import { element } from "./dom.js";
import { kindShape, privacyShape } from "./shapes.js";
import { clusterWords, count, dateWords, kindWord, levelWord, stories } from "./words.js";
import { within } from "./geo.js";
import { t, tn } from "./texts.js";

const sizes = [[10, 34], [100, 40], [1000, 48], [10000, 56], [Infinity, 64]]; // stories up to, pixels
const pictured = { from: 13, size: 52 }; // the zoom from which single stories show their picture, and how large in pixels
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// What tells a marker from all others: a story with several places can have one at each.
export const markerKey = ({ id, properties }) => (properties.place ? `${id}/${properties.place}` : String(id));

export class Markers extends EventTarget {
  #map;
  #pictures;
  #shown = new Map(); // id → { feature, isPictured, node, marker }
  #current = null; // the id that Tab reaches
  #heir = null; // the box whose largest child takes the focus after a cluster was opened

  constructor(map, pictures) {
    super();
    this.#map = map;
    this.#pictures = pictures;
  }

  // Goes on with another map that shows the same, with the same nodes.
  moveTo(map) {
    const focused = this.#focusedId();
    this.#map = map;
    for (const entry of this.#shown.values()) {
      const label = entry.node.getAttribute("aria-label");
      entry.marker.remove();
      entry.marker = map.place(entry.node, entry.feature.geometry.coordinates);
      entry.node.setAttribute("aria-label", label);
    }
    this.#keepNamesFrom();
    this.refreshReach();
    if (focused !== null) this.focus(focused);
  }

  // Shows exactly these features at a zoom. Nodes whose ids remain are kept in place.
  update(features, zoom = 0) {
    const hadFocus = this.#focusedId();
    const before = hadFocus === null ? null : this.#point(hadFocus);
    const next = new Map();
    for (const feature of features) {
      const id = markerKey(feature);
      const old = this.#shown.get(id);
      this.#shown.delete(id);
      const isPictured = zoom >= pictured.from && Boolean(feature.properties.thumbnail);
      const isSame = old && old.isPictured === isPictured && JSON.stringify(old.feature) === JSON.stringify(feature);
      next.set(id, isSame ? old : this.#make(id, feature, isPictured, old));
    }
    for (const entry of this.#shown.values()) this.#remove(entry);
    this.#shown = next;
    this.#keepNamesFrom();
    this.#settleFocus(hadFocus, before);
    this.refreshReach();
  }

  // Only visible markers can be reached; off-screen ones are hidden from keyboard and screen reader.
  refreshReach() {
    const visible = this.#visible();
    for (const [id, { node }] of this.#shown) {
      node.toggleAttribute("inert", !visible.has(id));
      node.tabIndex = -1;
    }
    if (!visible.has(this.#current)) this.#current = [...visible.keys()].sort((a, b) => reading(visible.get(a), visible.get(b)))[0] ?? null;
    if (this.#current !== null) this.#shown.get(this.#current).node.tabIndex = 0;
  }

  get summary() {
    const visible = [...this.#visible().keys()].map((id) => this.#shown.get(id).feature);
    const clusters = visible.filter((feature) => feature.properties.cluster).length;
    return { clusters, singles: visible.length - clusters };
  }

  // Moves the focus, after the next update, to the largest marker inside this box.
  expectChildren(box) { this.#heir = box; }

  // Moves the focus to the marker with this key, or else to one of the story with this id.
  focus(id) {
    const key = this.#shown.has(String(id)) ? String(id) : [...this.#shown].find(([, { feature }]) => String(feature.id) === String(id))?.[0];
    const entry = this.#shown.get(key);
    if (!entry || entry.node.inert) return false;
    this.#reach(key);
    return true;
  }

  #keepNamesFrom() {
    this.#map.keepNamesFrom([...this.#shown.values()].map(({ feature: { geometry, properties }, isPictured }) =>
      ({ center: geometry.coordinates, size: isPictured ? pictured.size : width(properties) })));
  }

  #remove({ node, marker }) {
    const image = node.querySelector("img");
    if (image) this.#pictures.forget(image);
    marker.remove();
  }

  #make(id, feature, isPictured, old) {
    if (old) this.#remove(old);
    const node = feature.properties.cluster ? clusterButton(feature) : storyButton(feature);
    if (isPictured) this.#picture(node, feature.properties.thumbnail);
    node.addEventListener("click", (event) => {
      event.stopPropagation();
      this.#current = id;
      this.refreshReach();
      const byKeyboard = event.detail === 0;
      this.dispatchEvent(new CustomEvent("choose", { detail: { feature: this.#shown.get(id).feature, byKeyboard } }));
    });
    node.addEventListener("keydown", (event) => this.#key(event, id));
    node.addEventListener("focus", () => { this.#current = id; });
    const label = node.getAttribute("aria-label");
    const marker = this.#map.place(node, feature.geometry.coordinates);
    node.setAttribute("aria-label", label); // the engine writes one of its own
    return { feature, isPictured, node, marker };
  }

  // Puts the story's picture into its marker; the button's label says what it is about.
  #picture(node, address) {
    const image = element("img", { alt: "", width: pictured.size, height: pictured.size, draggable: "false" });
    node.classList.add("pictured");
    node.prepend(image);
    this.#pictures.show(image, address, () => {
      image.remove();
      node.classList.remove("pictured");
    });
  }

  #key(event, id) {
    if (event.key === "Escape") {
      this.#map.canvas.focus();
    } else if (event.key === "Home" || event.key === "End") {
      const order = [...this.#visible()].sort((a, b) => reading(a[1], b[1]));
      const target = event.key === "Home" ? order[0] : order.at(-1);
      if (target) this.#reach(target[0]);
    } else if (event.key in arrows) {
      const target = this.#nearest(id, arrows[event.key]);
      if (target !== null) this.#reach(target);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #reach(id) {
    this.#current = id;
    this.refreshReach();
    this.#shown.get(id).node.focus({ preventScroll: true });
  }

  // Returns the closest marker in a direction; sideways distance counts double.
  #nearest(id, [dx, dy]) {
    const from = this.#point(id);
    let best = null;
    let least = Infinity;
    for (const [other, point] of this.#visible()) {
      const along = (point.x - from.x) * dx + (point.y - from.y) * dy;
      const aside = Math.abs((point.x - from.x) * dy) + Math.abs((point.y - from.y) * dx);
      if (other !== id && along > 0 && along + 2 * aside < least) [best, least] = [other, along + 2 * aside];
    }
    return best;
  }

  #settleFocus(hadFocus, before) {
    const heir = this.#heir;
    this.#heir = null;
    if (heir) {
      const children = [...this.#visible().keys()].map((id) => [id, this.#shown.get(id).feature])
        .filter(([, feature]) => within(heir, feature.geometry.coordinates));
      children.sort((a, b) => (b[1].properties.point_count ?? 1) - (a[1].properties.point_count ?? 1));
      if (children.length > 0) return this.#reach(children[0][0]);
    }
    if (hadFocus === null || (this.#shown.has(hadFocus) && this.#focusedId() === hadFocus)) return undefined;
    if (this.#shown.has(hadFocus)) return this.#reach(hadFocus);
    const near = [...this.#visible()].sort((a, b) => distance(a[1], before) - distance(b[1], before))[0];
    return near ? this.#reach(near[0]) : this.#map.canvas.focus();
  }

  #focusedId() {
    for (const [id, { node }] of this.#shown) if (node === document.activeElement) return id;
    return null;
  }

  #point(id) {
    const { node, feature } = this.#shown.get(id);
    // The engine may draw a marker in the next copy of the world, so ask the node, not the coordinate.
    const box = node.getBoundingClientRect();
    if (box.width === 0) return this.#map.project(feature.geometry.coordinates);
    const origin = this.#map.canvas.getBoundingClientRect();
    return { x: box.x + box.width / 2 - origin.x, y: box.y + box.height / 2 - origin.y };
  }

  #visible() {
    const { width, height } = this.#map.size;
    const result = new Map();
    for (const id of this.#shown.keys()) {
      const point = this.#point(id);
      if (point.x >= 0 && point.y >= 0 && point.x <= width && point.y <= height) result.set(id, point);
    }
    return result;
  }
}

// The width of a marker in pixels.
const width = (properties) => (properties.cluster ? sizes.find(([most]) => properties.point_count <= most)[1] : 32);
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
const reading = (a, b) => Math.round(a.y / 60) - Math.round(b.y / 60) || a.x - b.x;

function clusterButton({ properties }) {
  const size = width(properties);
  const label = properties.stacked ? tn(properties.point_count, "{count} story at one place. Opens the list.", "{count} stories at one place. Opens the list.")
    : properties.places ? tn(properties.point_count, "Cluster of {count} story, {places} places. Opens at zoom {zoom}.", "Cluster of {count} stories, {places} places. Opens at zoom {zoom}.", { places: properties.places, zoom: properties.expansion_zoom })
    : tn(properties.point_count, "Cluster of {count} story. Opens at zoom {zoom}.", "Cluster of {count} stories. Opens at zoom {zoom}.", { zoom: properties.expansion_zoom });
  return element("button", { type: "button", class: properties.stacked ? "marker pile" : "marker cluster", "aria-label": label, title: properties.places ? clusterWords(properties) : null, style: { "--size": `${size}px` } },
    element("span", { class: "disc", "aria-hidden": "true" }, String(properties.point_count_abbreviated ?? count(properties.point_count))));
}

function storyButton({ properties }) {
  const here = properties.stories_here ?? 1;
  const said = [`${kindWord(properties.kind)}: ${properties.title || t("untitled")}`, dateWords(properties.date), levelWord(properties.privacy)];
  if (here > 1) said.push(tn(here, "{count} story here", "{count} stories here"));
  const node = element("button", { type: "button", class: "marker single", "aria-label": said.filter(Boolean).join(", "), title: properties.title || kindWord(properties.kind) });
  node.append(kindShape(properties.kind));
  if (properties.privacy !== "public") node.append(privacyShape(properties.privacy));
  if (here > 1) node.append(element("span", { class: "pip", "aria-hidden": "true" }, count(here)));
  return node;
}
