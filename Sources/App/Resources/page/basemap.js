// The map's drawing: a MapLibre style using a single local file, in two looks. No tiles, glyphs or sprites from
// elsewhere.

import { labelImage } from "./labels.js";

const palettes = {
  light: { water: "#cfdfe6", land: "#f4f4ee", border: "#9aa6a1", admin: "#c9cfc6" },
  dark: { water: "#0f1a21", land: "#23323a", border: "#65777e", admin: "#3a4b53" },
};

const byZoom = (...stops) => ["interpolate", ["linear"], ["zoom"], ...stops];
const layerIs = (name) => ["==", ["get", "layer"], name];

export function basemap(look) {
  const colour = palettes[look];
  const line = (id, width, extra = {}) => ({
    id, type: "line", source: "world", filter: layerIs(id), layout: { "line-join": "round", "line-cap": "round" },
    paint: { "line-color": id === "border" ? colour.border : colour.admin, "line-width": width, ...extra },
  });
  const names = (kind) => ({
    id: `${kind}-names`, type: "symbol", source: "world",
    filter: ["all", layerIs("label"), ["==", ["get", "class"], kind], ["<=", ["get", "min_zoom"], ["zoom"]]],
    layout: {
      "icon-image": ["concat", `${labelImage.prefix}${look}|${kind}|`, ["get", "name"]], "icon-padding": 6,
      "symbol-sort-key": ["get", "min_zoom"],
    },
    paint: kind === "country" ? { "icon-opacity": byZoom(6, 1, 8, 0) } : kind === "ocean" ? { "icon-opacity": byZoom(5, 1, 7, 0) } : {},
  });
  return {
    version: 8,
    name: `Waymark ${look}`,
    sources: { world: { type: "geojson", data: "/assets/world.geojson", maxzoom: 8, tolerance: 0.2 } },
    layers: [
      { id: "water", type: "background", paint: { "background-color": colour.water } },
      { id: "country", type: "fill", source: "world", filter: layerIs("country"), paint: { "fill-color": colour.land } },
      { ...line("admin1", byZoom(3, 0.6, 8, 1.4), { "line-opacity": byZoom(3, 0, 4, 1) }), minzoom: 3 },
      line("border", byZoom(1, 0.5, 6, 1.4, 10, 2)),
      names("state"), names("ocean"), names("country"),
    ],
  };
}
