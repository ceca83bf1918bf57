// A person's photo, made ready to be sent: drawn again at the size that the service keeps, upright, without what the
// camera wrote into the file.

import { longestHead, readExif } from "./exif.js";
import { t } from "./texts.js";

const side = 1_000; // pixels; the service keeps fewer
const quality = 0.88;
const mostBytes = 100 << 20; // of a file

// Returns { address, width, height, exif } with the picture as a data: address. Throws an Error to be shown.
export async function readPhoto(file) {
  if (file.size > mostBytes) throw new Error(t("This file is too large. Choose a picture of at most 100 MB."));
  const exif = readExif(await file.slice(0, longestHead).arrayBuffer());
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    throw new Error(t("This browser cannot read the picture. Choose a JPEG, PNG or WebP."));
  }
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff"; // under transparent parts
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return { address: canvas.toDataURL("image/jpeg", quality), width: canvas.width, height: canvas.height, exif };
}

// The bytes of a data: address in base64.
export function dataBlob(address) {
  const [head, text] = address.split(",");
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: head.slice("data:".length).split(";")[0] });
}
