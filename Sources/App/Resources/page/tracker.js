// Phones that send their positions: a QR code sets the app OwnTracks up, and each phone's key can be ended.

import { element } from "./dom.js";
import { section, twice } from "./settings-parts.js";
import { ago } from "./words.js";
import { t, told } from "./texts.js";

export class TrackerSetup {
  #api;
  #changed;
  #list = element("ul", { class: "settings-list" });
  #shown = element("div", {});
  #problem = element("p", { class: "field-problem", role: "alert" });
  #name = element("input", { id: "tracker-name", type: "text", maxlength: 60, autocomplete: "off", placeholder: t("My phone") });

  constructor(api, changed) {
    [this.#api, this.#changed] = [api, changed];
    const form = element("form", { class: "tracker-form", novalidate: true, onsubmit: (event) => { event.preventDefault(); this.#make(); } },
      element("label", { for: "tracker-name" }, t("Name of the phone")), this.#name,
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Show the code for a phone"))));
    this.node = section(t("Phones that send positions"),
      element("p", {}, t("To be notified while the page is closed, a phone sends its positions here by a free app, OwnTracks. Its code can send that phone’s positions and nothing else.")),
      this.#list, form, this.#problem, this.#shown);
  }

  async load() {
    this.#problem.textContent = "";
    const { keys } = await this.#api.get("/v1/me/keys");
    const phones = keys.filter(({ kind }) => kind === "device");
    const reports = await Promise.all(phones.map(({ device }) => this.#reports(device)));
    this.#list.replaceChildren(...phones.map((key, index) => this.#row(key, reports[index])));
  }

  // What is known of a phone's reports; without it the list is complete, too.
  async #reports(device) {
    try { return await this.#api.get(`/v1/me/devices/${encodeURIComponent(device)}`); } catch { return null; }
  }

  clear() {
    this.#shown.replaceChildren();
    this.#name.value = "";
    this.#list.replaceChildren();
    this.#problem.textContent = "";
  }

  #row({ id, name, device, last_used_at: used }, reports) {
    const ignored = reports?.ignored && reports.ignored.at === reports.received_at ? reports.ignored : null;
    const end = twice(t("End"), t("End it: press again"), async () => {
      try {
        await this.#api.send("DELETE", `/v1/me/keys/${id}`);
      } catch (error) {
        if (error.status !== 404) this.#problem.textContent = error.message;
      }
      await this.#reload();
      this.#name.focus();
    });
    end.setAttribute("aria-describedby", `key-${id}`);
    return element("li", { class: "settings-row" }, element("span", { id: `key-${id}`, dir: "auto" }, name || device,
      element("span", { class: "hint" }, ` · ${used ? t("sent positions {when}", { when: ago(used) }) : t("nothing sent yet")}`),
      ignored ? element("span", { class: "hint" }, ` · ${t("its last report was not used: {reason}", { reason: told(ignored.message) })}`) : null), end);
  }

  async #reload() {
    try { await this.load(); } catch (error) { this.#problem.textContent = error.message; }
  }

  async #make() {
    this.#problem.textContent = "";
    this.#changed();
    const name = this.#name.value.trim() || t("My phone");
    try {
      const made = await this.#api.send("POST", "/v1/me/owntracks", { name, device: deviceName(name) });
      this.#show(made);
      await this.#reload();
    } catch (error) {
      this.#problem.textContent = error.fields?.length ? error.fields.map(({ message }) => t("The name {message}.", { message })).join(" ") : error.message;
    }
  }

  // The code is drawn by the server and shown once: it holds the phone's key.
  #show({ link, qr_code: drawing, name }) {
    const title = element("h4", { tabindex: "-1" }, t("Scan this with the phone’s camera"));
    const done = element("button", { type: "button", class: "primary", onclick: () => { this.#shown.replaceChildren(); this.#name.focus(); } }, t("Done"));
    this.#shown.replaceChildren(title,
      element("p", {}, t("Install OwnTracks on the phone first. The code opens the app and sets it up. It is shown only now: whoever scans it can send positions as this phone.")),
      drawing ? element("img", { class: "qr", alt: t("QR code that sets OwnTracks up for {name}", { name }), src: `data:image/svg+xml,${encodeURIComponent(drawing)}` }) : "",
      element("div", { class: "choices" }, element("a", { class: "plain download", href: link }, t("On this phone: open OwnTracks")), done));
    title.focus();
  }
}

// The name that the service knows the phone by: letters and digits of the given one, and a part that is new, so that two
// phones of one name stay two.
function deviceName(name) {
  const word = name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 24) || "phone";
  const [number] = crypto.getRandomValues(new Uint16Array(1));
  return `${word}-${number.toString(16).padStart(4, "0")}`;
}
