// The dialogs that sign in: by a passkey, by e-mail, by a code, by a link, as a user of the demo, or by an access token.

import { byId, element } from "./dom.js";
import { PasskeySignIn } from "./passkeys.js";
import { offerProvider } from "./provider.js";
import { t, told } from "./texts.js";

const refused = {
  "unknown-code": t("This code is not known here. Check that you typed all of it, or ask for a new one."),
  "code-used": t("This code was used already. Ask for a new one."),
  "code-expired": t("This code has run out. Ask for a new one."),
};

export class SignIn {
  #session;
  #api;
  #code = null;
  useInvitation = null; // opens the invitation of a code
  #passkey;

  constructor(session, api) {
    this.#session = session;
    this.#api = api;
    this.#passkey = new PasskeySignIn(session, api);
    this.#onSubmit("email-form", () => this.#askForMail());
    this.#onSubmit("code-form", () => this.#signIn({ code: byId("code").value }, "code"));
    this.#onSubmit("token-form", () => this.#signInByToken());
    byId("token").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); this.#signInByToken(); } });
    byId("link-go").addEventListener("click", () => this.#useLink());
    byId("sign-in").addEventListener("close", () => this.#clear());
  }

  #onSubmit(id, action) {
    byId(id).addEventListener("submit", (event) => { event.preventDefault(); action(); });
  }

  open() {
    this.#clear();
    const { email, demo_users: users } = this.#session.ways;
    byId("email-form").hidden = !email;
    this.#passkey.update();
    byId("demo").hidden = users.length === 0;
    offerProvider(this.#session);
    byId("demo-users").replaceChildren(...users.map(({ id, name }) =>
      element("button", { type: "button", class: "primary", dir: "auto", onclick: () => this.#signIn({ demo_user: id }, null) }, name)));
    byId("sign-in").showModal();
    (users.length > 0 ? byId("demo-users").firstElementChild : byId(email ? "email" : "code")).focus();
  }

  #clear() {
    for (const id of ["email", "code", "token"]) {
      byId(id).value = "";
      byId(id).removeAttribute("aria-invalid");
    }
    for (const id of ["email-state", "sign-in-problem"]) byId(id).textContent = "";
  }

  async #askForMail() {
    if (!byId("email").checkValidity() || byId("email").value === "") return this.#refuse(t("Type your e-mail address first, such as name@example.org."), "email");
    try {
      const answer = await this.#api.send("POST", "/v1/session/email", { email: byId("email").value.trim() });
      byId("sign-in-problem").textContent = "";
      byId("email-state").textContent = told(answer.message);
    } catch (error) {
      this.#refuse(error.message, "email");
    }
    return undefined;
  }

  #signInByToken() {
    // A line printed by the demo, or a whole header, contains the token; otherwise the pasted text is one, perhaps
    // split across lines.
    const pasted = byId("token").value;
    const token = pasted.match(/[\w-]+\.[\w-]+\.[\w-]+/)?.[0] ?? pasted.replace(/\s+/g, "").replace(/^Bearer/i, "");
    if (!/^[\x21-\x7e]+$/.test(token)) return this.#refuse(t("Paste your access token first; it is one long word."), "token");
    return this.#signIn({ token }, "token");
  }

  async #signIn(by, field) {
    if (by.code !== undefined && by.code.trim() === "") return this.#refuse(t("Type your code first."), field);
    // Codes of invitations are longer than those that sign in.
    if (by.code?.replace(/[\s-]/g, "").length === 12 && this.useInvitation) {
      byId("sign-in").close();
      return this.useInvitation(by.code);
    }
    try {
      await this.#session.signIn(this.#api, by);
      byId("sign-in").close();
    } catch (error) {
      const words = error.status === 401 && by.token !== undefined
        ? t("This token is not accepted. Check that you copied all of it; it may also have run out.")
        : refused[error.code] ?? error.message;
      this.#refuse(words, field);
    }
    return undefined;
  }

  #refuse(words, field) {
    byId("sign-in-problem").textContent = words;
    if (!field) return;
    byId(field).setAttribute("aria-invalid", "true");
    byId(field).focus();
  }

  // Opens the link that the address contained: it signs in only when asked to, so that opening it uses nothing up, and
  // names the account, so that nobody is signed in as somebody else unnoticed.
  async openLink() {
    const code = this.#session.takeCode();
    if (code === null) return;
    this.#code = code;
    byId("link-go").hidden = true;
    byId("link-problem").textContent = "";
    byId("link-words").textContent = t("One moment…");
    if (!byId("sign-in-link").open) byId("sign-in-link").showModal();
    try {
      const { name, family } = await this.#api.send("POST", "/v1/session/code", { code });
      const before = this.#session.signedIn ? ` ${t("You are signed in as {name} now; that ends.", { name: this.#session.subject })}` : "";
      byId("link-words").textContent = (family ? t("This link is for {name}, and joins the family {family}.", { name, family }) : t("This link is for {name}.", { name })) + before;
      byId("link-go").textContent = t("Sign in as {name}", { name });
      byId("link-go").hidden = false;
      byId("link-go").focus();
    } catch (error) {
      byId("link-words").textContent = "";
      byId("link-problem").textContent = refused[error.code] ?? error.message;
    }
  }

  async #useLink() {
    byId("link-go").disabled = true;
    try {
      await this.#session.signIn(this.#api, { code: this.#code });
      this.#code = null;
      byId("sign-in-link").close();
    } catch (error) {
      byId("link-problem").textContent = refused[error.code] ?? error.message;
    }
    byId("link-go").disabled = false;
  }
}
