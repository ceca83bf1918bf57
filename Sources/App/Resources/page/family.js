// One family: its members and their roles, the invitations into it with what became of them, leaving and deleting.

import { element } from "./dom.js";
import { allPages, problemWords } from "./panel.js";
import { twice } from "./settings-parts.js";
import { t, tn } from "./texts.js";
import { dayWords } from "./words.js";

export const roles = {
  __proto__: null,
  get owner() { return t("owner"); },
  get admin() { return t("admin"); },
  get member() { return t("member"); },
};

export class FamilyView {
  #api;
  #session;
  #tools;
  #family = null;
  #members = [];

  // `tools`: show(title, ...nodes), tell(words, problem), back(words) to the list, and changed() when membership changed.
  constructor(api, session, tools) {
    [this.#api, this.#session, this.#tools] = [api, session, tools];
  }

  get #me() { return this.#session.user?.id; }
  get #path() { return `/v1/families/${this.#family.id}`; }
  get #invites() { return this.#family.role !== "member"; }
  get #owns() { return this.#family.role === "owner"; }

  async open(id, words = "", ...more) {
    this.#tools.tell(t("One moment…"));
    try {
      this.#family = await this.#api.get(`/v1/families/${id}`);
      const invitations = this.#invites ? allPages(this.#api, `${this.#path}/invitations?ended=true&limit=100`, "invitations") : [];
      this.#members = await allPages(this.#api, `${this.#path}/members?limit=100`, "members");
      this.#tools.show(this.#family.name, ...more, this.#people(), this.#invites ? this.#invitation() : null, this.#sent(await invitations), this.#owns ? this.#rename() : null, this.#end());
      this.#tools.tell(words);
    } catch (error) {
      this.#tools.tell("", error.message);
    }
  }

  // Does something, shows the family anew, and says what was done; `gone` if the viewer has left it.
  async #act(action, words, { gone = false } = {}) {
    try {
      await action();
    } catch (error) {
      return this.#tools.tell("", problemWords(error));
    }
    this.#tools.changed();
    return gone ? this.#tools.back(words) : this.open(this.#family.id, words);
  }

  #people() {
    return element("section", { "aria-labelledby": "members-title" }, element("h3", { id: "members-title" }, tn(this.#members.length, "{count} member", "{count} members")),
      element("ul", { class: "device-list" }, ...this.#members.map((member) => this.#member(member))));
  }

  #member({ user, name, role, since }) {
    const who = name ?? user;
    const isMe = user === this.#me;
    const words = element("span", { class: "device-name" }, element("bdi", {}, who), isMe ? ` ${t("(you)")}` : "",
      element("span", { class: "hint" }, ` · ${t("since {day}", { day: dayWords(since) })}`));
    const says = element("span", { class: "role" }, roles[role] ?? role);
    const tools = [];
    if (this.#owns && !isMe) {
      const select = element("select", { class: "sorting", "aria-label": t("Role of {name}", { name: who }) },
        ...Object.keys(roles).map((one) => element("option", { value: one, selected: one === role }, roles[one])));
      select.addEventListener("change", () => this.#act(() => this.#api.send("PATCH", `${this.#path}/members/${user}`, { role: select.value }), t("{name} is {role} now.", { name: who, role: roles[select.value] })));
      tools.push(select);
    } else tools.push(says);
    if (!isMe && (this.#owns || (this.#family.role === "admin" && role === "member"))) {
      const remove = twice(t("Remove"), t("Remove: press again"), () => this.#act(() => this.#api.send("DELETE", `${this.#path}/members/${user}`), t("{name} no longer belongs to the family.", { name: who })));
      remove.setAttribute("aria-label", t("Remove {name}; press twice", { name: who }));
      tools.push(remove);
    }
    return element("li", {}, words, element("span", { class: "together-tools" }, ...tools));
  }

  // The form that invites, by e-mail or by the id of somebody with an account here.
  #invitation() {
    const by = (value, words, isChosen) => element("label", { class: "choice" }, element("input", { type: "radio", name: "invite-by", value, checked: isChosen }), element("span", {}, words));
    const whom = element("input", { id: "invite-whom", type: "text", maxlength: "254", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "invite-help" });
    const label = element("label", { for: "invite-whom" });
    const help = element("p", { class: "hint", id: "invite-help" });
    const role = element("select", { id: "invite-role", class: "sorting" }, ...["member", ...(this.#owns ? ["admin"] : [])].map((one) => element("option", { value: one }, roles[one])));
    const form = element("form", { class: "together-form", novalidate: true }, element("h3", {}, t("Invite somebody")),
      element("fieldset", {}, element("legend", { class: "unseen" }, t("How to invite")), by("email", t("By a link, with or without an account"), true), by("user", t("By their account on this server"), false)),
      label, whom, help, element("label", { for: "invite-role" }, t("Role")), role,
      element("p", { class: "hint" }, t("Admins invite and remove members. Owners also rename the family and give roles.")),
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Invite"))));
    const kind = () => form.querySelector("input:checked").value;
    const show = () => {
      label.textContent = kind() === "email" ? t("Their e-mail address") : t("Their account’s id");
      help.textContent = kind() === "email" ? t("You get a link, a short code and a QR code to pass on. An e-mail goes out too, if this server sends any.") : t("They find the invitation under “Families” and among their notifications.");
      whom.inputMode = kind() === "email" ? "email" : "text";
    };
    form.addEventListener("change", show);
    show();
    form.addEventListener("submit", (event) => { event.preventDefault(); this.#invite(kind(), whom, role.value); });
    return form;
  }

  async #invite(kind, field, role) {
    const whom = field.value.trim();
    const refuse = (words) => {
      this.#tools.tell("", words);
      field.focus();
    };
    if (whom === "") return refuse(t("Type whom to invite first."));
    let outcome;
    try {
      const { invitations } = await this.#api.send("POST", `${this.#path}/invitations`, { invitations: [{ [kind]: whom, role }] });
      [outcome] = invitations;
    } catch (error) {
      return refuse(problemWords(error));
    }
    if (outcome.outcome === "refused") return refuse(outcome.reason);
    if (outcome.outcome === "already_member") return refuse(t("{name} belongs to the family already.", { name: whom }));
    if (outcome.outcome === "already_pending") return this.open(this.#family.id, t("An invitation of {name} is open already. “Send again” below makes a new link.", { name: whom }));
    return this.open(this.#family.id, outcome.link ? t("The invitation is ready. Pass it on now: it is shown only once.") : t("{name} is invited.", { name: whom }), invitationCard(outcome, whom));
  }

  // The invitations into the family: open ones with what can be done, and what became of the others.
  #sent(invitations) {
    if (invitations.length === 0) return null;
    const open = invitations.filter(({ state }) => state === "pending" || state === "expired");
    const ended = invitations.filter(({ state }) => state !== "pending" && state !== "expired");
    const rows = (list) => element("ul", { class: "device-list" }, ...list.map((one) => this.#row(one)));
    return element("section", { "aria-labelledby": "sent-title" }, element("h3", { id: "sent-title" }, t("Invitations")),
      open.length > 0 ? rows(open) : element("p", { class: "hint" }, t("None is open.")),
      ended.length > 0 ? element("details", {}, element("summary", {}, t("What became of earlier ones")), rows(ended)) : null);
  }

  #row(one) {
    const whom = one.member_name ?? one.email ?? one.user ?? t("Somebody invited by a link");
    const states = { pending: t("waiting until {day}", { day: dayWords(one.expires_at) }), expired: t("expired"), accepted: t("accepted"), declined: t("declined"), withdrawn: t("withdrawn") };
    const words = element("span", { class: "device-name" }, element("bdi", {}, whom), element("span", { class: "hint" }, ` · ${[roles[one.role] ?? one.role, t("invited {day}", { day: dayWords(one.created_at) })].join(" · ")} · `), element("strong", { class: `outcome ${one.state}` }, states[one.state] ?? one.state));
    const mayChange = (one.state === "pending" || one.state === "expired") && (this.#owns || one.role === "member");
    const tools = mayChange ? element("span", { class: "together-tools" },
      element("button", { type: "button", class: "plain", "aria-label": t("Send again: {name}", { name: whom }), onclick: () => this.#resend(one, whom) }, t("Send again")),
      element("button", { type: "button", class: "plain", "aria-label": t("Withdraw: {name}", { name: whom }), onclick: () => this.#act(() => this.#api.send("DELETE", `${this.#path}/invitations/${one.id}`), t("The invitation of {name} is withdrawn.", { name: whom })) }, t("Withdraw"))) : null;
    return element("li", {}, words, tools);
  }

  async #resend({ id }, whom) {
    try {
      const sent = await this.#api.send("POST", `${this.#path}/invitations/${id}/resend`);
      await this.open(this.#family.id, sent.link ? t("There is a new link; the old one ends. It is shown only once.") : t("{name} is invited again.", { name: whom }), invitationCard(sent, whom));
    } catch (error) {
      this.#tools.tell("", problemWords(error));
    }
  }

  #rename() {
    const name = element("input", { id: "family-rename", type: "text", maxlength: "100", autocomplete: "off", dir: "auto", value: this.#family.name });
    return element("details", {}, element("summary", {}, t("Rename the family")),
      element("form", { novalidate: true, onsubmit: (event) => {
        event.preventDefault();
        this.#act(() => this.#api.send("PATCH", this.#path, { name: name.value.trim() }), t("The family has its new name."));
      } }, element("label", { for: "family-rename" }, t("Name of the family")), name,
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Rename")))));
  }

  // Leaving, and for owners deleting. The last owner hands over first.
  #end() {
    const isLast = this.#owns && this.#members.length > 1 && this.#members.filter(({ role }) => role === "owner").length === 1;
    const leave = twice(t("Leave the family"), t("Leave: press again"), () => this.#act(() => this.#api.send("DELETE", `${this.#path}/members/${this.#me}`), t("You left {family}. What you shared only with it is private now.", { family: this.#family.name }), { gone: true }));
    const end = this.#owns ? twice(t("Delete the family"), t("Delete it for all: press again"), () => this.#act(() => this.#api.send("DELETE", this.#path), t("{family} is deleted. What was shared only with it is private to its owners now.", { family: this.#family.name }), { gone: true })) : null;
    const hint = isLast ? element("p", { class: "hint" }, t("You are the only owner. Make another member an owner before you leave.")) : null;
    return element("div", {}, hint, element("div", { class: "choices" }, isLast ? null : leave, end, element("button", { type: "button", class: "plain", onclick: () => this.#tools.back("") }, t("All families"))));
  }
}

// An invitation that was made now: its link, its short code and its QR code.
function invitationCard({ link, code, qr_code: drawing }, whom) {
  if (!link) return null;
  const said = element("p", { class: "hint", role: "status" });
  const field = element("input", { id: "invitation-link", type: "text", readonly: true, value: link });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      said.textContent = t("Copied.");
    } catch {
      field.focus();
      field.select();
      said.textContent = t("This browser does not let the page copy. The link is selected: copy it with the keyboard or the menu.");
    }
  };
  const send = navigator.share ? element("button", { type: "button", class: "plain", onclick: () => navigator.share({ url: link }).catch(() => {}) }, t("Send…")) : null;
  return element("section", { class: "together-card", "aria-labelledby": "made-title" },
    element("h3", { id: "made-title" }, t("The invitation of {name}", { name: whom })),
    element("label", { for: "invitation-link" }, t("Link")), field,
    element("div", { class: "choices" }, element("button", { type: "button", class: "primary", onclick: copy }, t("Copy the link")), send), said,
    element("p", {}, t("Or this code, typed under “Sign in” on the page:"), " ", element("strong", { class: "invitation-code" }, code)),
    drawing ? element("img", { class: "qr", alt: t("QR code of the link"), src: `data:image/svg+xml,${encodeURIComponent(drawing)}` }) : null);
}
