// Stories over time as bars, with two sliders that choose the days, and a button that moves the chosen span along.

import { calm, element } from "./dom.js";
import { rangeWords } from "./chips.js";
import { count, dateWords, stories } from "./words.js";
import { t, tn } from "./texts.js";

export const bins = 40;
const pause = 1400; // milliseconds between two steps
const shareOfAll = 8; // without a chosen span, an eighth of all days is played

const drawings = {
  play: '<path d="M8 5.5v13l11-6.5z"/>',
  pause: '<path d="M8 5v14M16 5v14"/>',
};

export class Histogram {
  #filters;
  #bins = [];
  #bars = element("div", { class: "time-bars", role: "img" });
  #low = slider(t("First day"));
  #high = slider(t("Last day"));
  #words = element("p", { class: "span-words" });
  #undated = element("p", { class: "hint" });
  #play = element("button", { type: "button", class: "tool bordered" });
  #earlier = element("button", { type: "button", class: "plain" }, t("Earlier"));
  #later = element("button", { type: "button", class: "plain" }, t("Later"));
  #timer = 0;

  constructor(filters) {
    this.#filters = filters;
    for (const one of [this.#low, this.#high]) {
      one.addEventListener("input", () => { this.stop(); this.#keepApart(one); this.#show(); });
      one.addEventListener("change", () => this.#choose());
    }
    this.#play.addEventListener("click", () => (this.#timer ? this.stop() : this.#start()));
    this.#earlier.addEventListener("click", () => { this.stop(); this.#move(-1); });
    this.#later.addEventListener("click", () => { this.stop(); this.#move(1); });
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.stop(); });
  }

  get playing() { return this.#timer !== 0; }

  // The parts of the panel, once.
  get nodes() {
    const sliders = element("div", { class: "sliders" }, this.#low, this.#high);
    const steps = element("div", { class: "choices" }, this.#play, this.#earlier, this.#later);
    this.#namePlay();
    return [element("div", { class: "time" }, this.#bars, sliders), this.#words, this.#undated, steps];
  }

  // Shows an answer of the service.
  update({ bins: found, undated }) {
    const isUsed = [this.#low, this.#high].includes(document.activeElement) && found.length === this.#bins.length;
    this.#bins = found;
    const most = Math.max(1, ...found.map((bin) => bin.count));
    this.#bars.replaceChildren(...found.map((bin) => element("span", { class: "time-bar", style: { "--share": bin.count === 0 ? 0 : Math.max(0.04, bin.count / most) } })));
    const peak = found.find((bin) => bin.count === most);
    this.#bars.setAttribute("aria-label", found.length === 0 ? t("No dated stories here.")
      : t("Stories over time, from {from} to {to}. Most, {count}, from {start} to {end}.",
        { from: dateWords(found[0].from), to: dateWords(found.at(-1).to), count: most, start: dateWords(peak.from), end: dateWords(peak.to) }));
    for (const one of [this.#low, this.#high, this.#play, this.#earlier, this.#later]) one.disabled = found.length === 0;
    for (const one of [this.#low, this.#high]) one.max = String(Math.max(0, found.length - 1));
    if (!isUsed) {
      this.#low.value = String(this.#position(this.#filters.from, 0, (bin, day) => bin.to >= day));
      this.#high.value = String(this.#lastPosition(this.#filters.to));
    }
    this.#undated.textContent = undated > 0 ? tn(undated, "{count} story without a date: it is shown only while all days are chosen.", "{count} stories without a date: they are shown only while all days are chosen.") : "";
    this.#show();
  }

  stop() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#namePlay();
  }

  #position(day, otherwise, reaches) {
    if (!day) return otherwise;
    const found = this.#bins.findIndex((bin) => reaches(bin, padded(day, "01")));
    return found < 0 ? Math.max(0, this.#bins.length - 1) : found;
  }

  #lastPosition(day) {
    if (!day) return Math.max(0, this.#bins.length - 1);
    const end = padded(day, "31");
    let last = 0;
    this.#bins.forEach((bin, index) => { if (bin.from <= end) last = index; });
    return last;
  }

  // The two sliders cannot pass each other.
  #keepApart(moved) {
    if (Number(this.#low.value) <= Number(this.#high.value)) return;
    if (moved === this.#low) this.#low.value = this.#high.value;
    else this.#high.value = this.#low.value;
  }

  get #span() { return [Number(this.#low.value), Number(this.#high.value)]; }

  #show() {
    const [low, high] = this.#span;
    [...this.#bars.children].forEach((bar, index) => bar.classList.toggle("out", index < low || index > high));
    const [from, to] = [this.#bins[low]?.from, this.#bins[high]?.to];
    this.#low.setAttribute("aria-valuetext", from ? dateWords(from) : t("no days"));
    this.#high.setAttribute("aria-valuetext", to ? dateWords(to) : t("no days"));
    this.#words.textContent = from ? (this.#isAll ? t("All days: {dates}", { dates: rangeWords(from, to) }) : rangeWords(from, to)) : t("No dated stories here.");
  }

  get #isAll() {
    const [low, high] = this.#span;
    return low === 0 && high >= this.#bins.length - 1;
  }

  // With all days chosen, nothing is filtered, so that stories without a date stay.
  #choose() {
    const [low, high] = this.#span;
    if (this.#bins.length === 0) return;
    if (this.#isAll) this.#filters.setDates(null, null);
    else this.#filters.setDates(this.#bins[low].from, this.#bins[high].to);
  }

  #start() {
    if (this.#isAll) {
      const width = Math.max(1, Math.round(this.#bins.length / shareOfAll));
      this.#set(0, width - 1);
    } else if (this.#span[1] >= this.#bins.length - 1) {
      this.#set(0, this.#span[1] - this.#span[0]);
    }
    this.#timer = setInterval(() => { if (!this.#move(1)) this.stop(); }, pause);
    this.#namePlay();
  }

  // Moves the chosen span by bins. Returns whether there was room.
  #move(by) {
    let [low, high] = this.#span;
    if (this.#isAll) high = Math.max(1, Math.round(this.#bins.length / shareOfAll)) - 1 - by;
    if (this.#isAll) low = -by;
    if (low + by < 0 || high + by > this.#bins.length - 1) return false;
    this.#set(low + by, high + by);
    return true;
  }

  #set(low, high) {
    [this.#low.value, this.#high.value] = [String(low), String(high)];
    this.#show();
    this.#choose();
  }

  // With reduced motion nothing moves by itself: there are only the steps.
  #namePlay() {
    const words = this.#timer ? t("Pause") : t("Play through time");
    const template = element("template");
    template.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${this.#timer ? drawings.pause : drawings.play}</svg>`;
    this.#play.replaceChildren(template.content);
    this.#play.setAttribute("aria-label", words);
    this.#play.title = words;
    this.#play.hidden = calm();
  }
}

const slider = (name) => element("input", { type: "range", min: "0", max: "0", step: "1", "aria-label": name });

// A month or a year as its first or last day: good enough to find the bin that holds it.
const padded = (day, end) => (day.length === 4 ? `${day}-${end === "01" ? "01" : "12"}-${end}` : day.length === 7 ? `${day}-${end}` : day);
