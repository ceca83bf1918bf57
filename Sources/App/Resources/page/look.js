// Light or dark: follows the system until the reader chooses; the choice is remembered on this device.

import { byId, element } from "./dom.js";
import { t } from "./texts.js";

const key = "waymark.look";
const system = matchMedia("(prefers-color-scheme: dark)");
const drawings = {
  light: '<path d="M20 14.5A8 8 0 1 1 9.5 4 6.5 6.5 0 0 0 20 14.5z"/>',
  dark: '<circle cx="12" cy="12" r="4.5"/><path d="M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2"/>',
};

export class Look extends EventTarget {
  constructor() {
    super();
    byId("look").addEventListener("click", () => {
      localStorage.setItem(key, this.current === "dark" ? "light" : "dark");
      this.#apply();
    });
    system.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  get current() {
    const chosen = localStorage.getItem(key);
    return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
  }

  #apply() {
    const look = this.current;
    document.documentElement.dataset.look = look;
    const words = look === "dark" ? t("Light look") : t("Dark look");
    const template = element("template");
    template.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${drawings[look]}</svg>`;
    byId("look").replaceChildren(template.content);
    byId("look").setAttribute("aria-label", words);
    byId("look").title = words;
    this.dispatchEvent(new Event("change"));
  }
}
