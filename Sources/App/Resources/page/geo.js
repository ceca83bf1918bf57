// Boxes and permalinks: plain arithmetic, no map engine.

const edge = 85.0511; // where the Mercator map ends
const boxLimit = 8192; // pixels at the zoom asked for; the server refuses more

export const wrap = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

const mercator = (latitude) => {
  const sine = Math.sin((clamp(latitude, -edge, edge) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
};
const latitudeAt = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;

// The service's `bbox` parameter for unwrapped bounds. Longitudes are returned within ±180, with west > east if the box
// crosses the antimeridian. A view that shows the edge of the map includes the poles, which are not on it.
export function boxParameter({ west, south, east, north }, zoom) {
  const world = 512 * 2 ** Math.floor(zoom);
  const share = boxLimit / world;
  if (east - west > share * 360) {
    const middle = (west + east) / 2;
    [west, east] = [middle - share * 180, middle + share * 180];
  }
  let [top, bottom] = [mercator(north), mercator(south)];
  if (bottom - top > share) {
    const middle = (top + bottom) / 2;
    [north, south] = [latitudeAt(middle - share / 2), latitudeAt(middle + share / 2)];
  }
  const down = (value) => Math.floor(value * 1e5) / 1e5;
  const up = (value) => Math.ceil(value * 1e5) / 1e5;
  const low = south <= -edge ? -90 : Math.max(-90, down(south));
  const high = north >= edge ? 90 : Math.min(90, up(north));
  if (east - west >= 360) return [-180, low, 180, high].join(",");
  let [left, right] = [down(wrap(west)), up(wrap(east))];
  if (right <= -180) right = 180;
  if (left >= 180) left = -180;
  return [Math.max(-180, left), low, Math.min(180, right), high].join(",");
}

// The view of a map of some pixels: its zoom and middle, and where the middle is in the world's square of 1 by 1. `wanted` is
// { zoom, center }, or { box, padding, maxZoom } as the map engine takes it; the map ends at `least` and `most`.
export function cameraOver(wanted, { width, height }, { least, most }) {
  let { zoom } = wanted;
  let [x, y] = wanted.center ? [(wanted.center[0] + 180) / 360, mercator(wanted.center[1])] : [0, 0];
  if (wanted.box) {
    const [west, south, east, north] = wanted.box;
    const { padding: { top, right, bottom, left } } = wanted;
    const [across, down] = [(east - west) / 360, mercator(south) - mercator(north)];
    const share = Math.min((width - left - right) / across, (height - top - bottom) / down); // pixels of the world's width
    zoom = Math.min(wanted.maxZoom, Math.log2(Math.max(1, share) / 512));
    const world = 512 * 2 ** zoom;
    x = (west + east + 360) / 720 + (right - left) / 2 / world;
    y = (mercator(north) + mercator(south)) / 2 + (bottom - top) / 2 / world;
  }
  zoom = clamp(zoom, least, most);
  const half = height / 2 / (512 * 2 ** zoom);
  y = half >= 0.5 ? 0.5 : clamp(y, half, 1 - half); // nothing is shown beyond the poles
  return { zoom, center: [wrap(x * 360 - 180), latitudeAt(y)], x, y };
}

// The `bbox` parameter of such a view, with a margin of some pixels.
export function boxAround({ zoom, x, y }, { width, height }, margin) {
  const world = 512 * 2 ** zoom;
  const [across, down] = [(width / 2 + margin) / world, (height / 2 + margin) / world];
  const [west, east] = [(x - across) * 360 - 180, (x + across) * 360 - 180];
  return boxParameter({ west, east, north: latitudeAt(y - down), south: latitudeAt(y + down) }, zoom);
}

// The pixel of a position in such a view, in the copy of the world that is nearest to its middle.
export function positionOn({ zoom, x, y }, { width, height }, [longitude, latitude]) {
  const world = 512 * 2 ** zoom;
  const away = (longitude + 180) / 360 - x;
  return { x: width / 2 + (away - Math.round(away)) * world, y: height / 2 + (mercator(latitude) - y) * world };
}

// Whether a box as a parameter lies in another; false where one crosses the antimeridian.
export function covers(outer, inner) {
  const [[west, south, east, north], [left, low, right, high]] = [outer, inner].map((box) => box.split(",").map(Number));
  return west <= east && left <= right && west <= left && east >= right && south <= low && north >= high;
}

// Slightly enlarges a box from the service ([west, south, east, north]).
export function padded([west, south, east, north], by) {
  const span = west > east ? east + 360 - west : east - west;
  if (span + 2 * by >= 360) return [-180, Math.max(-90, south - by), 180, Math.min(90, north + by)];
  return [wrap(west - by), Math.max(-90, south - by), wrap(east + by) === -180 ? 180 : wrap(east + by), Math.min(90, north + by)];
}

// The middle of a box, also of one that crosses the antimeridian.
export const middle = ([west, south, east, north]) => [wrap(west + ((west > east ? east + 360 : east) - west) / 2), (south + north) / 2];

// The middle of a view as [longitude, latitude].
export const middleOf = ({ center: { lat, lng } }) => [wrap(lng), lat];

// The same box with east ≥ west, for the map engine.
export const unwrapped = ([west, south, east, north]) => [west, Math.max(south, -edge), west > east ? east + 360 : east, Math.min(north, edge)];

export function within([west, south, east, north], [x, y]) {
  const inside = west > east ? x >= west || x <= east : x >= west && x <= east;
  return inside && y >= south && y <= north;
}

// `#map=zoom/latitude/longitude`, as on openstreetmap.org.
export function readPermalink(hash) {
  const value = new URLSearchParams(hash.replace(/^#/, "")).get("map");
  const parts = (value ?? "").split("/").map(Number);
  if (parts.length !== 3 || value.includes("//") || !parts.every(Number.isFinite)) return null;
  const [zoom, latitude, longitude] = parts;
  if (zoom < 0 || zoom > 24 || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  return { zoom, center: [longitude, clamp(latitude, -edge, edge)] };
}

export function permalink(zoom, { lat, lng }) {
  const digits = Math.max(2, Math.ceil(zoom / 3) + 1);
  return `#map=${Number(zoom.toFixed(2))}/${lat.toFixed(digits)}/${wrap(lng).toFixed(digits)}`;
}

// The box around a circle: its centre [longitude, latitude] and radius in metres.
export function stretch([x, y], metres) {
  const up = metres / 111_195;
  const across = up / Math.max(0.01, Math.cos((y * Math.PI) / 180));
  return [wrap(x - across), Math.max(-90, y - up), wrap(x + across), Math.min(90, y + up)];
}
