// What is stored about the viewer: what there is and for how long, the apps that send positions, a copy to take along, and
// the ends of it.

import { byId, element } from "./dom.js";
import { storedPasskeys } from "./passkeys.js";
import { section, twice } from "./settings-parts.js";
import { TrackerSetup } from "./tracker.js";
import { count, stories } from "./words.js";
import { pieces, t, tn, told } from "./texts.js";

const kinds = { device_states: t("Where your devices are"), visits: t("Places you are reaching"), fixes: t("Positions as received"), told_stories: t("Stories you were told of"),
  notifications: t("Notifications"), place_settings: t("Settings for places") };
const proof = t("delete");

export class StoredDialog {
  #api;
  #session;
  #trackers;

  constructor(api, session) {
    [this.#api, this.#session] = [api, session];
    this.#trackers = new TrackerSetup(api, () => this.#say(""));
    byId("stored-open").addEventListener("click", () => { byId("signed-in").close(); this.open(); });
    // Nothing stays in the page, least of all a key that is shown once.
    byId("stored").addEventListener("close", () => { this.#trackers.clear(); byId("stored-body").replaceChildren(); });
    session.addEventListener("change", () => { if (!byId("stored-body").querySelector(".receipt")) byId("stored").close(); });
  }

  async open() {
    this.#say(t("Looking…"));
    byId("stored-problem").textContent = "";
    byId("stored-body").replaceChildren();
    if (!byId("stored").open) byId("stored").showModal();
    byId("stored-title").focus();
    const { user } = this.#session;
    try {
      const data = await this.#api.get("/v1/me/location-data");
      const passkeys = await storedPasskeys(this.#api);
      if (user !== this.#session.user || !byId("stored").open) return;
      byId("stored-body").replaceChildren(this.#places(data), this.#trackers.node, passkeys, copy(), this.#account());
      this.#say("");
      await this.#trackers.load();
    } catch (error) {
      this.#fail(error);
    }
  }

  #places(data) {
    const facts = element("dl", { class: "stored-facts" });
    for (const { kind, rows, holds, until } of data.kept ?? []) {
      facts.append(element("div", {}, element("dt", {}, `${kinds[kind] ?? kind}: ${count(rows)}`), element("dd", { class: "hint" }, t("{what}; until {end}.", { what: told(holds), end: told(until) }))));
    }
    const devices = (data.devices ?? []).map(({ device }) => device);
    const remove = twice(t("Delete all of this"), t("Delete it and turn notifications off: press again"), () => this.#removePlaces());
    return section(t("Your places"), element("p", {}, told(data.explanation)),
      devices.length > 0 ? element("p", {}, ...pieces("Devices that sent positions: {devices}.", { devices: element("bdi", {}, devices.join(", ")) })) : null, facts,
      element("div", { class: "choices" }, remove));
  }

  async #removePlaces() {
    const receipt = await this.#try(() => this.#api.send("DELETE", "/v1/me/location-data"));
    if (!receipt) return;
    await this.open();
    this.#say(receipt.note);
  }

  // Deleting the account takes two steps: opening the form, and typing a word.
  #account() {
    const word = element("input", { id: "erase-word", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "erase-problem" });
    const problem = element("p", { id: "erase-problem", class: "field-problem", role: "alert" });
    const form = element("form", { class: "erase-form", novalidate: true, hidden: true, onsubmit: async (event) => {
      event.preventDefault();
      if (word.value.trim().toLowerCase() !== proof) {
        problem.textContent = t("Nothing was deleted. Type the word {word} to go on.", { word: proof });
        word.setAttribute("aria-invalid", "true");
        return word.focus();
      }
      problem.textContent = "";
      return this.#erase();
    } }, element("p", {}, t("Your account, your stories with their pictures, and everything else of yours are deleted at once, for everybody. This cannot be undone. Take a copy first.")),
      element("label", { for: "erase-word" }, t("Type the word “{word}”", { word: proof })), word, problem,
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Delete my account for good")),
        element("button", { type: "button", class: "plain", onclick: () => { form.hidden = true; start.hidden = false; start.focus(); } }, t("Keep it"))));
    const start = element("button", { type: "button", class: "plain", onclick: () => { form.hidden = false; start.hidden = true; word.focus(); } }, t("Delete my account…"));
    return section(t("Your account"), start, form);
  }

  async #erase() {
    const receipt = await this.#try(() => this.#api.send("DELETE", "/v1/me"));
    if (!receipt) return;
    const gone = receipt.counts?.stories;
    byId("stored-body").replaceChildren(element("div", { class: "receipt" },
      element("p", {}, told(receipt.note)), Number.isInteger(gone) ? element("p", {}, tn(gone, "Deleted: {count} story, and the rest.", "Deleted: {count} stories, and the rest.")) : null,
      element("p", {}, ...pieces("The number of this deletion is {number}.", { number: element("code", { class: "secret" }, receipt.receipt_id) }))));
    this.#say(t("Your account is deleted."));
    byId("stored-title").focus();
    await this.#session.expire(this.#api);
  }

  async #try(action) {
    byId("stored-problem").textContent = "";
    this.#say(t("Deleting…"));
    try {
      return await action();
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #fail(error) {
    this.#say("");
    byId("stored-problem").textContent = error.message;
  }

  #say(words) { byId("stored-state").textContent = words; }
}

function copy() {
  return section(t("A copy of everything"), element("p", {}, t("A ZIP archive of your stories, their pictures, your settings and what else is yours, as JSON and GeoJSON.")),
    element("div", { class: "choices" }, element("a", { class: "plain download", href: "/v1/me/export", download: "waymark-export.zip" }, t("Download my data"))));
}
