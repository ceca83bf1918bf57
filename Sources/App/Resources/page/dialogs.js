// The dialogs: the account with its devices, and asking for consent before requesting the position.

import { byId, element } from "./dom.js";
import { PasskeyList } from "./passkeys.js";
import { ProviderLinks } from "./provider.js";
import { ago, bytes } from "./words.js";
import { pieces, t } from "./texts.js";

export class Dialogs extends EventTarget {
  #session;
  #api;
  #passkeys;
  #providerLinks;

  constructor(session, api, signIn) {
    super();
    this.#session = session;
    this.#api = api;
    this.#passkeys = new PasskeyList(session, api);
    this.#providerLinks = new ProviderLinks(api);
    session.addEventListener("linked", () => this.#openAccount({ isLinked: true }));
    for (const button of document.querySelectorAll("dialog [data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
    byId("account").addEventListener("click", () => (session.signedIn ? this.#openAccount() : signIn.open()));
    byId("sign-out").addEventListener("click", () => this.#signOut(false));
    byId("sign-out-everywhere").addEventListener("click", () => this.#signOut(true));
    byId("forget").addEventListener("click", async () => { await session.forget({ stays: true }); this.#tellKept(`${t("Cleared.")} `); });
    byId("locate").addEventListener("click", () => byId("locate-why").showModal());
    byId("locate-go").addEventListener("click", () => { byId("locate-why").close(); this.#locate(); });
    session.addEventListener("change", () => { byId("signed-in").close(); this.nameAccount(); });
    this.nameAccount();
  }

  async #signOut(everywhere) {
    try {
      await this.#session.signOut(this.#api, everywhere);
    } catch (error) {
      byId("account-problem").textContent = error.isUnreachable
        ? t("The server did not answer, so your session goes on. What was kept on this device is deleted. Sign out again once you are connected, or end this device under “Devices” on another one.")
        : t("You are still signed in. {why}", { why: error.message });
    }
  }

  async #openAccount({ isLinked = false } = {}) {
    byId("who").textContent = t("You look at the map as {name}.", { name: this.#session.subject });
    byId("account-problem").textContent = "";
    this.#tellKept("");
    byId("devices").replaceChildren();
    byId("signed-in").showModal();
    this.#providerLinks.show({ isLinked });
    await this.#passkeys.open(await this.#listDevices());
  }

  // Shows the sessions, and returns how the service calls this browser.
  async #listDevices() {
    try {
      const { sessions } = await this.#api.get("/v1/me/sessions");
      byId("devices").replaceChildren(...sessions.map((session) => this.#device(session)));
      return sessions.find(({ current }) => current)?.label ?? null;
    } catch (error) {
      byId("account-problem").textContent = error.message;
      return null;
    }
  }

  #device({ id, label, last_used_at: used, current }) {
    const words = element("span", { class: "device-name" }, label, current ? ` ${t("(this one)")}` : "",
      element("span", { class: "hint" }, " · ", ...pieces("used {when}", { when: element("time", { datetime: used }, ago(used)) })));
    const end = element("button", { type: "button", class: "plain", "aria-label": t("End: {name}", { name: label }), onclick: () => this.#end(id) }, t("End"));
    return element("li", {}, words, current ? null : end);
  }

  async #end(id) {
    try {
      await this.#api.send("DELETE", `/v1/me/sessions/${id}`);
    } catch (error) {
      if (error.status !== 404) byId("account-problem").textContent = error.message;
    }
    await this.#listDevices();
    byId("signed-in-title").focus();
  }

  #tellKept(before) {
    byId("kept").textContent = before + t("Kept on this device: {size} (recent answers in this tab, your drafts, and the look you chose), and the stories, markers and notifications you saw last, for when there is no network. Signing out removes all of it; drafts are then lost.", { size: bytes(this.#session.keptBytes) });
  }

  nameAccount() {
    byId("account").textContent = this.#session.subject ?? t("Sign in");
    byId("account").setAttribute("aria-label", this.#session.signedIn ? t("Account: {name}", { name: this.#session.subject }) : t("Sign in"));
  }

  #locate() {
    const tell = (detail) => this.dispatchEvent(new CustomEvent("position", { detail }));
    if (!navigator.geolocation) return tell({ words: t("This browser cannot tell its position. Search for a place instead.") });
    const refused = ({ code }) => tell({ words: code === 1 ? t("Your position was not shared; nothing else changes. You can search for a place instead.")
      : t("Your position could not be found just now. Search for a place instead.") });
    const found = ({ coords }) => tell({ center: [coords.longitude, coords.latitude] });
    return navigator.geolocation.getCurrentPosition(found, refused, { timeout: 15000, maximumAge: 60000 });
  }
}

// The position if this page already has permission to read it; otherwise null, without asking.
export async function knownPosition() {
  try {
    const permission = await navigator.permissions.query({ name: "geolocation" });
    if (permission.state !== "granted") return null;
    return await new Promise((resolve) => {
      navigator.geolocation.getCurrentPosition(({ coords }) => resolve([coords.longitude, coords.latitude]), () => resolve(null), { timeout: 2500, maximumAge: 600000 });
    });
  } catch { return null; }
}
