// The viewer of the page. The secret of the session is in a cookie that no script can read; the service says who it is.

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export class Session extends EventTarget {
  #user = null;
  #ways = { email: false, demo_users: [], invitations_make_accounts: false };
  #measures = [];
  #token = null;
  #code = null;
  #channel = "BroadcastChannel" in window ? new BroadcastChannel("waymark-session") : null;

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

  // Asks the service who is signed in; a link of the demo signs in first.
  async start(api) {
    const token = this.#token;
    this.#token = null;
    if (token) {
      try {
        return this.#take(await api.send("POST", "/v1/session", { token }));
      } catch { /* the token has run out: who is signed in counts */ }
    }
    return this.#ask(api);
  }

  async #ask(api) {
    try {
      this.#take(await api.get("/v1/session"));
    } catch (error) {
      if (error.status !== 401) return; // the list says what is wrong
      this.#user = null;
      // The service has removed a cookie that is no longer valid; without it, it says how to sign in.
      try { this.#take(await api.get("/v1/session")); } catch { /* the list says what is wrong */ }
    }
  }

  #take({ user, ways }) {
    this.#user = user;
    this.#ways = ways;
  }

  // Signs in by { code }, { token } or { demo_user }; throws ApiError.
  async signIn(api, by) { this.#begin(await api.send("POST", "/v1/session", by)); }

  // Makes an account by the link of an invitation, and signs in.
  async join(api, invitation, account) { this.#begin(await api.send("POST", `/v1/invitations/${invitation}/join`, account)); }

  #begin(answer) {
    this.forget();
    this.#take(answer);
    this.#channel?.postMessage("changed");
    this.#changed();
  }

  // Ends the session and leaves nothing: neither in this page nor in what the browser keeps. Throws ApiError.
  async signOut(api, everywhere = false) {
    for (const store of this.#measures) await store.end?.(api);
    await api.send("DELETE", everywhere ? "/v1/me/sessions" : "/v1/session");
    if (everywhere) await api.send("DELETE", "/v1/session").catch(() => {});
    this.forget();
    this.#channel?.postMessage("changed");
    location.replace(location.pathname);
  }

  // The service said that the session has ended.
  async expire(api) {
    if (!this.signedIn) return;
    this.#user = null;
    this.forget();
    await this.#ask(api);
    this.#changed();
  }

  // Registers a cache of this viewer's data: `size()` in bytes, `clear()`, and `end(api)` if something has to end at the
  // service before the session does.
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

  // Clears every cache; the chosen look stays.
  forget() {
    for (const store of this.#measures) store.clear();
    sessionStorage.clear();
    if ("caches" in window) caches.keys().then((names) => names.forEach((name) => caches.delete(name)));
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
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    const [code, token, map] = ["sign-in", "token", "map"].map((name) => fields.get(name));
    if (code === null && token === null) return;
    history.replaceState(null, "", location.pathname + location.search + (map ? `#map=${map}` : ""));
    this.#code = code;
    if (token && loopback.has(location.hostname)) this.#token = token.trim();
  }

  #changed() { this.dispatchEvent(new Event("change")); }
}
