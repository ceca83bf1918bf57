// The viewer of the page: the token of this tab, data kept on this device, and how to remove it.

const key = "waymark.token";
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export class Session extends EventTarget {
  #token = sessionStorage.getItem(key);
  #measures = [];

  get token() { return this.#token; }
  get signedIn() { return this.#token !== null; }

  // The user's id if the token is a JWT containing it; nothing is trusted because of it.
  get subject() {
    try {
      const body = this.#token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
      const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
      return String(JSON.parse(new TextDecoder().decode(bytes)).sub ?? "") || null;
    } catch { return null; }
  }

  signIn(token) {
    this.forget();
    this.#token = token;
    sessionStorage.setItem(key, token);
    this.#changed();
  }

  signOut() {
    this.#token = null;
    this.forget();
    this.#changed();
  }

  // Registers a cache of this viewer's data: `size()` in bytes and `clear()`.
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

  // Clears every cache; the token, if any, and the chosen look stay.
  forget() {
    for (const store of this.#measures) store.clear();
    sessionStorage.clear();
    if (this.#token !== null) sessionStorage.setItem(key, this.#token);
    if ("caches" in window) caches.keys().then((names) => names.forEach((name) => caches.delete(name)));
  }

  // `#token=…` as printed by the demo: read once, on a loopback address only (elsewhere a link could sign the reader in
  // as someone else), and removed from the address immediately.
  takeFromAddress() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    const token = fields.get("token");
    if (token === null) return;
    const map = fields.get("map");
    history.replaceState(null, "", location.pathname + location.search + (map ? `#map=${map}` : ""));
    if (token && loopback.has(location.hostname)) {
      this.#token = token.trim();
      sessionStorage.setItem(key, this.#token);
    }
  }

  #changed() { this.dispatchEvent(new Event("change")); }
}
