// The page's text: numbers, kinds, privacy levels, dates and places.

import { decimal, language, t, tn } from "./texts.js";

const numbers = new Intl.NumberFormat(language);
const dates = language === "en" ? "en-GB" : language; // the day before the month, as this page writes it
const kinds = { __proto__: null, interview: t("Interview"), photo: t("Photograph"), document: t("Document"), video_object: t("Video"), observation: t("Observation"), event: t("Event") };
const levels = {
  __proto__: null,
  public: { name: t("Public"), meaning: t("Everyone can see it.") },
  family_only: { name: t("Family only"), meaning: t("Members of the owner’s family groups can see it."), own: t("Members of your family groups can see it.") },
  private: { name: t("Private"), meaning: t("Only its owner can see it."), own: t("Only you can see it.") },
};

const views = { __proto__: null, shared: t("Public stories"), family: t("Family stories"), mine: t("My stories") };

export const knownKinds = Object.keys(kinds);
export const knownLevels = Object.keys(levels);
export const knownViews = Object.keys(views);

export const count = (n) => numbers.format(n);
export const stories = (n) => (tn(n, "{count} story", "{count} stories"));
// "1 story, 2 places" of a cluster in which stories have several places.
export const clusterWords = ({ point_count: n, places }) => (places ? tn(n, "{count} story, {places} places", "{count} stories, {places} places", { places }) : stories(n));
// To the owner of a story, or to anybody.
export const levelMeaning = (level, isOwn = false) => (isOwn ? levels[level]?.own : null) ?? levels[level]?.meaning ?? "";
export const levelWord = (level) => levels[level]?.name ?? sentence(level);
export const viewWord = (view) => views[view] ?? sentence(view);
export const kindWord = (kind) => kinds[kind] ?? sentence(kind);

function sentence(name) {
  const words = String(name ?? "story").replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// "1936", "May 1936", "4 May 1936", "1936 to 1941"; anything else unchanged.
export function dateWords(text) {
  if (!text) return "";
  const [from, to, ...others] = String(text).split("/").map(plainDateWords);
  if (!from || to === null || others.length > 0) return text;
  return to === undefined || from === to ? from : t("{from} to {to}", { from, to });
}

// "4 May 2026" of 2026-05-04; null for any other text.
function plainDateWords(text) {
  const parts = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(text);
  if (!parts) return null;
  const [, year, month, day] = parts;
  if (!month) return year;
  if (month < 1 || month > 12) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day ?? 1);
  return date.toLocaleDateString(dates, { timeZone: "UTC", year: "numeric", month: "long", ...(day ? { day: "numeric" } : {}) });
}

export function placeWords(location) {
  if (!location) return "";
  const parts = [location.name, location.city, location.state, location.country].filter(Boolean);
  return parts.filter((part, index) => parts.indexOf(part) === index).slice(0, 3).join(", ");
}

// "4 May 2026" of an instant.
export const dayWords = (instant) => new Date(instant).toLocaleDateString(language, { dateStyle: "long" });

// "in 5 minutes", "3 days ago" for recent instants, the calendar day for older ones.
export function ago(instant, now = Date.now()) {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return "";
  const seconds = Math.round((time - now) / 1000);
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) {
      return Math.abs(seconds) > 14 * 86400 ? new Date(time).toLocaleDateString(language, { dateStyle: "long" })
        : relative.format(Math.trunc(seconds / size), unit);
    }
  }
  return t("just now");
}

export function bytes(n) {
  if (n < 1024) return tn(n, "{count} byte", "{count} bytes");
  return n < 1024 * 1024 ? `${decimal(n / 1024, 1)} kB` : `${decimal(n / 1024 / 1024, 1)} MB`;
}
