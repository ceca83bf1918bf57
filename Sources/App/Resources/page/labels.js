// Names on the map without a glyph server: each name is drawn on a canvas, in the reader's own fonts, when first
// needed.

const ratio = 2; // drawn at twice the size, so that it stays sharp
const ink = {
  light: {
    country: "#3b4a4c", state: "#5b6967", ocean: "#44687b", city: "#2c3739", town: "#39484a", village: "#48575a", neighbourhood: "#5a5266",
    county: "#66736c", water: "#3f6578", nature: "#4c6247", airport: "#5c6670", road: "#4a4f50", halo: "rgba(247, 248, 244, 0.9)", sea: "rgba(207, 223, 230, 0.9)",
  },
  dark: {
    country: "#d5dee0", state: "#a4b2b6", ocean: "#86a5b5", city: "#e4ebec", town: "#d0dadc", village: "#b6c3c7", neighbourhood: "#b9b2c9",
    county: "#94a39d", water: "#8db0c1", nature: "#9fb598", airport: "#a3adb6", road: "#c2ccd0", halo: "rgba(22, 32, 38, 0.9)", sea: "rgba(15, 26, 33, 0.9)",
  },
};
const sans = "system-ui, sans-serif";
const faces = {
  country: { font: `600 ${13 * ratio}px system-ui, sans-serif`, spacing: "0.4px" },
  state: { font: `500 ${11.5 * ratio}px system-ui, sans-serif`, spacing: "0.2px" },
  ocean: { font: `italic 400 ${12.5 * ratio}px ui-serif, Georgia, serif`, spacing: "1.6px" },
  city: { font: `600 ${13.5 * ratio}px ${sans}`, spacing: "0.2px" },
  town: { font: `500 ${12.5 * ratio}px ${sans}`, spacing: "0.1px" },
  village: { font: `400 ${11.5 * ratio}px ${sans}`, spacing: "0px" },
  neighbourhood: { font: `500 ${11 * ratio}px ${sans}`, spacing: "0.6px" },
  county: { font: `400 ${10.5 * ratio}px ${sans}`, spacing: "1.4px", capitals: true },
  water: { font: `italic 400 ${11.5 * ratio}px ui-serif, Georgia, serif`, spacing: "0.4px" },
  nature: { font: `italic 400 ${11 * ratio}px ${sans}`, spacing: "0.2px" },
  airport: { font: `400 ${10.5 * ratio}px ${sans}`, spacing: "0px" },
  road: { font: `500 ${10.5 * ratio}px ${sans}`, spacing: "0.2px", oneLine: true },
};
const asNature = new Set(["island", "mountain", "park"]);

export const labelImage = {
  prefix: "name|",
  // An empty square of 32 pixels, which keeps names away from where it is placed.
  room: "room",

  // Answers MapLibre's `styleimagemissing` for ids of the form `name|LOOK|KIND|TEXT`, and for the empty square.
  provide(map, id) {
    if (map.hasImage(id)) return;
    if (id === labelImage.room) map.addImage(id, { width: 32, height: 32, data: new Uint8Array(32 * 32 * 4) });
    if (!id.startsWith(labelImage.prefix)) return;
    const [, look, kind, ...rest] = id.split("|");
    const image = draw(rest.join("|"), look, asNature.has(kind) ? "nature" : kind);
    if (image) map.addImage(id, image, { pixelRatio: ratio });
  },
};

function draw(text, look, kind) {
  const face = faces[kind];
  const colours = ink[look];
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!face || !colours || !context || text === "") return null;
  const prepare = () => {
    context.font = face.font;
    context.letterSpacing = face.spacing;
    context.textBaseline = "middle";
    context.textAlign = "center";
    context.lineJoin = "round";
  };
  prepare();
  const lines = folded(face.capitals ? text.toLocaleUpperCase() : text, face.oneLine ? Infinity : 16);
  const height = 15 * ratio;
  const margin = 4 * ratio;
  const width = Math.ceil(Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * margin);
  context.canvas.width = width;
  context.canvas.height = Math.ceil(lines.length * height + 2 * margin);
  prepare();
  context.lineWidth = 3 * ratio;
  context.strokeStyle = kind === "ocean" || kind === "water" ? colours.sea : colours.halo;
  context.fillStyle = colours[kind];
  lines.forEach((line, index) => {
    const y = margin + (index + 0.5) * height;
    context.strokeText(line, width / 2, y);
    context.fillText(line, width / 2, y);
  });
  return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}

// Wraps words into lines of at most about `most` characters.
function folded(text, most) {
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
