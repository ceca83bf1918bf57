// The link of a family invitation: `#invitation=…`, removed from the address immediately and kept only in memory.

import { byId } from "./dom.js";
import { followInvitation, offerInvitation } from "./provider.js";
import { t } from "./texts.js";

const reference = /^([\w-]{43}|[0-9a-f]{32}|[0-9A-Z]{12})$/; // the token of a link, an id, or a short code

const ended = {
  "invitation-expired": t("This invitation has expired. Ask whoever invited you to send it again."),
  "invitation-cancelled": t("This invitation was taken back."),
  "invitation-used": t("This invitation was used already."),
  "invitation-declined": t("This invitation was declined."),
  "invitation-replaced": t("This invitation was sent again; only the newest link is good."),
  "already-member": t("You belong to this family already."),
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
    byId("invitation-provider").addEventListener("click", () => { if (this.#token) followInvitation(api, this.#token, (words) => this.#tell(words)); });
    byId("invitation-sign-in").addEventListener("click", () => { byId("invitation").close(); this.dispatchEvent(new Event("sign-in")); });
    byId("join-form").addEventListener("submit", (event) => { event.preventDefault(); this.#join(); });
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

  // Opens an invitation by its short code, however it was typed.
  openByCode(typed) { this.openByID(typed.replace(/[\s-]/g, "").toUpperCase()); }

  // Opens an invitation by the id its invitee has for it.
  openByID(id) {
    this.#token = reference.test(id) ? id : null;
    this.open();
  }

  open() {
    const { signedIn, subject } = this.#session;
    const usable = this.#token !== null;
    this.#tell(usable ? "" : t("This link is not whole. Copy all of it, to its end."));
    byId("invitation-words").textContent = !usable ? "" : signedIn
      ? `${subject ? t("You were invited to a family, and would join it as {name}.", { name: subject }) : t("You were invited to a family.")} ${t("Its members then see what you share with your families, and you see what they share with theirs. Nothing is shared before you accept, and you can leave at any time.")}`
      : t("You were invited to a family. Sign in first; then you can accept or decline. Nothing is shared before you accept.");
    byId("invitation-accept").hidden = byId("invitation-decline").hidden = !usable || !signedIn;
    byId("invitation-sign-in").hidden = !usable || signedIn;
    byId("join-form").hidden = true;
    offerInvitation(this.#session, false);
    this.#setBusy(false);
    this.#name();
    if (!byId("invitation").open) byId("invitation").showModal();
    byId("invitation-title").focus(); // joining takes a choice, not the Enter that closed what was before
  }

  // Names the family and the inviter of a link, and offers a person without an account to make one.
  async #name() {
    const token = this.#token;
    if (token === null || token.length === 32) return;
    try {
      const { family_name: family, inviter_name: inviter } = await this.#api.get(`/v1/invitations/${token}`);
      if (token !== this.#token) return;
      const joins = !this.#session.signedIn && this.#session.ways.invitations_make_accounts;
      const how = this.#session.signedIn ? t("You would join it as {name}.", { name: this.#session.subject }) : joins ? t("Choose a name to join.") : t("Sign in first; then you can accept or decline.");
      byId("invitation-words").textContent = `${t("{inviter} invites you to the family {family}.", { inviter, family })} ${how} ${t("Its members then see what you share with your families, and you see what they share with theirs. Nothing is shared before you join, and you can leave at any time.")}`;
      byId("join").textContent = t("Join {family}", { family });
      byId("join-form").hidden = !joins;
      offerInvitation(this.#session, !this.#session.signedIn);
    } catch (error) {
      if (error.status === 404) this.#finish(t("There is no such invitation. Check that you copied the whole link."));
      else if (ended[error.code]) this.#finish(ended[error.code]);
    }
  }

  async #join() {
    const name = byId("join-name").value.trim();
    const email = byId("join-email").value.trim();
    if (name === "") return this.#refuse(t("Type your name first."), "join-name");
    if (!byId("join-email").checkValidity()) return this.#refuse(t("Type the whole address, such as name@example.org, or leave it out."), "join-email");
    const token = this.#token;
    this.#token = null; // so that the change of the viewer does not open the invitation again
    this.#setBusy(true);
    try {
      await this.#session.join(this.#api, token, email === "" ? { name } : { name, email });
      this.#finish(t("You belong to the family now, and you are signed in here."));
    } catch (error) {
      if (ended[error.code]) this.#finish(ended[error.code]);
      else {
        this.#token = token;
        this.#refuse(error.message, "join-name");
      }
    }
    this.#setBusy(false);
    return undefined;
  }

  #refuse(words, field) {
    this.#tell(words);
    byId(field).focus();
  }

  async #answer(verb) {
    this.#setBusy(true);
    this.#tell("");
    try {
      const family = await this.#api.post(`/v1/invitations/${this.#token}/${verb}`);
      this.#finish(verb !== "accept" ? t("You declined the invitation.") : family?.name ? t("You belong to {family} now.", { family: family.name }) : t("You belong to the family now."));
      if (verb === "accept") this.dispatchEvent(new Event("joined"));
    } catch (error) {
      const words = ended[error.code];
      if (words) this.#finish(words);
      else if (error.status === 404) this.#finish(t("There is no such invitation. Check that you copied the whole link."));
      else this.#tell(error.message);
    }
    this.#setBusy(false);
  }

  // The final message: there is nothing left to answer.
  #finish(words) {
    this.#token = null;
    byId("invitation-words").textContent = words;
    byId("invitation-accept").hidden = byId("invitation-decline").hidden = byId("invitation-sign-in").hidden = true;
    byId("join-form").hidden = true;
    offerInvitation(this.#session, false);
    byId("invitation-close").focus();
  }

  #tell(words) { byId("invitation-problem").textContent = words; }

  #setBusy(busy) {
    for (const name of ["invitation-accept", "invitation-decline", "join"]) byId(name).disabled = busy;
  }
}
