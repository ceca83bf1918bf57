// Sections of the settings: quiet hours, the summary by e-mail, and places with settings of their own.

import { element } from "./dom.js";
import { check, choose, group, input } from "./settings-parts.js";
import { dateWords } from "./words.js";
import { t } from "./texts.js";

const days = { mon: t("Monday"), tue: t("Tuesday"), wed: t("Wednesday"), thu: t("Thursday"), fri: t("Friday"), sat: t("Saturday"), sun: t("Sunday") };

export function quietSection({ save }) {
  const list = element("ul", { class: "settings-list" });
  const add = element("button", { type: "button", class: "plain" }, t("Add quiet hours"));
  const zone = element("p", { class: "hint" });
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const move = element("button", { type: "button", class: "plain", hidden: true }, t("Use this device’s time zone, {zone}", { zone: here }));
  const section = group(t("Quiet hours"), element("p", { class: "hint" }, t("Nothing is sent in these hours; afterwards one message says what there was.")), list, add, zone, move);
  let windows = [];
  const change = (next, words) => save(section, { quiet_hours: next }, words);
  add.addEventListener("click", () => change([...windows, { days: Object.keys(days), from: "22:00", to: "07:00" }], t("Saved: quiet from 22:00 to 07:00.")));
  move.addEventListener("click", () => save(section, { time_zone: here }, t("Saved: times are those of {zone}.", { zone: here })));

  function row(window, index) {
    const replaced = (part) => windows.map((other, at) => (at === index ? { ...other, ...part } : other));
    const time = (words, name) => {
      // 24:00 is the end of a day, which an input of a time calls 00:00.
      const field = element("input", { type: "time", required: true, value: window[name] === "24:00" ? "00:00" : window[name] });
      field.addEventListener("change", () => {
        const value = name === "to" && field.value === "00:00" ? "24:00" : field.value;
        if (value) change(replaced({ [name]: value }), t("Saved: the quiet hours."));
        else section.problem.textContent = t("Enter a time, such as 22:00.");
      });
      return element("label", { class: "settings-time" }, element("span", {}, words), field);
    };
    const boxes = Object.entries(days).map(([day, word]) => {
      const { row: label, box } = check(word, (on) => {
        const chosen = Object.keys(days).filter((one) => (one === day ? on : window.days.includes(one)));
        if (chosen.length > 0) return change(replaced({ days: chosen }), t("Saved: the days of the quiet hours."));
        box.checked = true;
        section.problem.textContent = t("Quiet hours need a day. “Remove” ends them.");
        return undefined;
      });
      box.checked = window.days.includes(day);
      return label;
    });
    const end = element("button", { type: "button", class: "plain", "aria-label": t("Remove quiet hours from {from} to {to}", { from: window.from, to: window.to }), onclick: async () => {
      if (await change(windows.filter((_, at) => at !== index), t("Removed: these quiet hours."))) add.focus();
    } }, t("Remove"));
    return element("li", {}, element("div", { role: "group", "aria-label": t("Quiet from {from} to {to}", { from: window.from, to: window.to }) },
      element("div", { class: "settings-row" }, time(t("From"), "from"), time(t("to"), "to"), end), element("div", { class: "settings-days" }, ...boxes)));
  }

  section.update = ({ quiet_hours: hours, time_zone: stored }) => {
    // Lines are drawn anew only if they changed, and the focus returns to where it was in them.
    if (JSON.stringify(hours) !== JSON.stringify(windows) || list.children.length !== hours.length) {
      const fields = () => [...list.querySelectorAll("input, button")];
      const focused = fields().indexOf(document.activeElement);
      windows = hours;
      list.replaceChildren(...hours.map(row));
      if (focused >= 0) fields()[focused]?.focus();
    }
    zone.textContent = t("Times are those of {zone}.", { zone: stored });
    move.hidden = stored === here;
  };
  return section;
}

export function digestSection({ save }) {
  const set = (change, words) => save(section, { digest: change }, words);
  const often = { never: t("Never"), weekly: t("Every week"), monthly: t("Every month") };
  const every = choose(t("By e-mail"), Object.entries(often), (value) => set({ every: value }, t("Saved: {choice}.", { choice: often[value].toLowerCase() })));
  const day = choose(t("On"), Object.entries(days), (value) => set({ day: value }, t("Saved: on {day}.", { day: days[value] })));
  const hours = Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, "0")}:00`]);
  const hour = choose(t("At"), hours, (value) => set({ hour: Number(value) }, t("Saved: at {hour}:00.", { hour: value })));
  const instead = check(t("Instead of single e-mails"), (on) => set({ instead: on }, on ? t("Saved: only the summary.") : t("Saved: single e-mails as well.")), t("Invitations always come at once."));
  const notes = element("p", { class: "hint" });
  const section = group(t("Summary"), every.row, day.row, hour.row, instead.row, notes);
  section.update = ({ digest, notes: all }) => {
    every.select.value = digest.every;
    day.select.value = digest.day;
    hour.select.value = String(digest.hour);
    instead.box.checked = digest.instead;
    day.row.hidden = digest.every !== "weekly";
    hour.row.hidden = instead.row.hidden = digest.every === "never";
    const words = all.filter(({ field }) => field.startsWith("digest")).map(({ message }) => message);
    notes.textContent = words.length > 0 ? t("No summary can be sent yet: {why}.", { why: words.join("; ") }) : "";
  };
  return section;
}

export function placeSection({ save }) {
  const list = element("ul", { class: "settings-list" });
  const none = element("p", { class: "hint" }, t("None. “Mute this place”, beside a notification, ends those from there."));
  const section = group(t("Muted places"), none, list);
  section.node.tabIndex = -1;

  function row(place) {
    const until = place.muted_until ? t("until {date}", { date: dateWords(place.muted_until.slice(0, 10)) }) : t("for good");
    const name = place.name ?? t("A place without a name");
    const again = element("button", { type: "button", class: "plain", "aria-label": t("Notify again: {name}", { name }), onclick: async () => {
      // What else was set for the place stays.
      const rest = (settings) => settings.places.map(input).flatMap((one) => {
        if (one.place_id !== place.place_id) return [one];
        return one.radius !== null || one.kinds !== null ? [{ ...one, enabled: true, muted_until: null }] : [];
      });
      if (await save(section, (settings) => ({ places: rest(settings) }), t("Saved: {name} notifies again.", { name }))) section.node.focus();
    } }, t("Notify again"));
    return element("li", { class: "settings-row" }, element("span", { dir: "auto" }, name, element("span", { class: "hint" }, ` ${until}`)), again);
  }

  section.update = ({ places }) => {
    const muted = places.filter(({ enabled, muted_until: until }) => !enabled || (until && Date.parse(until) > Date.now()));
    none.hidden = muted.length > 0;
    list.replaceChildren(...muted.map(row));
  };
  return section;
}
