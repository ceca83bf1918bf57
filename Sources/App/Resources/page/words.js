// The page's text: numbers, kinds, privacy levels, dates and places.

const numbers = new Intl.NumberFormat("en");
const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const kinds = { __proto__: null, interview: "Interview", photo: "Photograph", document: "Document", video_object: "Video", observation: "Observation" };
const levels = {
  __proto__: null,
  public: { name: "Public", meaning: "Everyone can see it." },
  family_only: { name: "Family only", meaning: "Members of the owner’s family groups can see it." },
  private: { name: "Private", meaning: "Only its owner can see it." },
};

const views = { __proto__: null, shared: "Public stories", family: "Family stories", mine: "My stories" };

export const knownKinds = Object.keys(kinds);
export const knownLevels = Object.keys(levels);
export const knownViews = Object.keys(views);

export const count = (n) => numbers.format(n);
export const stories = (n) => (n === 1 ? "1 story" : `${count(n)} stories`);
export const levelMeaning = (level) => levels[level]?.meaning ?? "";
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
  const [from, to] = String(text).split("/");
  if (to !== undefined) return from === to ? dateWords(from) : `${dateWords(from)} to ${dateWords(to)}`;
  const parts = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(from);
  if (!parts) return from;
  const [, year, month, day] = parts;
  const name = months[Number(month) - 1];
  if (!month || !name) return year;
  return day ? `${Number(day)} ${name} ${year}` : `${name} ${year}`;
}

export function placeWords(location) {
  if (!location) return "";
  const parts = [location.name, location.city, location.state, location.country].filter(Boolean);
  return parts.filter((part, index) => parts.indexOf(part) === index).slice(0, 3).join(", ");
}

// "4 May 2026" of an instant.
export const dayWords = (instant) => new Date(instant).toLocaleDateString("en", { dateStyle: "long" });

// "in 5 minutes", "3 days ago" for recent instants, the calendar day for older ones.
export function ago(instant, now = Date.now()) {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return "";
  const seconds = Math.round((time - now) / 1000);
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) {
      return Math.abs(seconds) > 14 * 86400 ? new Date(time).toLocaleDateString("en", { dateStyle: "long" })
        : relative.format(Math.trunc(seconds / size), unit);
    }
  }
  return "just now";
}

export function bytes(n) {
  if (n < 1024) return `${n} bytes`;
  return n < 1024 * 1024 ? `${(n / 1024).toFixed(1)} kB` : `${(n / 1024 / 1024).toFixed(1)} MB`;
}
