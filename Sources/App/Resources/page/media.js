// The recording, picture or document that a story links: named by its type, and played where its server may be asked.

import { byId, element } from "./dom.js";
import { pieces, t } from "./texts.js";

const types = {
  __proto__: null,
  audio: ["aac", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav"],
  image: ["avif", "gif", "jpeg", "jpg", "png", "webp"],
  video: ["m4v", "mov", "mp4", "ogv", "webm"],
  document: ["doc", "docx", "epub", "htm", "html", "odt", "pdf", "txt"],
};
const words = { __proto__: null, audio: t("Recording"), image: t("Picture"), video: t("Video"), document: t("Document"), other: t("Recording or picture") };
const usual = { __proto__: null, interview: "audio", photo: "image", video_object: "video", document: "document" };

// Another server would learn who looks at what, so only those that the operator named are asked for anything.
const named = (document.querySelector('meta[name="waymark-media-origins"]')?.content ?? "").split(" ").filter(Boolean);
const allowed = new Set([location.origin, ...named]);

// Says from where else the page may load something, if from anywhere.
export function saySources() {
  if (named.length === 0) return;
  const hosts = named.map((origin) => new URL(origin).host).join(", ");
  byId("sources").textContent = t("Pictures, recordings and videos may be loaded from {hosts}; everything else is loaded from this server.", { hosts });
}

// Returns an address as a URL, or null if it is none that a browser should open.
export function webAddress(text) {
  let url;
  try { url = new URL(text, location.origin); } catch { return null; }
  return url.protocol === "https:" || url.protocol === "http:" ? url : null;
}

// Whether the page itself may load from a URL.
export const mayLoad = (url) => allowed.has(url.origin);

// Returns what shows a story's medium, or null if it has none; `titleId` is the id of the story's title.
export function media({ media_url: address, kind, alt, title }, titleId) {
  const url = address ? webAddress(address) : null;
  if (!url) return null;
  const ending = /\.([a-z0-9]{1,5})$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? "";
  const type = Object.keys(types).find((name) => types[name].includes(ending)) ?? (ending === "" ? usual[kind] : undefined) ?? "other";
  const name = types[type]?.includes(ending) ? `${words[type]} (${ending.toUpperCase()})` : words[type];
  const link = element("a", { class: "media-link", href: url.href, rel: "noreferrer", "aria-describedby": titleId },
    name, url.origin === location.origin ? null : element("span", {}, " ", ...pieces("at {host}", { host: element("bdi", {}, url.host) })));
  const player = mayLoad(url) ? play(type, url, alt || title || name, name) : null;
  const failed = () => {
    const hadFocus = player.contains(document.activeElement);
    player.replaceWith(element("p", { class: "hint", role: "status" }, t("It cannot be shown here.")));
    if (hadFocus) link.focus();
  };
  // Errors of elements do not rise, so they are caught on their way down.
  player?.addEventListener("error", failed, { once: true, capture: true });
  return element("div", { class: "media" }, player, link);
}

function play(type, url, label, name) {
  if (type === "image") {
    // Full size, so only for who asks for it.
    const image = element("img", { src: url.href, alt: label, loading: "lazy" });
    return element("details", {}, element("summary", {}, t("Show the whole picture")), image);
  }
  if (type !== "audio" && type !== "video") return null;
  return element(type, { src: url.href, controls: true, preload: "none", "aria-label": `${name}: ${label}` });
}
