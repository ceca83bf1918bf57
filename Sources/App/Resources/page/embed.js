// The map in a frame of another site: public stories only. Every request goes without the cookie, so that somebody who is
// signed in sees here what a stranger sees.

import { byId, debounce, element } from "./dom.js";
import { permalink, wrap } from "./geo.js";
import { StoryMap, deepest, loadEngine, readyBasemaps } from "./map.js";
import { Markers, markerKey } from "./markers.js";
import { t, tn } from "./texts.js";
import { clusterWords, dateWords, kindWord } from "./words.js";

const filterNames = ["kind", "tag", "person", "owner", "collection", "from", "to", "q"];
const pageSize = 20;
const given = new URLSearchParams(location.search);
const filters = filterNames.flatMap((name) => given.getAll(name).map((value) => [name, value]));
const system = matchMedia("(prefers-color-scheme: dark)");

let map;
let markers;
let request = null; // the markers under way
let opener = null; // the marker whose stories are listed

const numbers = (name, count) => {
  const values = (given.get(name) ?? "").split(",").map(Number);
  return given.has(name) && values.length === count && values.every(Number.isFinite) ? values : null;
};

function look() {
  const chosen = given.get("look");
  return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
}

// What a stranger gets at an address of the service.
const get = (path, fields, signal) => ask(`${path}?${new URLSearchParams([...Object.entries(fields), ...filters])}`, signal);

async function ask(address, signal) {
  const reply = await fetch(address, { credentials: "omit", signal });
  if (reply.ok) return reply.json();
  const problem = await reply.json().catch(() => ({}));
  throw new Error(problem.detail ?? t("The server cannot be reached."));
}

function say(words) { byId("said").textContent = words; }

// The start: a box, a centre with a zoom, or all public stories.
async function start() {
  const box = numbers("bbox", 4);
  const center = numbers("center", 2);
  if (box) return { box };
  if (center) return { center: [wrap(center[1]), center[0]], zoom: numbers("zoom", 1)?.[0] ?? 12 };
  const { bbox } = await get("/v1/bounds", {}).catch(() => ({}));
  return { box: bbox ?? undefined };
}

async function refresh() {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  const { view } = map;
  try {
    const found = await get("/v1/clusters", { bbox: view.wideBox, zoom: view.level }, signal);
    // Pictures would be asked for with the cookie.
    const features = found.features.map(({ properties: { thumbnail, ...properties }, ...feature }) => ({ ...feature, properties }));
    markers.update(features, view.zoom);
    const shown = await get("/v1/stories", { bbox: view.box, limit: 1 }, signal);
    say(tn(shown.numberMatched, "{count} story in view", "{count} stories in view"));
  } catch (error) {
    if (error.name !== "AbortError") say(error.message);
  }
}

// The same view with the same filters on the page itself.
function link() {
  const fields = new URLSearchParams(filters).toString();
  const place = map ? permalink(map.view.zoom, map.view.center) : "#";
  byId("open").href = place === "#" ? `/#${fields}` : `/${place}${fields === "" ? "" : `&${fields}`}`;
}

function item({ id, properties }) {
  const facts = [kindWord(properties.kind), dateWords(properties.date)].filter(Boolean).join(" · ");
  const title = properties.title || t("Untitled");
  return element("li", {},
    element("a", { href: `/stories/${id}`, target: "_blank", rel: "noopener", dir: "auto" }, title), element("p", { dir: "auto" }, facts));
}

function showCard(title, items, from) {
  opener = from;
  byId("card-title").textContent = title;
  byId("card-list").replaceChildren(...items);
  byId("card-more").hidden = true;
  byId("card").hidden = false;
  byId("card-title").focus();
}

function closeCard() {
  if (byId("card").hidden || byId("card").classList.contains("whole")) return;
  byId("card").hidden = true;
  if (!markers.focus(opener)) map.canvas.focus();
}

// Lists stories page by page: `path` answers with pages.
async function list(title, path, fields, from) {
  showCard(title, [], from);
  let next = null;
  const more = async () => {
    try {
      const page = await (next ? ask(next) : get(path, { ...fields, limit: pageSize }));
      byId("card-list").append(...page.features.map(item));
      next = page.links?.find(({ rel }) => rel === "next")?.href ?? null;
      byId("card-more").hidden = next === null;
    } catch (error) {
      say(error.message);
    }
  };
  byId("card-more").onclick = more;
  await more();
}

function choose({ id, properties, geometry, bbox }, byKeyboard) {
  const here = properties.stories_here ?? 1;
  if (!properties.cluster && here > 1) return list(tn(here, "{count} story", "{count} stories"), `/v1/places/${properties.place_id}/stories`, {}, markerKey({ id, properties }));
  if (!properties.cluster) return showCard(kindWord(properties.kind), [item({ id, properties })], markerKey({ id, properties }));
  if (!properties.stacked && properties.expansion_zoom <= deepest && !map.deepEnough) {
    if (byKeyboard && bbox) markers.expectChildren(bbox);
    return map.open(geometry.coordinates, bbox, properties.expansion_zoom);
  }
  return list(clusterWords(properties), `/v1/clusters/${properties.cluster_id}/stories`, {}, id);
}

function nameControls() {
  byId("title").textContent = t("Map of stories");
  byId("open").textContent = t("Open in Waymark");
  byId("card-close").textContent = t("Close");
  byId("card-more").textContent = t("Show more");
  byId("controls").setAttribute("aria-label", t("Map controls"));
  byId("zoom-in").setAttribute("aria-label", t("Zoom in"));
  byId("zoom-out").setAttribute("aria-label", t("Zoom out"));
}

// Without the map engine, or a browser that cannot draw: the stories alone.
function withoutMap() {
  byId("canvas").hidden = true;
  byId("card").classList.add("whole");
  byId("card-close").hidden = true;
  const box = given.get("bbox");
  list(t("Stories"), "/v1/stories", box ? { bbox: box } : {}, null);
}

function follow() {
  markers.addEventListener("choose", ({ detail }) => choose(detail.feature, detail.byKeyboard));
  const settled = debounce(120, () => { refresh(); link(); });
  map.addEventListener("move", () => { markers.refreshReach(); settled(); });
  byId("controls").hidden = false;
  byId("zoom-in").addEventListener("click", () => map.zoomBy(1));
  byId("zoom-out").addEventListener("click", () => map.zoomBy(-1));
  byId("card-close").addEventListener("click", closeCard);
  addEventListener("keydown", ({ key }) => { if (key === "Escape") closeCard(); });
  system.addEventListener("change", () => { showLook(); map.setLook(look()); });
}

function showLook() { document.documentElement.dataset.look = look(); }

nameControls();
showLook();
link();
const [hasEngine, sets, from] = await Promise.all([loadEngine(), readyBasemaps(), start()]);
byId("sources").textContent = [...new Set(sets.map(({ attribution }) => attribution).filter(Boolean))].join(" · ");
try {
  if (!hasEngine) throw new Error();
  map = new StoryMap(byId("canvas"), look(), from, sets, t("Map of stories"));
  markers = new Markers(map, null);
  follow();
  refresh();
  link();
} catch {
  withoutMap();
}
