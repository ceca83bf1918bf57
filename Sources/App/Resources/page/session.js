// The viewer of the page. The secret of the session is in a cookie that no script can read; the service says who it is.

import { Kept } from "./kept.js";
import { takeArrival } from "./provider.js";
import { SharedLink } from "./shared.js";
import { askWorkerToForget } from "./worker.js";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export class Session extends EventTarget {
  #user = null;
  #ways = { email: false, passkeys: false, demo_users: [], invitations_make_accounts: false };
  #measures = [];
  #token = null;
  #code = null;
  #arrival = null;
  #kept = new Kept();
  #channel = "BroadcastChannel" in window ? new BroadcastChannel("waymark-session") : null;

  // The link through which stories are seen, if one was opened; nobody is signed in then.
  link = new SharedLink();

  constructor() {
    super();
    // Another tab signed in or out: nothing of the former viewer may stay here.
    this.#channel?.addEventListener("message", () => location.reload());
    // The browser may bring a page back as it was, perhaps for the next person at this device.
    addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  }

  get signedIn() { return this.#user !== null; }
  get user() { return this.#user; }
  // The name under which others see the viewer.
  get subject() { return this.#user?.name ?? null; }
  get ways() { return this.#ways; }
  // What the viewer saw last, for when the service does not answer.
  get kept() { return this.#kept; }

  // Asks the service who is signed in; a link of the demo signs in first.
  async start(api) {
    if (this.link.isOpen) return undefined;
    const [token, arrival] = [this.#token, this.#arrival];
    this.#token = this.#arrival = null;
    if (arrival === "signed-in") return this.#arrive(api);
    if (token) {
      try {
        return this.#take(await api.send("POST", "/v1/session", { token }));
      } catch { /* the token has run out: who is signed in counts */ }
    }
    await this.#ask(api);
    if (arrival === "linked" && this.signedIn) this.dispatchEvent(new Event("linked"));
    return undefined;
  }

  // The viewer comes from the provider: nothing of whoever looked at the page before may stay, in no tab.
  async #arrive(api) {
    const answer = await this.#answer(api).catch(() => null);
    if (answer?.user) await this.forget({ heir: answer.user.id });
    await this.#ask(api);
    if (answer?.user) this.#channel?.postMessage("changed");
  }

  async #ask(api) {
    try {
      this.#take(await this.#answer(api));
      await this.#keep(api);
    } catch (error) {
      // Without an answer, the page shows what it kept for whom it last knew here. Otherwise the list says what is wrong.
      const known = error.isUnreachable ? await this.#kept.viewer() : null;
      if (known) this.#take(known);
    }
  }

  async #answer(api) {
    try {
      return await api.ask("/v1/session");
    } catch (error) {
      if (error.status !== 401) throw error;
      this.#user = null;
      // The service has removed a cookie that is no longer valid; without it, it says how to sign in.
      return api.ask("/v1/session");
    }
  }

  // Asks again who is signed in, once the service answers again: the session may have ended meanwhile.
  async check(api) {
    const before = this.#user?.id ?? null;
    let answer;
    try {
      answer = await this.#answer(api);
    } catch {
      return; // asked again after the next failure
    }
    if ((answer.user?.id ?? null) === before) {
      this.#ways = answer.ways;
      return;
    }
    this.#user = null;
    await this.forget({ heir: before });
    this.#take(answer);
    await this.#keep(api);
    this.#changed();
  }

  // Keeps who is signed in, and nothing of anybody else.
  async #keep(api) {
    await this.#kept.keepOnly(this.#user);
    api.keepSession();
  }

  #take({ user, ways }) {
    this.#user = user;
    this.#ways = ways;
  }

  // Signs in by { code }, { token } or { demo_user }; throws ApiError.
  async signIn(api, by) { await this.#begin(api, await api.send("POST", "/v1/session", by)); }

  // Signs in by the answer of a passkey; throws ApiError.
  async signInByPasskey(api, answer) { await this.#begin(api, await api.send("POST", "/v1/session/passkey", answer)); }

  // Makes an account by the link of an invitation, and signs in.
  async join(api, invitation, account) { await this.#begin(api, await api.send("POST", `/v1/invitations/${invitation}/join`, account)); }

  async #begin(api, answer) {
    this.#user = null;
    await this.forget({ heir: answer.user?.id });
    if (this.link.isOpen) return this.link.leave(); // who signs in looks with their own eyes
    this.#take(answer);
    await this.#ask(api);
    this.#channel?.postMessage("changed");
    this.#changed();
    return undefined;
  }

  // Ends the session and leaves nothing: neither in this page nor in what the browser keeps. Throws ApiError.
  async signOut(api, everywhere = false) {
    // What fails here ends by itself once this browser forgets it.
    for (const store of this.#measures) await store.end?.(api).catch(() => {});
    try {
      await api.send("DELETE", everywhere ? "/v1/me/sessions" : "/v1/session");
    } catch (error) {
      if (error.isUnreachable) await this.forget();
      throw error;
    }
    if (everywhere) await api.send("DELETE", "/v1/session").catch(() => {});
    this.#user = null;
    await this.forget();
    this.#channel?.postMessage("changed");
    location.replace(location.pathname);
  }

  // The service said that the session has ended.
  async expire(api) {
    if (!this.signedIn) return;
    const { id } = this.#user;
    this.#user = null;
    await this.forget({ heir: id });
    await this.#ask(api);
    this.#changed();
  }

  // Registers a cache of this viewer's data: `size()` in bytes, `clear({ heir, stays })`, and `end(api)` if something has
  // to be done as this viewer before the session ends.
  keep(store) { this.#measures.push(store); }

  get keptBytes() {
    let total = 0;
    for (const storage of [sessionStorage, localStorage]) {
      for (let index = 0; index < storage.length; index += 1) {
        const name = storage.key(index);
        total += 2 * (name.length + (storage.getItem(name) ?? "").length);
      }
    }
    return this.#measures.reduce((sum, store) => sum + store.size(), total);
  }

  // Clears everything that depends on the viewer, here, in the service worker and in what the browser keeps; the chosen
  // look and the page's own files stay. A session that ended by itself leaves drafts to its `heir`, the person with this id
  // alone; a viewer who `stays` goes on being notified here.
  async forget({ heir = null, stays = false } = {}) {
    sessionStorage.clear();
    await Promise.all([...this.#measures.map((store) => store.clear({ heir, stays })), askWorkerToForget(), this.#kept.clear()]);
  }

  // The code of a link that signs in, once.
  takeCode() {
    const code = this.#code;
    this.#code = null;
    return code;
  }

  // `#sign-in=…` of an e-mail or a QR code, and `#token=…` as printed by the demo: read once and removed from the address
  // immediately. A token is taken on a loopback address only: elsewhere a link could sign the reader in as someone else
  // without asking.
  takeFromAddress() {
    this.link.takeFromAddress();
    this.#arrival = takeArrival() ?? this.#arrival;
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    const [code, token, map] = ["sign-in", "token", "map"].map((name) => fields.get(name));
    if (code === null && token === null) return;
    history.replaceState(null, "", location.pathname + location.search + (map ? `#map=${map}` : ""));
    this.#code = code;
    if (token && loopback.has(location.hostname)) this.#token = token.trim();
  }

  #changed() { this.dispatchEvent(new Event("change")); }
}
