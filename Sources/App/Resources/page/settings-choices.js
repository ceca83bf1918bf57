// Sections of the settings: turning notifications on and off, how near, of what, and in how much detail.

import { element } from "./dom.js";
import { check, choose, group } from "./settings-parts.js";
import { count, dateWords, kindWord, knownKinds } from "./words.js";
import { t, tn, told } from "./texts.js";

const [nearest, farthest] = [75, 5000]; // metres

export function switchSection({ save, privacy }) {
  const explanation = element("p", { dir: "auto" });
  const ending = element("p", {}, t("Turning them off stops it at once. “What is stored about me” shows what there is, and deletes it."));
  const state = element("p", { class: "settings-now" });
  const button = element("button", { type: "button", class: "primary" });
  const stored = element("button", { type: "button", class: "plain", onclick: privacy }, t("What is stored about me"));
  const section = group(t("What this means"), explanation, ending, state, element("div", { class: "choices" }, button, stored));
  let isOn = false;
  button.addEventListener("click", () => save(section, { enabled: !isOn }, isOn ? t("Notifications near stories are off. Nothing looks at where you are.")
    : t("Notifications near stories are on. You choose below how near, of what, and how they reach you.")));
  section.update = ({ enabled, explanation: words, consent_at: since }) => {
    isOn = enabled;
    explanation.textContent = told(words);
    state.textContent = !enabled ? t("Off: nothing looks at where you are.") : since ? t("On since {date}.", { date: dateWords(since.slice(0, 10)) }) : t("On.");
    button.textContent = enabled ? t("Turn off") : t("Turn on");
  };
  return section;
}

export function radiusSection({ save, show }) {
  const id = "settings-radius";
  const number = element("input", { id, type: "number", min: nearest, max: farthest, step: 25, inputmode: "numeric", "aria-describedby": "settings-radius-help" });
  const slider = element("input", { type: "range", min: nearest, max: 2000, step: 25, "aria-label": t("Distance in metres") });
  const help = element("p", { id: "settings-radius-help", class: "hint" },
    t("{nearest} to {farthest} metres. The circle on the map is as large; in truth it is drawn around each story.", { nearest, farthest }));
  const section = group(t("How near"), element("div", { class: "settings-row" }, element("label", { for: id }, t("Metres from a story")), number), slider, help);
  const draw = (metres) => {
    slider.value = String(metres);
    slider.setAttribute("aria-valuetext", tn(metres, "{count} metre", "{count} metres"));
  };
  const change = (text) => {
    const metres = Number(text);
    if (!Number.isFinite(metres) || metres < nearest || metres > farthest) {
      section.problem.textContent = t("The distance must be {nearest} to {farthest} metres.", { nearest, farthest });
      number.setAttribute("aria-invalid", "true");
      return;
    }
    number.removeAttribute("aria-invalid");
    number.value = text;
    draw(metres);
    show(metres);
    save(section, { radius: metres }, tn(metres, "Saved: {count} metre.", "Saved: {count} metres."));
  };
  number.addEventListener("change", () => change(number.value));
  slider.addEventListener("input", () => { number.value = slider.value; draw(Number(slider.value)); show(Number(slider.value)); });
  slider.addEventListener("change", () => change(slider.value));
  for (const input of [number, slider]) input.addEventListener("focus", () => show(Number(number.value) || nearest));
  section.update = ({ radius }) => {
    number.removeAttribute("aria-invalid");
    if (document.activeElement !== number) number.value = String(radius);
    draw(radius);
  };
  return section;
}

export function kindSection({ save }) {
  const rows = element("div", {});
  const own = check(t("Also tell me of my own stories"), (on) => save(section, { notify_own: on }, on ? t("Saved: your own stories too.") : t("Saved: not your own stories.")));
  const seen = check(t("Also tell me of stories that I have looked at"), (on) =>
    save(section, { notify_viewed: on }, on ? t("Saved: stories that you have looked at too.") : t("Saved: not what you have looked at.")));
  const section = group(t("Of what"), rows, own.row, seen.row);
  let boxes = new Map();
  const change = () => {
    const chosen = [...boxes].filter(([, { box }]) => box.checked).map(([kind]) => kind);
    if (chosen.length === 0) {
      section.problem.textContent = t("Choose at least one kind. To be told of nothing, turn notifications off above.");
      return;
    }
    const all = chosen.length === boxes.size;
    save(section, { kinds: all ? [] : chosen }, all ? t("Saved: every kind of story.") : t("Saved: {choice}.", { choice: chosen.map(kindWord).join(", ") }));
  };
  section.update = ({ kinds, notify_own: ownToo, notify_viewed: seenToo }) => {
    const known = [...new Set([...knownKinds, ...kinds])];
    if (known.join() !== [...boxes.keys()].join()) {
      boxes = new Map(known.map((kind) => [kind, check(kindWord(kind), change)]));
      rows.replaceChildren(...[...boxes.values()].map(({ row }) => row));
    }
    for (const [kind, { box }] of boxes) box.checked = kinds.length === 0 || kinds.includes(kind);
    own.box.checked = ownToo;
    seen.box.checked = seenToo;
  };
  return section;
}

export function detailSection({ save }) {
  const words = { full: t("Place, titles and names"), count: t("The place and how many stories"), none: t("Only that there is something") };
  const detail = choose(t("What a message says"), Object.entries(words), (value) => save(section, { preview: value }, t("Saved: {choice}.", { choice: words[value].toLowerCase() })));
  const section = group(t("How much it says"), detail.row,
    element("p", { class: "hint" }, t("Messages may be read on a locked screen. None ever holds coordinates.")));
  section.update = ({ preview }) => { detail.select.value = preview; };
  return section;
}
