// Signing in with the operator's OpenID Connect provider: the link in the dialog, the accounts linked under "Devices",
// and invitations that are followed with an account there.

import { byId, element } from "./dom.js";
import { t } from "./texts.js";
import { ago } from "./words.js";

const longest = 1000; // characters of an address to come back to

// What the page was opened for, by a provider's way back: "signed-in", "linked" or null; the address no longer says so.
export function takeArrival() {
  const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
  const found = ["signed-in", "linked"].filter((name) => fields.has(name));
  if (found.length === 0) return null;
  for (const name of found) fields.delete(name);
  const rest = fields.toString().replace(/%2C/g, ",").replace(/%2F/g, "/");
  history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
  return found[0];
}

// Shows the link to the provider in the dialog "Sign in", if the service offers one. It is an ordinary link: the
// provider's page takes the place of this one, and leads back to what is open now.
export function offerProvider({ ways: { provider } }) {
  byId("provider").hidden = !provider;
  if (!provider) return;
  const here = location.pathname + location.search + location.hash;
  byId("provider-link").textContent = t("Sign in with {name}", { name: provider.name });
  byId("provider-link").href = `/signin/provider?${new URLSearchParams({ next: here.length > longest ? "/" : here })}`;
}

// Opens the provider's page for what a request began there. Throws ApiError.
async function visit(api, path) {
  const { address } = await api.send("POST", path);
  const url = new URL(address);
  if (url.protocol === "https:" || url.protocol === "http:") location.assign(url);
}

// Lets a person follow an invitation with an account at the provider; `tell` says what went wrong.
export async function followInvitation(api, token, tell) {
  try {
    await visit(api, `/v1/invitations/${token}/provider`);
  } catch (error) {
    tell(error.message);
  }
}

// Shows the button for it, or hides it.
export function offerInvitation({ ways: { provider } }, isOffered) {
  const button = byId("invitation-provider");
  button.hidden = !provider || !isOffered;
  if (provider) button.textContent = t("Go on with {name}", { name: provider.name });
}

// The accounts at the provider that sign in as the viewer, in the dialog of the account.
export class ProviderLinks {
  #api;
  #node = byId("provider-accounts");

  constructor(api) { this.#api = api; }

  async show({ isLinked = false } = {}) {
    this.#node.replaceChildren();
    try {
      const { provider, provider_accounts: accounts } = await this.#api.get("/v1/me/provider-accounts");
      if (!provider && accounts.length === 0) return;
      const missing = provider && !accounts.some(({ name }) => name !== null);
      this.#node.replaceChildren(
        element("h3", { id: "provider-accounts-title", tabindex: "-1" }, t("Sign in elsewhere")),
        isLinked ? element("p", { role: "status" }, t("The accounts are linked: you can sign in this way from now on.")) : null,
        accounts.length > 0 ? element("ul", { class: "device-list", "aria-labelledby": "provider-accounts-title" }, ...accounts.map((account) => this.#account(account))) : null,
        missing ? this.#offer(provider) : null);
      if (isLinked) byId("provider-accounts-title").focus();
    } catch (error) {
      byId("account-problem").textContent = error.message;
    }
  }

  #account({ id, issuer, name, last_used_at: used }) {
    const shown = name ?? issuer.replace(/^https?:\/\//, "");
    const words = element("span", { class: "device-name" }, element("bdi", {}, shown),
      used ? element("span", { class: "hint" }, " ", t("(used {when})", { when: ago(used) })) : null);
    return element("li", {}, words, element("button", { type: "button", class: "plain", "aria-label": t("Remove: {name}", { name: shown }), onclick: () => this.#remove(id) }, t("Remove")));
  }

  #offer(provider) {
    return element("p", {}, element("button", { type: "button", class: "plain", onclick: () => this.#link() }, t("Link an account at {name}", { name: provider })));
  }

  async #link() {
    byId("account-problem").textContent = "";
    try {
      await visit(this.#api, "/v1/me/provider-accounts");
    } catch (error) {
      byId("account-problem").textContent = error.message;
    }
  }

  async #remove(id) {
    byId("account-problem").textContent = "";
    try {
      await this.#api.send("DELETE", `/v1/me/provider-accounts/${id}`);
    } catch (error) {
      if (error.status !== 404) byId("account-problem").textContent = error.message;
    }
    await this.show();
    byId("signed-in-title").focus();
  }
}
