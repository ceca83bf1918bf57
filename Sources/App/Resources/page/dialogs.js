// The dialogs: signing in and out, and asking for consent before requesting the position.

import { byId } from "./dom.js";
import { bytes } from "./words.js";

export class Dialogs extends EventTarget {
  #session;
  #api;

  constructor(session, api) {
    super();
    this.#session = session;
    this.#api = api;
    for (const button of document.querySelectorAll("dialog [data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
    byId("account").addEventListener("click", () => (session.signedIn ? this.#openAccount() : this.openSignIn()));
    byId("sign-in-form").addEventListener("submit", (event) => { event.preventDefault(); this.#signIn(); });
    byId("token").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); this.#signIn(); } });
    byId("sign-out").addEventListener("click", () => { byId("signed-in").close(); session.signOut(); });
    byId("forget").addEventListener("click", () => { session.forget(); this.#tellKept("Cleared. "); });
    byId("locate").addEventListener("click", () => byId("locate-why").showModal());
    byId("locate-go").addEventListener("click", () => { byId("locate-why").close(); this.#locate(); });
    session.addEventListener("change", () => this.#nameAccount());
    this.#nameAccount();
  }

  openSignIn() {
    byId("token").value = "";
    byId("token-problem").textContent = "";
    byId("sign-in").showModal();
    byId("token").focus();
  }

  async #signIn() {
    // A line printed by the demo, or a whole header, contains the token; otherwise the pasted text is one, perhaps
    // split across lines.
    const pasted = byId("token").value;
    const token = pasted.match(/[\w-]+\.[\w-]+\.[\w-]+/)?.[0] ?? pasted.replace(/\s+/g, "").replace(/^Bearer/i, "");
    if (!/^[\x21-\x7e]+$/.test(token)) return this.#refuse("Paste your access token first; it is one long word.");
    try {
      await this.#api.get("/v1/notifications", { limit: 1 }, { token }); // a route that needs a token
    } catch (error) {
      if (error.status === 401) return this.#refuse("This token is not accepted. Check that you copied all of it; it may also have run out.");
      if (error.status === 0 || error.status >= 500) return this.#refuse(error.message);
    }
    byId("token").value = "";
    byId("sign-in").close();
    return this.#session.signIn(token);
  }

  #refuse(words) {
    byId("token-problem").textContent = words;
    byId("token").setAttribute("aria-invalid", "true");
    byId("token").focus();
  }

  #openAccount() {
    const name = this.#session.subject;
    byId("who").textContent = name ? `You look at the map as ${name}.` : "You look at the map with your access token.";
    this.#tellKept("");
    byId("signed-in").showModal();
  }

  #tellKept(before) {
    byId("kept").textContent = `${before}Kept on this device: ${bytes(this.#session.keptBytes)} (your token and recent answers, in this tab only, and the look you chose). Signing out removes the token and the answers.`;
  }

  #nameAccount() {
    byId("token").removeAttribute("aria-invalid");
    byId("account").textContent = this.#session.signedIn ? (this.#session.subject ?? "Signed in") : "Sign in";
    byId("account").setAttribute("aria-label", this.#session.signedIn ? `Account: ${this.#session.subject ?? "signed in"}` : "Sign in");
  }

  #locate() {
    const tell = (detail) => this.dispatchEvent(new CustomEvent("position", { detail }));
    if (!navigator.geolocation) return tell({ words: "This browser cannot tell its position. Search for a place instead." });
    const refused = ({ code }) => tell({ words: code === 1 ? "Your position was not shared; nothing else changes. You can search for a place instead."
      : "Your position could not be found just now. Search for a place instead." });
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
