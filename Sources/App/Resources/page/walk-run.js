// The report of a walk as the page uses it: what happens at which step. No document and no map in here.

import { decimal, t, told } from "./texts.js";

export const phases = { outside: t("outside"), candidate: t("possibly inside"), inside: t("inside"), leaving: t("leaving") };

const percent = (share) => `${Math.round(share * 100)} %`;
const metres = (value) => (value < 10 ? `${decimal(value, 1)} m` : value < 10000 ? `${decimal(value, 0)} m` : `${decimal(value / 1000, 1)} km`);
export const clock = (time) => time.slice(11, 19);

const longestName = 80;

// A title within a sentence, cut if it is long; its direction stays within it.
function quoted(title) {
  const letters = [...title];
  return `\u2068“${letters.length > longestName ? `${letters.slice(0, longestName - 1).join("")}…` : title}”\u2069`;
}

export class Run {
  #report;
  #fences;
  #noticesAt = new Map();

  constructor(report) {
    this.#report = report;
    this.#fences = new Map(report.fences.map((fence) => [fence.place, fence]));
    for (const notice of report.notifications) {
      const index = this.#stepOf(notice);
      this.#noticesAt.set(index, [...(this.#noticesAt.get(index) ?? []), notice]);
    }
  }

  get steps() { return this.#report.steps; }
  get fences() { return this.#report.fences; }
  get notices() { return this.#report.notifications.map((notice) => ({ notice, index: this.#stepOf(notice) })); }
  get silences() { return this.#report.silences; }
  get fixes() { return this.steps.filter(({ fix }) => fix).map(({ fix }) => fix); }

  // The step at which the fix or the clock decided that led to a notification.
  #stepOf(notice) {
    const entered = ({ entered: entries }) => entries.some(({ at }) => at === notice.at);
    const index = this.steps.findIndex(entered);
    return index >= 0 ? index : Math.max(0, this.steps.findIndex((step) => step.clock >= notice.at));
  }

  noticesAt(index) { return this.#noticesAt.get(index) ?? []; }

  // What a place is called: by its first story, because a walk must be readable without the map.
  nameOf(place) {
    const fence = this.#fences.get(place);
    if (!fence) return place;
    const others = fence.count - 1;
    const name = quoted(fence.stories[0].title);
    return others > 0 ? t("{name} and {count} more", { name, count: others }) : name;
  }

  titleOf(story) {
    for (const { stories } of this.fences) {
      const found = stories.find(({ id }) => id === story);
      if (found) return found.title;
    }
    return story;
  }

  // The phase of every fence after a step, without those outside.
  phasesAfter(index) {
    const now = new Map();
    for (const step of this.steps.slice(0, index + 1)) {
      for (const { place } of step.entered) now.set(place, "inside");
      for (const { place, after } of step.decisions) now.set(place, after);
      if (step.cause === "clock") for (const { place } of step.entered) now.set(place, "inside");
      for (const place of step.left) now.set(place, "outside");
    }
    for (const [place, phase] of now) if (phase === "outside") now.delete(place);
    return now;
  }

  // Whether something changes at a step.
  matters(index) {
    const { fix, decisions, entered, left } = this.steps[index];
    const changes = decisions.some(({ before, after }) => before !== after);
    return changes || entered.length > 0 || left.length > 0 || this.noticesAt(index).length > 0 || (fix !== null && fix.outcome !== "accepted");
  }

  // A step in a line.
  headline(index) {
    const { cause, fix, decisions, entered, left, clock: time } = this.steps[index];
    const notices = this.noticesAt(index);
    const words = [];
    if (notices.length > 0) words.push(t("Notification: {titles}", { titles: notices.map(({ title }) => title).join("; ") }));
    for (const { place, kind } of entered) words.push(kind === "passed" ? t("passed {place}", { place: this.nameOf(place) }) : t("arrived at {place}", { place: this.nameOf(place) }));
    for (const place of left) words.push(t("left {place}", { place: this.nameOf(place) }));
    if (words.length === 0) {
      for (const { place, before, after } of decisions.filter((one) => one.before !== one.after)) words.push(t("{place}: {before}, now {after}", { place: this.nameOf(place), before: phases[before], after: phases[after] }));
    }
    if (words.length === 0 && fix && fix.outcome !== "accepted") words.push(t("fix not used"));
    if (words.length === 0) words.push(cause === "clock" ? t("the clock") : cause === "gap" ? t("a gap in the recording") : t("fix accepted"));
    return `${clock(time)}  ${words.join("; ")}`;
  }

  // A decision in a sentence: its numbers, and the rule that decided.
  decisionWords({ place, likely_d: distance, likely_acc: accuracy, p, before, after, why }) {
    const change = before === after ? t("stays {phase}", { phase: phases[after] }) : t("{before}, now {after}", { before: phases[before], after: phases[after] });
    return t("{place}: {change}. {distance} from the middle, exact to {accuracy}, inside with {share}. Rule: {why}.",
      { place: this.nameOf(place), change, distance: metres(distance), accuracy: metres(accuracy), share: percent(p), why: told(why) });
  }

  entryWords({ place, kind, confidence, why }) {
    const values = { place: this.nameOf(place), share: percent(confidence), why: told(why) };
    return kind === "passed" ? t("Passed {place}, with {share}: {why}.", values) : t("Arrived at {place}, with {share}: {why}.", values);
  }

  // The box around the way, as [west, south, east, north]; null without a fix. A way across the antimeridian is as wide
  // as it is.
  get box() { return boxOf(this.fixes.map(({ lon, lat }) => [lon, lat])); }

  // The whole walk, a line of JSON for each thing in it.
  ndjson(options) {
    const { fences, steps, notifications, silences, ...rest } = this.#report;
    const lines = [{ type: "walk", options, ...rest }];
    for (const [type, items] of Object.entries({ fence: fences, step: steps, notification: notifications, silence: silences })) {
      for (const item of items) lines.push({ type, ...item });
    }
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }
}

export function boxOf(points) {
  if (points.length === 0) return null;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const [first] = points[0];
  for (const [longitude, latitude] of points) {
    const near = longitude + 360 * Math.round((first - longitude) / 360);
    [west, east] = [Math.min(west, near), Math.max(east, near)];
    [south, north] = [Math.min(south, latitude), Math.max(north, latitude)];
  }
  const around = 0.002;
  return [west - around, Math.max(-90, south - around), east + around, Math.min(90, north + around)];
}

// The file that is sent for a drawn way.
export const drawnFile = (points) => JSON.stringify({ type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: points } });

// Coordinates as people type or paste them: decimal degrees, latitude first unless letters say otherwise; null for
// anything else.
export function typedPoint(text) {
  const part = "([NSEW]?)\\s*([-+−]?)(\\d+(?:[.]\\d+)?)\\s*°?\\s*([NSEW]?)";
  const match = text.trim().match(new RegExp(`^${part}[\\s,;]+${part}$`, "i"));
  if (!match) return null;
  const parts = [match.slice(1, 5), match.slice(5, 9)].map(([before, sign, digits, after]) => ({ side: (before || after).toUpperCase(), isTwice: before !== "" && after !== "", sign, digits }));
  if (parts.some(({ isTwice, side, sign }) => isTwice || (side !== "" && sign !== ""))) return null;
  const [first, second] = parts.map(({ side, sign, digits }) => (sign === "-" || sign === "−" || side === "S" || side === "W" ? -1 : 1) * Number(digits));
  const [isLongitude, isLatitude] = ["EW", "NS"].map((sides) => ({ side }) => side !== "" && sides.includes(side));
  const isTurned = isLongitude(parts[0]) || isLatitude(parts[1]);
  if (isTurned ? isLatitude(parts[0]) || isLongitude(parts[1]) : isLongitude(parts[0]) || isLatitude(parts[1])) return null;
  const [latitude, longitude] = isTurned ? [second, first] : [first, second];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [longitude, latitude] : null;
}
