// The panel of notification settings: first what turning them on means, then the choices, each saved as it is made.

import { byId } from "./dom.js";
import { RadiusCircle } from "./radius.js";
import { channelSection } from "./settings-channels.js";
import { detailSection, kindSection, radiusSection, switchSection } from "./settings-choices.js";
import { input } from "./settings-parts.js";
import { digestSection, placeSection, quietSection } from "./settings-times.js";
import { t } from "./texts.js";

const path = "/v1/me/notification-settings";

export class NotificationSettings extends EventTarget {
  #api;
  #session;
  #push;
  #circle = null;
  #settings = null; // as stored
  #sections = [];
  #saving = Promise.resolve(); // changes are sent one after the other, each based on the last

  constructor(api, session, push) {
    super();
    [this.#api, this.#session, this.#push] = [api, session, push];
    byId("settings-open").addEventListener("click", () => this.open());
    byId("settings-close").addEventListener("click", () => this.close());
    byId("settings").addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  // The map that shows the radius; without one, the number says it alone.
  useMap(map) { this.#circle = new RadiusCircle(map); }

  // Nothing of a former viewer stays in the panel.
  viewerChanged() {
    this.close(false);
    this.#settings = null;
    this.#sections = [];
    byId("settings-body").replaceChildren();
  }

  async open() {
    this.dispatchEvent(new Event("opening"));
    byId("settings").hidden = false;
    byId("settings-open").setAttribute("aria-expanded", "true");
    byId("settings-title").focus();
    this.#say(t("Loading your settings…"));
    try {
      await this.#load();
      this.#say("");
    } catch (error) {
      this.#say(error.message);
    }
  }

  close(returnFocus = true) {
    if (byId("settings").hidden) return;
    byId("settings").hidden = true;
    byId("settings-open").setAttribute("aria-expanded", "false");
    this.#circle?.hide();
    if (returnFocus) byId("bell").focus();
  }

  // Ends notifications at a place, as asked from the list of notifications.
  async mute({ id, name }) {
    try {
      await this.#fetch();
      const places = this.#settings.places.map(input);
      const known = places.find(({ place_id: place }) => place === id) ?? { place_id: id };
      await this.#put({ places: [...places.filter((place) => place !== known), { ...known, enabled: false }] });
      return t("Muted: {name}. “Settings” lists what is muted.", { name: name || t("this place") });
    } catch (error) {
      return t("Nothing was changed. {why}", { why: error.message });
    }
  }

  async #load() {
    const { user } = this.#session;
    await this.#fetch();
    if (user !== this.#session.user || byId("settings").hidden) return;
    if (this.#sections.length === 0) this.#build();
    for (const section of this.#sections) section.update(this.#settings);
  }

  async #fetch() {
    const { user } = this.#session;
    const settings = await this.#api.get(path);
    if (user === this.#session.user) this.#settings = settings;
  }

  #build() {
    const tools = {
      api: this.#api,
      push: this.#push,
      say: (words) => this.#say(words),
      show: (metres) => this.#circle?.show(metres),
      save: (section, change, words) => this.#save(section, change, words),
      privacy: () => { this.close(false); this.dispatchEvent(new Event("privacy")); },
    };
    const make = [switchSection, radiusSection, kindSection, detailSection, channelSection, quietSection, digestSection, placeSection];
    this.#sections = make.map((section) => section(tools));
    byId("settings-body").replaceChildren(...this.#sections.map(({ node }) => node));
  }

  // Saves a change of one section, and says so in words; returns whether it was saved. What is wrong is said where it was
  // entered.
  #save(section, change, words) {
    const done = this.#saving.then(() => this.#saveNow(section, change, words));
    this.#saving = done.catch(() => {});
    return done;
  }

  async #saveNow(section, change, words) {
    section.problem.textContent = "";
    this.#say(t("Saving…"));
    try {
      await this.#put(typeof change === "function" ? change(this.#settings) : change);
      this.#say(words);
      return true;
    } catch (error) {
      section.problem.textContent = problemWords(error);
      this.#say(t("Nothing was changed."));
      if (error.status === 412) await this.#load().catch(() => {});
      else if (error.fields?.length === 0 && this.#settings) section.update(this.#settings);
      return false;
    }
  }

  async #put(change) {
    const { user } = this.#session;
    const settings = await this.#api.send("PUT", path, change, { match: this.#api.tag(path) });
    if (user !== this.#session.user) return;
    this.#settings = settings;
    for (const section of this.#sections) section.update(settings);
    // For the tag that the next change is based on; without it, that change finds out.
    await this.#fetch().catch(() => {});
  }

  #say(words) { byId("settings-state").textContent = words; }
}

function problemWords(error) {
  if (error.status === 412) return t("These settings were changed on another device. They are shown anew: choose again.");
  if (!error.fields?.length) return error.message;
  return error.fields.map(({ field, message }) => `${named(field)} ${message}.`).join(" ");
}

// A field of the service in the words of this panel.
function named(field) {
  const words = { radius: t("The distance"), kinds: t("The kinds"), quiet_hours: t("The quiet hours"), time_zone: t("The time zone"), digest: t("The summary"),
    places: t("The place"), preview: t("The detail"), channels: t("The channel"), link_template: t("The link") };
  return words[field.split(/[.[]/)[0]] ?? t("This");
}
