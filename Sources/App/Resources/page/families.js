// Families: the list of the viewer's families, the invitations to them, and the way into one family.

import { element } from "./dom.js";
import { FamilyView, roles } from "./family.js";
import { allPages, problemWords } from "./panel.js";
import { t, tn } from "./texts.js";
import { dayWords } from "./words.js";

export class FamiliesDialog extends EventTarget {
  #api;
  #session;
  #title = element("h2", { id: "families-title", tabindex: "-1" });
  #state = element("p", { role: "status" });
  #problem = element("p", { class: "field-problem", role: "alert" });
  #body = element("div", {});
  #node = element("dialog", { id: "families", class: "stored families", "aria-labelledby": "families-title" });
  #view;

  constructor(api, session) {
    super();
    [this.#api, this.#session] = [api, session];
    this.#node.append(this.#title, this.#state, this.#problem, this.#body, element("div", { class: "choices" },
      element("button", { type: "button", class: "plain", onclick: () => this.#node.close() }, t("Close"))));
    document.body.append(this.#node);
    this.#view = new FamilyView(api, session, {
      show: (title, ...nodes) => this.#show(title, ...nodes),
      tell: (words, problem) => this.#tell(words, problem),
      back: (words) => this.#list(words),
      changed: () => this.dispatchEvent(new Event("changed")),
    });
    session.addEventListener("change", () => { this.#node.close(); this.#body.replaceChildren(); });
    this.#node.addEventListener("close", () => this.#body.replaceChildren()); // links and codes are shown once
  }

  // Opens the list, or one family.
  async open(id = null) {
    if (!this.#node.open) this.#node.showModal();
    return id ? this.#view.open(id) : this.#list();
  }

  #show(title, ...nodes) {
    this.#title.textContent = title;
    this.#body.replaceChildren(...nodes.filter(Boolean));
    this.#title.focus();
  }

  // Says what happened, or what is wrong.
  #tell(words, problem = "") {
    this.#state.textContent = words;
    this.#problem.textContent = problem;
  }

  async #list(words = "") {
    this.#title.textContent = t("Families");
    this.#tell(t("One moment…"));
    try {
      const [families, invitations] = await Promise.all([
        allPages(this.#api, "/v1/families?limit=100", "families"), allPages(this.#api, "/v1/me/invitations?ended=true&limit=100", "invitations")]);
      const open = invitations.filter(({ state }) => state === "pending");
      const ended = invitations.filter(({ state }) => state !== "pending");
      this.#show(t("Families"), this.#received(open), this.#mine(families), this.#form(), this.#answered(ended));
      this.#tell(words);
    } catch (error) {
      this.#tell("", error.message);
    }
  }

  // The invitations that wait for an answer.
  #received(invitations) {
    if (invitations.length === 0) return null;
    return element("section", { "aria-labelledby": "received-title" }, element("h3", { id: "received-title" }, t("You are invited")),
      ...invitations.map((one) => {
        const id = `received-${one.id}`;
        const answer = (words, verb, kind) => element("button", { type: "button", class: kind, "aria-describedby": id, onclick: () => this.#answer(one, verb) }, words);
        return element("div", { class: "together-card" },
          element("p", { id, dir: "auto" }, t("{name} invites you to the family {family}, until {day}.", { name: one.invited_by.name, family: one.family.name, day: dayWords(one.expires_at) })),
          element("p", { class: "hint" }, t("Nothing is shared before you accept, and you can leave at any time.")),
          element("div", { class: "choices" }, answer(t("Accept"), "accept", "primary"), answer(t("Decline"), "decline", "plain")));
      }));
  }

  async #answer({ id, family }, verb) {
    try {
      await this.#api.send("POST", `/v1/invitations/${id}/${verb}`);
    } catch (error) {
      const reason = error.message;
      await this.#list();
      return this.#tell("", reason);
    }
    if (verb === "accept") this.dispatchEvent(new Event("changed"));
    return this.#list(verb === "accept" ? t("You belong to {family} now.", { family: family.name }) : t("You declined the invitation to {family}.", { family: family.name }));
  }

  #mine(families) {
    const rows = families.map((family) => {
      const facts = [roles[family.role] ?? family.role, tn(family.member_count, "{count} member", "{count} members")];
      return element("li", {}, element("span", { class: "device-name" }, element("bdi", {}, family.name), element("span", { class: "hint" }, ` · ${facts.join(" · ")}`)),
        element("button", { type: "button", class: "plain", "aria-label": t("Open {family}", { family: family.name }), onclick: () => this.#view.open(family.id) }, t("Open")));
    });
    return element("section", { "aria-labelledby": "mine-title" }, element("h3", { id: "mine-title" }, t("Your families")),
      rows.length > 0 ? element("ul", { class: "device-list" }, ...rows) : element("p", {}, t("You belong to no family yet. Make one, then invite the others.")));
  }

  #form() {
    const name = element("input", { id: "family-name", type: "text", maxlength: "100", autocomplete: "off", dir: "auto" });
    return element("form", { class: "together-form", novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      if (name.value.trim() === "") { this.#tell("", t("Name the family first.")); return name.focus(); }
      try {
        const family = await this.#api.send("POST", "/v1/families", { name: name.value.trim() });
        this.dispatchEvent(new Event("changed"));
        await this.#view.open(family.id, t("{family} is made. Invite its members now.", { family: family.name }));
      } catch (error) {
        this.#tell("", problemWords(error));
        name.focus();
      }
      return undefined;
    } }, element("h3", {}, t("Make a family")), element("label", { for: "family-name" }, t("Name of the family")), name,
    element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Make the family"))));
  }

  // What became of the invitations to the viewer.
  #answered(invitations) {
    if (invitations.length === 0) return null;
    const words = { accepted: t("accepted"), declined: t("declined"), expired: t("expired") };
    return element("details", {}, element("summary", {}, t("Earlier invitations to you")), element("ul", { class: "device-list" },
      ...invitations.map((one) => element("li", { dir: "auto" }, [
        one.family.name ?? t("A family"), one.invited_by.name ? t("invited by {name}", { name: one.invited_by.name }) : null, dayWords(one.created_at), words[one.state] ?? one.state,
      ].filter(Boolean).join(" · ")))));
  }
}
