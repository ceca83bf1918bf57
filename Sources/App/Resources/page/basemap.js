// The map's drawing: a MapLibre style in two looks, from the tiles of this server. Until the server has compiled its
// tiles, a simple map of the world from a single file takes their place. No glyphs or sprites: see labels.js.

import { labelImage } from "./labels.js";
import { overlayLayers } from "./basemap-overlay.js";
import { streetLayers } from "./basemap-streets.js";

const palettes = {
  light: { water: "#cfdfe6", land: "#f4f4ee", shore: "#a9bcc4", border: "#8d9994", state: "#b3bcb2", county: "#dcdfd6" },
  dark: { water: "#0f1a21", land: "#23323a", shore: "#3a4c56", border: "#6d7f86", state: "#4a5c65", county: "#31424b" },
};

const byZoom = (...stops) => ["interpolate", ["linear"], ["zoom"], ...stops];
const bundled = new Set(["land", "names"]);
const layerIs = (name) => ["==", ["get", "layer"], name];
const round = { "line-join": "round", "line-cap": "round" };

// Names by class: from which zoom to which, the largest first. Those in front get their room before the others.
const classes = [
  ["village", 0, 24], ["neighbourhood", 0, 24], ["airport", 11, 24], ["park", 0, 24], ["mountain", 0, 24], ["island", 0, 24],
  ["water", 0, 24], ["county", 8, 11], ["town", 0, 24], ["city", 0, 24], ["ocean", 0, 7], ["state", 3, 9], ["country", 0, 7],
];

// The style for `look`; `ready` are the basemaps of the server as it lists them, and `overlays` the state of the images
// among them: name → { shown, opacity }.
export function basemap(look, ready, overlays) {
  const colour = palettes[look];
  const sets = Object.fromEntries(ready.filter(({ name }) => bundled.has(name)).map(({ name, url }) => [name, url]));
  const added = ready.filter(({ name }) => !bundled.has(name)).map((set) => ({ ...set, source: `added-${set.name}` }));
  const sources = { taken: { type: "geojson", data: { type: "FeatureCollection", features: [] } } };
  const layers = [{ id: "water", type: "background", paint: { "background-color": colour.water } }];
  if (sets.land) {
    sources.land = { type: "vector", url: sets.land };
    layers.push(...landLayers(colour));
  }
  if (!sets.land || !sets.names) {
    sources.world = { type: "geojson", data: "/assets/world.geojson", maxzoom: 8, tolerance: 0.2 };
    layers.push(...worldLayers(colour, look, sets));
  }
  for (const { source, kind, url } of added) sources[source] = kind === "vector" ? { type: "vector", url } : { type: "raster", url, tileSize: 256 };
  const streets = streetLayers(look, added.filter(({ kind }) => kind === "vector"), Boolean(sets.names));
  layers.push(...streets.below, ...overlayLayers(added.filter(({ kind }) => kind === "raster"), overlays), ...streets.labels);
  if (sets.names) {
    sources.names = { type: "vector", url: sets.names };
    layers.push(...classes.map(([kind, from, to]) => nameLayer(look, kind, from, to)));
  }
  // Placed before all names, so that no name lies under a marker.
  layers.push({
    id: "taken", type: "symbol", source: "taken",
    layout: { "icon-image": labelImage.room, "icon-size": ["/", ["get", "size"], 32], "icon-allow-overlap": true, "icon-padding": 1 },
  });
  return { version: 8, name: `Waymark ${look}`, glyphs: "/assets/no-glyphs/{fontstack}/{range}", sources, layers };
}

function landLayers(colour) {
  const fill = (id, paint, extra = {}) => ({ id, type: "fill", source: "land", "source-layer": id, paint, ...extra });
  const line = (id, paint, extra = {}) => ({ id: `${id}-lines`, type: "line", source: "land", "source-layer": id, layout: round, paint, ...extra });
  return [
    fill("land", { "fill-color": colour.land }),
    fill("lakes", { "fill-color": colour.water, "fill-outline-color": colour.shore }),
    line("rivers", { "line-color": colour.water, "line-width": byZoom(4, 0.4, 8, 1.2, 12, 3) }),
    line("counties", { "line-color": colour.county, "line-width": byZoom(7, 0.6, 12, 1.4), "line-opacity": byZoom(7, 0, 8, 1) }),
    line("states", { "line-color": colour.state, "line-width": byZoom(3, 0.5, 8, 1.4, 12, 2) }),
    line("regions", { "line-color": colour.state, "line-width": byZoom(3, 0.5, 8, 1.4) }),
    line("borders", { "line-color": colour.border, "line-width": byZoom(1, 0.5, 6, 1.4, 10, 2) }),
  ];
}

// The simple map: what the tiles do not show yet.
function worldLayers(colour, look, sets) {
  const line = (id, paint) => ({ id, type: "line", source: "world", filter: layerIs(id), layout: round, paint });
  const drawing = [
    { id: "country", type: "fill", source: "world", filter: layerIs("country"), paint: { "fill-color": colour.land } },
    { ...line("admin1", { "line-color": colour.state, "line-width": byZoom(3, 0.6, 8, 1.4), "line-opacity": byZoom(3, 0, 4, 1) }), minzoom: 3 },
    line("border", { "line-color": colour.border, "line-width": byZoom(1, 0.5, 6, 1.4, 10, 2) }),
  ];
  const names = (kind) => ({
    id: `${kind}-world`, type: "symbol", source: "world",
    filter: ["all", layerIs("label"), ["==", ["get", "class"], kind], ["<=", ["get", "min_zoom"], ["zoom"]]],
    layout: {
      "icon-image": ["concat", `${labelImage.prefix}${look}|${kind}|`, ["get", "name"]], "icon-padding": 6,
      "symbol-sort-key": ["get", "min_zoom"],
    },
    paint: kind === "country" ? { "icon-opacity": byZoom(6, 1, 8, 0) } : kind === "ocean" ? { "icon-opacity": byZoom(5, 1, 7, 0) } : {},
  });
  return [...(sets.land ? [] : drawing), ...(sets.names ? [] : ["state", "ocean", "country"].map(names))];
}

// Names as pictures inside a text: a text may move to any side of its place when a marker covers the middle.
function nameLayer(look, kind, from, to) {
  const picture = ["image", ["concat", `${labelImage.prefix}${look}|${kind}|`, ["get", "name"]]];
  const isSettlement = ["city", "town", "village", "neighbourhood"].includes(kind);
  return {
    id: `${kind}-names`, type: "symbol", source: "names", "source-layer": "names", minzoom: from, maxzoom: to,
    filter: ["all", ["==", ["get", "class"], kind], ["<=", ["get", "min_zoom"], ["zoom"]]],
    layout: {
      "text-field": ["format", picture, {}], "text-padding": 4, "symbol-sort-key": ["get", "min_zoom"],
      ...(isSettlement ? { "text-variable-anchor": ["center", "top", "bottom", "left", "right"], "text-radial-offset": 1.6 } : {}),
    },
  };
}
