// What a walk looks like on the map: drawn over it as SVG, so that the page's colours, forced colours and print hold, and
// only what is in view. The list says the same in words.

import { element } from "./dom.js";
import { phases } from "./walk-run.js";
import { t } from "./texts.js";

const around = 40075016.686; // metres, the length of the equator
const tile = 512; // pixels of a world at zoom 0
const most = 4000; // points of a line; a longer one is thinned, which nobody sees
const signs = [
  ["route", t("The way you draw")], ["fixes", t("Fixes received")], ["outlier", t("Fix not used")], ["accuracy", t("Accuracy of the fix")],
  ["estimate", t("Likeliest position")], ...Object.entries(phases).map(([phase, words]) => [`fence ${phase}`, t("Fence: {phase}", { phase: words })]),
];

function drawn(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export class WalkMap {
  #map;
  #picture = drawn("svg", { class: "walk-picture", "aria-hidden": "true" });
  #route = [];
  #run = null;
  #index = 0;
  #isDrawing = true;

  #container;

  // `container` is the part of the page with the map.
  constructor(map, container, legend) {
    this.#map = map;
    this.#container = container;
    container.querySelector(".canvas").after(this.#picture);
    map.addEventListener("moving", () => this.#draw());
    map.addEventListener("move", () => this.#draw());
    legend.append(...signs.map(([kind, words]) => element("li", {}, sign(kind), words)));
    legend.hidden = false;
    this.#draw();
  }

  // The way that is being drawn, and whether points can be added.
  setRoute(points, isDrawing) {
    this.#route = points;
    this.#isDrawing = isDrawing;
    this.#container.classList.toggle("drawing", isDrawing);
    this.#draw();
  }

  // The walk with the step to show; null for none.
  setRun(run, index = 0) {
    this.#run = run;
    this.#index = index;
    this.#draw();
  }

  // Moves the map if the step is out of view.
  follow() {
    const place = this.#place(this.#run?.steps[this.#index]);
    if (!place) return;
    const { x, y } = this.#at(place);
    const { width, height } = this.#map.size;
    const margin = Math.min(60, width / 6, height / 6);
    if (x < margin || y < margin || x > width - margin || y > height - margin) this.#map.show(place, this.#map.view.zoom);
  }

  #place(step) {
    const point = step?.estimate ?? step?.fix;
    return point ? [point.lon, point.lat] : null;
  }

  // Where a point is on the picture: on the turn of the world that is in view.
  #at([longitude, latitude]) {
    const middle = this.#map.view.center.lng;
    return this.#map.project([longitude + 360 * Math.round((middle - longitude) / 360), latitude]);
  }

  #pixels(metres, latitude) {
    const perPixel = (around * Math.cos((Math.min(85, Math.abs(latitude)) * Math.PI) / 180)) / (tile * 2 ** this.#map.view.zoom);
    return metres / perPixel;
  }

  #line(points, kind) {
    const stride = Math.ceil(points.length / most);
    const places = points.filter((_, index) => index % stride === 0 || index === points.length - 1).map((point) => this.#at(point));
    return drawn("polyline", { class: kind, points: places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") });
  }

  #circle([longitude, latitude], metres, kind) {
    const { x, y } = this.#at([longitude, latitude]);
    const radius = this.#pixels(metres, latitude);
    const { width, height } = this.#map.size;
    if (x + radius < 0 || y + radius < 0 || x - radius > width || y - radius > height || radius > 20000) return null;
    return drawn("circle", { class: kind, cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) });
  }

  #dot(point, kind, radius) {
    const { x, y } = this.#at(point);
    return drawn("circle", { class: kind, cx: x.toFixed(1), cy: y.toFixed(1), r: radius });
  }

  #draw() {
    const { width, height } = this.#map.size;
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const parts = this.#run ? this.#drawRun() : [];
    if (this.#isDrawing) {
      parts.push(this.#line(this.#route, "route"), ...this.#route.map((point) => this.#dot(point, "route-point", 5)));
      const [x, y] = [width / 2, height / 2];
      parts.push(drawn("path", { class: "cross", d: `M${x - 9} ${y}h18M${x} ${y - 9}v18` }));
    }
    this.#picture.replaceChildren(...parts.filter((part) => part !== null));
  }

  #drawRun() {
    const run = this.#run;
    const step = run.steps[this.#index];
    const now = run.phasesAfter(this.#index);
    const parts = run.fences.flatMap(({ place, lat, lon, r, exit_r: exit, geometry }) => {
      const phase = now.get(place) ?? "outside";
      if (geometry) {
        const lines = geometry.type === "Polygon" ? geometry.coordinates : [geometry.coordinates];
        return lines.map((line) => this.#line(line, `fence ${phase}`));
      }
      const ring = phase === "inside" || phase === "leaving" ? [this.#circle([lon, lat], exit, "exit")] : [];
      return [...ring, this.#circle([lon, lat], r, `fence ${phase}`)];
    });
    parts.push(this.#line(run.fixes.map(({ lon, lat }) => [lon, lat]), "fixes"));
    for (const { fix } of run.steps.slice(Math.max(0, this.#index - 60), this.#index + 1)) {
      if (fix) parts.push(this.#dot([fix.lon, fix.lat], fix.outcome === "accepted" ? "fix" : "outlier", 3));
    }
    if (step?.fix) {
      const { lon, lat, acc, outcome } = step.fix;
      if (acc > 0) parts.push(this.#circle([lon, lat], acc, "accuracy"));
      parts.push(this.#dot([lon, lat], outcome === "accepted" ? "fix now" : "outlier now", 6));
    }
    if (step?.estimate) {
      const { lon, lat, acc } = step.estimate;
      parts.push(this.#circle([lon, lat], acc, "estimate-accuracy"), this.#dot([lon, lat], "estimate", 5));
    }
    return parts;
  }
}

// A sign of the legend.
function sign(kind) {
  const isLine = kind === "route" || kind === "fixes";
  const shape = isLine ? drawn("polyline", { class: kind, points: "2,10 18,10" }) : drawn("circle", { class: kind, cx: 10, cy: 10, r: kind === "estimate" || kind === "outlier" ? 5 : 8 });
  return drawn("svg", { viewBox: "0 0 20 20", class: "walk-sign", "aria-hidden": "true" }, shape);
}
