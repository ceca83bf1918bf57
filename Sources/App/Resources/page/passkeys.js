// Passkeys: signing in with one, and the list of the viewer's own with adding and removing. The secret of a passkey stays
// in the device, which asks for a fingerprint, a face or a PIN; the service gets a public key and signatures.

import { byId, element } from "./dom.js";
import { section, twice } from "./settings-parts.js";
import { t, tn } from "./texts.js";
import { ago } from "./words.js";

const decoded = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const encoded = (buffer) => btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

class PasskeyProblem extends Error {}

// Asks the device by `ask`, once the page may; throws a PasskeyProblem with words for whoever is there.
async function asked(question, ask) {
  if (question.origin !== location.origin) throw new PasskeyProblem(t("Passkeys work only at {origin}. Open that address, then try again.", { origin: question.origin }));
  if (!window.PublicKeyCredential) throw new PasskeyProblem(t("This browser cannot use passkeys. Use another browser, or sign in another way."));
  try {
    const credential = await ask();
    if (credential) return credential;
  } catch (error) {
    throw new PasskeyProblem(deviceWords(error, question), { cause: error });
  }
  throw new PasskeyProblem(t("Your device gave no passkey. Try again, or sign in another way."));
}

function deviceWords({ name }, { origin }) {
  switch (name) {
    case "NotAllowedError": case "AbortError": return t("Nothing was done: you cancelled, or it took too long. Try again when you like.");
    case "InvalidStateError": return t("This device has a passkey for this account already.");
    case "SecurityError": return t("Passkeys work only at {origin}. Open that address, then try again.", { origin });
    case "ConstraintError": return t("This device cannot check who you are. Set up a PIN, a fingerprint or a face on it first.");
    case "NotSupportedError": return t("This device cannot make such a passkey. Use another device.");
    default: return t("Your device could not use a passkey. Try again, or sign in another way.");
  }
}

// The button in the dialog that signs in. No name is asked: the device offers the passkeys that it has for this address.
export class PasskeySignIn {
  #session;
  #api;
  #button = element("button", { id: "passkey-go", type: "button", class: "primary", onclick: () => this.#signIn() });
  #problem = element("p", { class: "field-problem", role: "alert" });

  constructor(session, api) {
    [this.#session, this.#api] = [session, api];
    this.#button.textContent = t("Sign in with a passkey");
    byId("passkey-choice").replaceChildren(element("div", { class: "choices" }, this.#button), this.#problem);
  }

  // Shows the button where the service can use passkeys.
  update() {
    byId("passkey-choice").hidden = !this.#session.ways.passkeys;
    this.#problem.textContent = "";
  }

  async #signIn() {
    this.#button.disabled = true;
    this.#problem.textContent = "";
    try {
      const question = await this.#api.send("POST", "/v1/session/passkey/challenge");
      const { rawId, response } = await asked(question, () => navigator.credentials.get({
        publicKey: { challenge: decoded(question.challenge), rpId: question.rp_id, userVerification: "required", timeout: question.timeout_ms, allowCredentials: [] },
      }));
      await this.#session.signInByPasskey(this.#api, {
        ticket: question.ticket,
        credential: encoded(rawId),
        user_handle: encoded(response.userHandle ?? new ArrayBuffer(0)),
        authenticator_data: encoded(response.authenticatorData),
        client_data: encoded(response.clientDataJSON),
        signature: encoded(response.signature),
      });
      byId("sign-in").close();
    } catch (error) {
      this.#problem.textContent = error.message;
    }
    this.#button.disabled = false;
    if (byId("sign-in").open) this.#button.focus();
  }
}

// The viewer's passkeys, in the dialog of the account.
export class PasskeyList {
  #api;
  #session;
  #title = element("h3", { id: "passkeys-title", tabindex: "-1" });
  #about = element("p", { id: "passkeys-about", class: "hint" });
  #list = element("ul", { class: "device-list", "aria-labelledby": "passkeys-title" });
  #name = element("input", { id: "passkey-name", type: "text", maxlength: "100", autocomplete: "off", "aria-describedby": "passkeys-about passkey-problem" });
  #add = element("button", { type: "submit", class: "plain" });
  #form = element("form", { novalidate: true, hidden: true });
  #state = element("p", { class: "hint", role: "status" });
  #problem = element("p", { id: "passkey-problem", class: "field-problem", role: "alert" });

  constructor(session, api) {
    [this.#session, this.#api] = [session, api];
    this.#title.textContent = t("Passkeys");
    this.#add.textContent = t("Add a passkey");
    this.#form.append(element("label", { for: "passkey-name" }, t("A name for this device")), this.#name, element("div", { class: "choices" }, this.#add));
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#create(); });
    byId("passkeys").replaceChildren(this.#title, this.#about, this.#list, this.#form, this.#state, this.#problem);
    session.addEventListener("change", () => this.#clear());
    byId("signed-in").addEventListener("close", () => this.#clear());
  }

  #clear() {
    this.#list.replaceChildren();
    for (const node of [this.#state, this.#problem, this.#about]) node.textContent = "";
    this.#name.removeAttribute("aria-invalid");
    this.#form.hidden = true;
  }

  // Lists the passkeys; `label` is how the service calls this browser.
  async open(label) {
    this.#clear();
    this.#name.value = label ?? "";
    await this.#show();
  }

  async #show() {
    const { user } = this.#session;
    try {
      const { passkeys, origin } = await this.#api.get("/v1/me/passkeys");
      if (user !== this.#session.user || !byId("signed-in").open) return;
      this.#list.replaceChildren(...passkeys.map((passkey) => this.#entry(passkey)));
      this.#list.hidden = passkeys.length === 0;
      this.#form.hidden = origin !== location.origin || !window.PublicKeyCredential;
      this.#about.textContent = aboutWords(origin);
    } catch (error) {
      this.#problem.textContent = error.message;
    }
  }

  #entry({ id, name, last_used_at: used, works_here: works }) {
    const use = used ? t("used {when}", { when: ago(used) }) : t("not used yet");
    const words = element("span", { class: "device-name" }, element("bdi", {}, name), " ", element("span", { class: "hint" }, use));
    if (!works) words.append(" ", element("span", { class: "hint" }, t("It was made for another address of this service and does not work here.")));
    const remove = twice(t("Remove"), t("Remove it: press again"), () => this.#remove(id, name));
    remove.setAttribute("aria-describedby", `passkey-${id}`);
    words.id = `passkey-${id}`;
    return element("li", {}, words, remove);
  }

  async #remove(id, name) {
    this.#problem.textContent = "";
    try {
      await this.#api.send("DELETE", `/v1/me/passkeys/${id}`);
      this.#state.textContent = t("“{name}” signs in no more. If the device is lost, end its session too.", { name });
    } catch (error) {
      if (error.status !== 404) this.#problem.textContent = error.message;
    }
    await this.#show();
    this.#title.focus();
  }

  async #create() {
    const name = this.#name.value.trim();
    [this.#problem.textContent, this.#state.textContent] = ["", ""];
    this.#name.toggleAttribute("aria-invalid", false);
    if (name === "") {
      this.#name.setAttribute("aria-invalid", "true");
      this.#problem.textContent = t("Type a name first, such as “My phone”.");
      this.#name.focus();
      return;
    }
    this.#add.disabled = true;
    try {
      await this.#made(name);
      this.#name.value = "";
      this.#state.textContent = t("“{name}” can sign you in from now on.", { name });
      await this.#show();
    } catch (error) {
      this.#problem.textContent = error.message;
    }
    this.#add.disabled = false;
    if (byId("signed-in").open) this.#add.focus();
  }

  async #made(name) {
    const question = await this.#api.send("POST", "/v1/me/passkeys/challenge");
    const { response } = await asked(question, () => navigator.credentials.create({
      publicKey: {
        challenge: decoded(question.challenge),
        rp: { id: question.rp_id, name: question.rp_name },
        user: { id: decoded(question.user_handle), name: question.user_name, displayName: question.user_display_name },
        pubKeyCredParams: question.algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: question.exclude.map((id) => ({ type: "public-key", id: decoded(id) })),
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
        timeout: question.timeout_ms,
      },
    }));
    await this.#api.send("POST", "/v1/me/passkeys", {
      ticket: question.ticket, name, attestation: encoded(response.attestationObject), client_data: encoded(response.clientDataJSON),
    });
  }
}

// What is stored about the viewer's passkeys.
export async function storedPasskeys(api) {
  const { passkeys } = await api.get("/v1/me/passkeys");
  const kept = tn(passkeys.length, "{count} passkey, with its public key", "{count} passkeys, with their public keys");
  return section(t("Passkeys"), element("p", {}, t("{passkeys}. The secret stays in your device. “Devices” lists and removes them.", { passkeys: kept })));
}

function aboutWords(origin) {
  if (origin === null) return t("Passkeys need this service to have an https address and a name. Whoever runs it can give it one.");
  if (origin !== location.origin) return t("Passkeys work only at {origin}. Open that address to add one.", { origin });
  if (!window.PublicKeyCredential) return t("This browser cannot use passkeys. Use another browser to add one.");
  return t("A passkey signs you in by the fingerprint, face or PIN of a device, without an e-mail or a code.");
}
