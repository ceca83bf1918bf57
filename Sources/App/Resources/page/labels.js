// Names on the map without a glyph server: each name is drawn on a canvas, in the reader's own fonts, when first
// needed.

const ratio = 2; // drawn at twice the size, so that it stays sharp
const ink = {
  light: { country: "#3b4a4c", state: "#5b6967", ocean: "#44687b", halo: "rgba(247, 248, 244, 0.9)", sea: "rgba(207, 223, 230, 0.9)" },
  dark: { country: "#d5dee0", state: "#a4b2b6", ocean: "#86a5b5", halo: "rgba(22, 32, 38, 0.9)", sea: "rgba(15, 26, 33, 0.9)" },
};
const faces = {
  country: { font: `600 ${13 * ratio}px system-ui, sans-serif`, spacing: "0.4px" },
  state: { font: `500 ${11.5 * ratio}px system-ui, sans-serif`, spacing: "0.2px" },
  ocean: { font: `italic 400 ${12.5 * ratio}px ui-serif, Georgia, serif`, spacing: "1.6px" },
};

export const labelImage = {
  prefix: "name|",

  // Answers MapLibre's `styleimagemissing` for ids of the form `name|LOOK|KIND|TEXT`.
  provide(map, id) {
    if (!id.startsWith(labelImage.prefix) || map.hasImage(id)) return;
    const [, look, kind, ...rest] = id.split("|");
    const image = draw(rest.join("|"), look, kind);
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
  const lines = folded(text, 16);
  const height = 15 * ratio;
  const margin = 4 * ratio;
  const width = Math.ceil(Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * margin);
  context.canvas.width = width;
  context.canvas.height = Math.ceil(lines.length * height + 2 * margin);
  prepare();
  context.lineWidth = 3 * ratio;
  context.strokeStyle = kind === "ocean" ? colours.sea : colours.halo;
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
