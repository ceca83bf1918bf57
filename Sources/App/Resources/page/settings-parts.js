// The parts that the sections of the settings are made of.

import { element } from "./dom.js";

// A place's settings as they are sent back; what the service only tells is left out.
export function input({ place_id, enabled, muted_until, radius, kinds }) {
  return { place_id, enabled, muted_until, radius, kinds };
}

// A group of the panel: its heading, its contents, and where its problems are said.
export function group(title, ...children) {
  const problem = element("p", { class: "field-problem", role: "alert" });
  const id = `settings-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  const node = element("section", { class: "settings-group", "aria-labelledby": id }, element("h3", { id }, title), ...children, problem);
  return { node, problem };
}

// A checkbox with its label: { row, box }.
export function check(words, choose, hint = null) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => choose(box.checked));
  const row = element("label", { class: "choice" }, box, element("span", { dir: "auto" }, words, hint ? element("span", { class: "hint" }, ` ${hint}`) : null));
  return { row, box };
}

// A list to choose one of: { row, select }.
export function choose(words, options, chosen) {
  const select = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", () => chosen(select.value));
  return { row: element("label", { class: "settings-row" }, element("span", {}, words), select), select };
}

// A titled section of a dialog.
export function section(title, ...children) {
  return element("section", {}, element("h3", {}, title), ...children);
}

// A button that acts when it is pressed a second time, and says so before.
export function twice(words, sure, action) {
  const button = element("button", { type: "button", class: "plain" }, words);
  let isSure = false;
  button.addEventListener("click", () => {
    if (isSure) return action();
    isSure = true;
    button.textContent = sure;
    return undefined;
  });
  button.addEventListener("blur", () => {
    isSure = false;
    button.textContent = words;
  });
  return button;
}
