// The drawing of streets: tiles in the OpenMapTiles schema, those that `waymark tiles add` draws and an operator's own.
// Layers come in stages, so that where two sets overlap the roads of one lie over the ground of the other.

import { labelImage } from "./labels.js";

const colours = {
  light: {
    residential: "#eeede6", business: "#f1e9e5", industry: "#ebe8ec", school: "#f0ead9", grass: "#dbe9cf", wood: "#cadfbf", cemetery: "#d5e2cd",
    farmland: "#f0efdb", sand: "#f3ecd4", wetland: "#d8e8e0", rock: "#e6e3df", pitch: "#cfe3c8", water: "#bcd7e4", building: "#e1dcd3", wall: "#cfc8bb", apron: "#e4e1e8",
    motorway: ["#f5c483", "#c98b43"], trunk: ["#f8d49c", "#cf9f58"], primary: ["#fbe5b0", "#cbb069"], secondary: ["#fdf2c9", "#c9bf8c"],
    tertiary: ["#ffffff", "#c4c1b7"], minor: ["#ffffff", "#cfccc3"], service: ["#ffffff", "#dad8d1"], track: "#a89371", path: "#b09a78", rail: "#9b989e", ferry: "#7fa3b8",
  },
  dark: {
    residential: "#263640", business: "#2c3640", industry: "#2a3742", school: "#2c3a3e", grass: "#263f38", wood: "#223d33", cemetery: "#2a4139",
    farmland: "#2a3a39", sand: "#3a3f3c", wetland: "#233f42", rock: "#303c42", pitch: "#2a473d", water: "#142733", building: "#31424c", wall: "#3c4f5a", apron: "#2e3c48",
    motorway: ["#a9773c", "#14202a"], trunk: ["#97703f", "#14202a"], primary: ["#7d6a47", "#14202a"], secondary: ["#66624f", "#14202a"],
    tertiary: ["#50606a", "#17232c"], minor: ["#465660", "#18252e"], service: ["#3c4c56", "#1b2932"], track: "#6b6a58", path: "#6f7464", rail: "#6d7982", ferry: "#4b6a7c",
  },
};

const byZoom = (...stops) => ["interpolate", ["exponential", 1.5], ["zoom"], ...stops];
const among = (key, ...values) => ["in", ["get", key], ["literal", values]];
const not = (filter) => ["!", filter];
const round = { "line-join": "round", "line-cap": "round" };

// Roads from the least to the greatest: classes, colour, width in pixels by zoom, first zoom.
const roads = [
  { id: "service", classes: ["service", "busway"], width: [13, 0.6, 15, 2.5, 18, 11], from: 13 },
  { id: "minor", classes: ["minor", "residential", "unclassified", "street", "street_limited", "raceway"], width: [12, 0.5, 14, 2.2, 16, 7, 18, 20], from: 12 },
  { id: "tertiary", classes: ["tertiary"], width: [11, 0.6, 14, 3, 16, 9, 18, 24], from: 11 },
  { id: "secondary", classes: ["secondary"], width: [10, 0.6, 14, 4, 16, 10, 18, 26], from: 9 },
  { id: "primary", classes: ["primary"], width: [9, 0.7, 14, 4.6, 16, 11, 18, 28], from: 8 },
  { id: "trunk", classes: ["trunk"], width: [7, 0.6, 11, 2, 14, 5, 18, 30], from: 6 },
  { id: "motorway", classes: ["motorway"], width: [6, 0.6, 10, 1.8, 14, 5.4, 18, 32], from: 5 },
];
const grounds = [
  ["landuse", "residential", ["residential", "suburb", "neighbourhood"]], ["landuse", "business", ["commercial", "retail"]],
  ["landuse", "industry", ["industrial", "railway", "quarry", "military", "garages"]],
  ["landuse", "school", ["school", "college", "university", "hospital", "kindergarten", "library"]],
  ["landcover", "farmland", ["farmland"]], ["landcover", "grass", ["grass"]], ["landcover", "wood", ["wood"]],
  ["landcover", "wetland", ["wetland"]], ["landcover", "sand", ["sand"]], ["landcover", "rock", ["rock"]],
  ["landuse", "cemetery", ["cemetery"]], ["landuse", "pitch", ["pitch", "playground", "stadium", "track"]],
];

// The layers of all `sets` [{ name, source }]: `below` labels, and `labels`; `named` says that places have their names already.
export function streetLayers(look, sets, named) {
  const stages = [groundLayers, waterLayers, buildingLayers, casingLayers, roadLayers, railLayers];
  return {
    below: stages.flatMap((stage) => sets.flatMap((set) => stage(set, colours[look]))),
    labels: sets.flatMap((set) => [
      ...(named ? [] : placeLabels(set, look)), ...areaLabels(set, look), ...lineLabels(set, look, "water_name", "water", 10), ...lineLabels(set, look, "transportation_name", "road", 11),
    ]),
  };
}

const layer = (set, id, type, sourceLayer, rest) => ({ id: `${set.source}-${id}`, type, source: set.source, "source-layer": sourceLayer, ...rest });

function groundLayers(set, colour) {
  const fills = grounds.map(([sourceLayer, id, classes]) => layer(set, `${sourceLayer}-${id}`, "fill", sourceLayer, {
    filter: ["all", ["==", ["geometry-type"], "Polygon"], among("class", ...classes)], paint: { "fill-color": colour[id] },
  }));
  const protectedAreas = layer(set, "park", "fill", "park", {
    filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": colour.grass, "fill-opacity": 0.6 },
  });
  return [...fills, protectedAreas];
}

function waterLayers(set, colour) {
  return [
    layer(set, "waterway", "line", "waterway", {
      filter: not(among("brunnel", "tunnel")), layout: round,
      paint: { "line-color": colour.water, "line-width": ["interpolate", ["exponential", 1.4], ["zoom"], 9, ["match", ["get", "class"], "river", 1, 0.4], 18, ["match", ["get", "class"], "river", 14, 5]] },
    }),
    layer(set, "water", "fill", "water", { filter: not(among("brunnel", "tunnel")), paint: { "fill-color": colour.water } }),
  ];
}

function buildingLayers(set, colour) {
  const isArea = ["==", ["geometry-type"], "Polygon"];
  return [
    layer(set, "aeroway-areas", "fill", "aeroway", { filter: isArea, paint: { "fill-color": colour.apron } }),
    layer(set, "aeroway", "line", "aeroway", {
      filter: not(isArea), paint: { "line-color": colour.wall, "line-width": byZoom(11, ["match", ["get", "class"], "runway", 2, 0.6], 16, ["match", ["get", "class"], "runway", 40, 12]) },
    }),
    layer(set, "building", "fill", "building", {
      minzoom: 13, paint: { "fill-color": colour.building, "fill-outline-color": colour.wall, "fill-opacity": ["interpolate", ["linear"], ["zoom"], 13, 0, 14, 0.6, 15.5, 1] },
    }),
  ];
}

// Ramps are narrower than the road they lead to.
const widths = (stops, extra = 0) => byZoom(...stops.map((value, index) => index % 2 === 0 ? value : ["+", extra * Math.min(1, value), ["*", value, ["match", ["get", "ramp"], 1, 0.6, 1]]]));

function casingLayers(set, colour) {
  return roads.map(({ id, classes, width, from }) => layer(set, `${id}-casing`, "line", "transportation", {
    minzoom: Math.max(from, 11), filter: ["all", among("class", ...classes), not(among("brunnel", "tunnel"))],
    layout: { "line-join": "round", "line-cap": "butt" }, paint: { "line-color": colour[id][1], "line-width": widths(width, 1.6) },
  }));
}

function roadLayers(set, colour) {
  const dashed = (id, classes, width, dashes, from) => layer(set, id, "line", "transportation", {
    minzoom: from, filter: among("class", ...classes), layout: { "line-join": "round" }, paint: { "line-color": colour[id], "line-width": width, "line-dasharray": dashes },
  });
  return [
    dashed("path", ["path"], byZoom(14, 0.8, 18, 2.4), [2, 1.5], 14),
    dashed("track", ["track"], byZoom(13, 0.7, 18, 3), [4, 2], 13),
    dashed("ferry", ["ferry"], byZoom(10, 0.8, 16, 1.6), [4, 3], 10),
    ...roads.map(({ id, classes, width, from }) => layer(set, id, "line", "transportation", {
      minzoom: from, filter: among("class", ...classes), layout: round,
      paint: { "line-color": colour[id][0], "line-width": widths(width), "line-opacity": ["match", ["get", "brunnel"], "tunnel", 0.45, 1] },
    })),
  ];
}

function railLayers(set, colour) {
  const filter = ["all", among("class", "rail", "transit"), not(among("brunnel", "tunnel"))];
  return [
    layer(set, "rail", "line", "transportation", { minzoom: 10, filter, paint: { "line-color": colour.rail, "line-width": byZoom(10, 0.6, 16, 2) } }),
    layer(set, "rail-ties", "line", "transportation", { minzoom: 14, filter, paint: { "line-color": colour.rail, "line-width": byZoom(14, 3, 18, 8), "line-dasharray": [0.25, 3] } }),
  ];
}

const picture = (look, kind) => ["concat", `${labelImage.prefix}${look}|${kind}|`, ["get", "name"]];
const isPoint = ["==", ["geometry-type"], "Point"];
const shown = ["all", ["has", "name"], ["<=", ["coalesce", ["get", "min_zoom"], 0], ["zoom"]]];

// Names along lines. Ours are points with an angle; tiles of others have lines, on which a name is repeated.
function lineLabels(set, look, sourceLayer, kind, from) {
  const rank = ["match", ["get", "class"], "motorway", 0, "trunk", 1, "primary", 2, "secondary", 3, "tertiary", 4, "minor", 5, 6];
  const enough = ["step", ["zoom"], ["<=", rank, 2], 13, ["<=", rank, 4], 14, ["<=", rank, 5], 16, true];
  const common = { "icon-image": picture(look, kind), "icon-rotation-alignment": "map", "icon-padding": 3, "symbol-sort-key": rank };
  return [
    layer(set, `${sourceLayer}-points`, "symbol", sourceLayer, {
      minzoom: from, filter: ["all", isPoint, shown], layout: { ...common, "icon-rotate": ["coalesce", ["get", "angle"], 0] },
    }),
    layer(set, `${sourceLayer}-lines`, "symbol", sourceLayer, {
      minzoom: from, filter: ["all", not(isPoint), shown, kind === "road" ? enough : true],
      layout: { ...common, "symbol-placement": "line", "symbol-spacing": 420, "icon-keep-upright": true },
    }),
  ];
}

function areaLabels(set, look) {
  const nature = ["park", "golf", "cemetery", "garden"];
  const of = (id, kind, classes, from) => layer(set, `poi-${id}`, "symbol", "poi", {
    minzoom: from, filter: ["all", isPoint, shown, among("class", ...classes)],
    layout: { "text-field": ["format", ["image", picture(look, kind)], {}], "text-padding": 4, "symbol-sort-key": ["coalesce", ["get", "rank"], 0] },
  });
  return [
    of("other", "airport", ["school", "college", "university", "hospital", "library", "railway", "stadium", "grave_yard"], 15),
    of("nature", "park", nature, 12),
  ];
}

// Only until our own names are ready: these are better, but not where the gazetteer's already are.
function placeLabels(set, look) {
  const of = (kind, classes, from) => layer(set, `place-${kind}`, "symbol", "place", {
    minzoom: from, filter: ["all", isPoint, shown, among("class", ...classes)], layout: { "text-field": ["format", ["image", picture(look, kind)], {}], "text-padding": 4 },
  });
  return [
    of("neighbourhood", ["suburb", "quarter", "neighbourhood"], 11), of("village", ["village", "hamlet", "isolated_dwelling"], 10),
    of("town", ["town"], 8), of("city", ["city"], 4),
  ];
}
