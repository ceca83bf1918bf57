// Reads where, when and how a JPEG was taken (EXIF 2.32 in its APP1 segment), in the browser: the file is not sent for it.
// Every offset is checked, because a photo can hold anything.

export const longestHead = 1 << 18; // bytes from the start of a file in which its EXIF lies

const sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]; // bytes of a value, by its type
const tags = { orientation: 0x0112, changed: 0x0132, details: 0x8769, position: 0x8825, taken: 0x9003, made: 0x9004 };
const gps = { latitudeSide: 1, latitude: 2, longitudeSide: 3, longitude: 4, error: 0x1f };
const mostEntries = 512; // of a directory
const worst = 10_000_000; // metres of accuracy that the service accepts

// Returns { position: { lat, lon, accuracy } or null, date: "YYYY-MM-DD" or null, time: "HH:MM" or null, orientation: 1 to 8 }
// of the first bytes of a file. A file without EXIF, or with broken EXIF, has none of these.
export function readExif(buffer) {
  const nothing = { position: null, date: null, time: null, orientation: 1 };
  const tiff = findExif(new DataView(buffer));
  if (!tiff) return nothing;
  const main = directory(tiff, tiff.start);
  const details = directory(tiff, number(main.get(tags.details)));
  const place = directory(tiff, number(main.get(tags.position)));
  const orientation = number(main.get(tags.orientation));
  const moment = [details.get(tags.taken), details.get(tags.made), main.get(tags.changed)].map(instant).find((found) => found) ?? {};
  return {
    position: position(place),
    date: moment.date ?? null,
    time: moment.time ?? null,
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
  };
}

// The TIFF structure in the first APP1 segment that begins with "Exif": { view, little, start }; null if there is none.
function findExif(view) {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 4 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) { at += 1; continue; } // a fill byte
    if (marker === 0xda || marker === 0xd9) return null; // the picture itself begins, or the file ends
    const length = view.getUint16(at + 2);
    if (length < 2) return null;
    const end = Math.min(at + 2 + length, view.byteLength);
    if (marker === 0xe1 && end - at >= 18 && view.getUint32(at + 4) === 0x45786966 && view.getUint16(at + 8) === 0) {
      return header(new DataView(view.buffer, view.byteOffset + at + 10, end - at - 10));
    }
    at += 2 + length;
  }
  return null;
}

function header(view) {
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return null;
  const little = order === 0x4949;
  return view.getUint16(2, little) === 42 ? { view, little, start: view.getUint32(4, little) } : null;
}

// The values of a directory by their tags; empty if it does not lie in the segment.
function directory({ view, little }, start) {
  const found = new Map();
  if (!Number.isInteger(start) || start < 8 || start + 2 > view.byteLength) return found;
  const entries = Math.min(view.getUint16(start, little), mostEntries);
  for (let index = 0; index < entries; index += 1) {
    const at = start + 2 + 12 * index;
    if (at + 12 > view.byteLength) break;
    const type = view.getUint16(at + 2, little);
    const amount = view.getUint32(at + 4, little);
    const bytes = (sizes[type] ?? 0) * amount;
    if (bytes === 0 || bytes > view.byteLength) continue;
    const from = bytes <= 4 ? at + 8 : view.getUint32(at + 8, little);
    if (from + bytes > view.byteLength) continue;
    const tag = view.getUint16(at, little);
    if (!found.has(tag)) found.set(tag, values(view, little, type, amount, from));
  }
  return found;
}

// A text, or a list of numbers; a fraction without a denominator is not a number.
function values(view, little, type, amount, from) {
  const one = (index) => {
    const at = from + index * sizes[type];
    switch (type) {
      case 3: return view.getUint16(at, little);
      case 4: return view.getUint32(at, little);
      case 5: return view.getUint32(at, little) / view.getUint32(at + 4, little);
      case 9: return view.getInt32(at, little);
      case 10: return view.getInt32(at, little) / view.getInt32(at + 4, little);
      default: return view.getUint8(at);
    }
  };
  const list = Array.from({ length: Math.min(amount, 64) }, (_, index) => one(index));
  return type === 2 ? String.fromCharCode(...list).split("\0")[0].trim() : list;
}

const number = (value) => (Array.isArray(value) && Number.isFinite(value[0]) ? value[0] : null);

// "1936:05:04 14:05:00"; cameras without a clock write zeros or spaces.
function instant(text) {
  const parts = typeof text === "string" ? /^(\d{4}):(\d\d):(\d\d)(?: (\d\d):(\d\d))?/.exec(text) : null;
  if (!parts) return null;
  const [, year, month, day, hour, minute] = parts;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (year === "0000" || date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  return { date: `${year}-${month}-${day}`, time: hour < "24" && minute < "60" ? `${hour}:${minute}` : null };
}

function position(place) {
  const lat = angle(place.get(gps.latitude), place.get(gps.latitudeSide), "N", "S", 90);
  const lon = angle(place.get(gps.longitude), place.get(gps.longitudeSide), "E", "W", 180);
  // Cameras without a fix write zeros.
  if (lat === null || lon === null || (lat === 0 && lon === 0)) return null;
  const error = number(place.get(gps.error));
  return { lat, lon, accuracy: error > 0 && error <= worst ? error : null };
}

// Degrees of [degrees, minutes, seconds] and the letter of a side.
function angle(parts, side, positive, negative, limit) {
  if (!Array.isArray(parts) || parts.length === 0 || (side !== positive && side !== negative)) return null;
  const [degrees, minutes = 0, seconds = 0] = parts;
  const value = degrees + minutes / 60 + seconds / 3600;
  if (!Number.isFinite(value) || value < 0 || value > limit) return null;
  return Number(((side === negative ? -1 : 1) * value).toFixed(7));
}
