// The link of a family invitation: `#invitation=…`, removed from the address immediately and kept only in memory.

import { byId } from "./dom.js";

const reference = /^([\w-]{43}|[0-9a-f]{32})$/; // the token of a link, or an id

const ended = {
  "invitation-expired": "This invitation has expired. Ask whoever invited you to send it again.",
  "invitation-cancelled": "This invitation was taken back.",
  "invitation-used": "This invitation was used already.",
  "invitation-declined": "This invitation was declined.",
  "invitation-replaced": "This invitation was sent again; only the newest link is good.",
  "already-member": "You belong to this family already.",
};

export class InvitationDialog extends EventTarget {
  #session;
  #api;
  #token = null;

  constructor(session, api) {
    super();
    this.#session = session;
    this.#api = api;
    byId("invitation-accept").addEventListener("click", () => this.#answer("accept"));
    byId("invitation-decline").addEventListener("click", () => this.#answer("decline"));
    byId("invitation-sign-in").addEventListener("click", () => { byId("invitation").close(); this.dispatchEvent(new Event("sign-in")); });
    session.addEventListener("change", () => { if (this.#token && session.signedIn) this.open(); });
    addEventListener("hashchange", () => { if (this.takeFromAddress()) this.open(); });
  }

  // Whether the address contained an invitation; it no longer does, and neither does the browser's history.
  takeFromAddress() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    const token = fields.get("invitation");
    if (token === null) return false;
    const map = fields.get("map");
    history.replaceState(null, "", location.pathname + location.search + (map ? `#map=${map}` : ""));
    this.#token = reference.test(token) ? token : null;
    return true;
  }

  // Opens an invitation by the id its invitee has for it.
  openByID(id) {
    this.#token = reference.test(id) ? id : null;
    this.open();
  }

  open() {
    const { signedIn, subject } = this.#session;
    const usable = this.#token !== null;
    this.#tell(usable ? "" : "This link is not whole. Copy all of it, to its end.");
    byId("invitation-words").textContent = !usable ? "" : signedIn
      ? `You were invited to a family${subject ? `, and would join it as ${subject}` : ""}. Its members then see what you share with your families, and you see what they share with theirs. Nothing is shared before you accept, and you can leave at any time.`
      : "You were invited to a family. Sign in first; then you can accept or decline. Nothing is shared before you accept.";
    byId("invitation-accept").hidden = byId("invitation-decline").hidden = !usable || !signedIn;
    byId("invitation-sign-in").hidden = !usable || signedIn;
    this.#setBusy(false);
    if (!byId("invitation").open) byId("invitation").showModal();
    byId("invitation-title").focus(); // joining takes a choice, not the Enter that closed what was before
  }

  async #answer(verb) {
    this.#setBusy(true);
    this.#tell("");
    try {
      const family = await this.#api.post(`/v1/invitations/${this.#token}/${verb}`);
      this.#finish(verb === "accept" ? `You belong to ${family?.name ?? "the family"} now.` : "You declined the invitation.");
      if (verb === "accept") this.dispatchEvent(new Event("joined"));
    } catch (error) {
      const words = ended[error.code];
      if (words) this.#finish(words);
      else if (error.status === 404) this.#finish("There is no such invitation. Check that you copied the whole link.");
      else this.#tell(error.message);
    }
    this.#setBusy(false);
  }

  // The final message: there is nothing left to answer.
  #finish(words) {
    this.#token = null;
    byId("invitation-words").textContent = words;
    byId("invitation-accept").hidden = byId("invitation-decline").hidden = byId("invitation-sign-in").hidden = true;
    byId("invitation-close").focus();
  }

  #tell(words) { byId("invitation-problem").textContent = words; }

  #setBusy(busy) {
    for (const name of ["invitation-accept", "invitation-decline"]) byId(name).disabled = busy;
  }
}
