// What a viewer saw last, kept on this device so that the page opens without a network: lists, markers and the feed.
// Each viewer has a cache of their own, named by their id, and there is never more than one; signing out deletes it.

const prefix = "waymark-viewer-";
const most = 4; // answers per path, the newest
const longest = 30 * 86_400_000; // milliseconds, as long as a session
const keptPaths = /^\/v1\/(session|stories|clusters|bounds|facets|notifications)$/;

export class Kept {
  #epoch = 0; // rises when everything is deleted, so that nothing under way is kept afterwards
  #writing = Promise.resolve(); // one after the other: each deletes what the one before it kept

  get #works() { return "caches" in window; }

  #name(user) { return prefix + encodeURIComponent(user?.id ?? ""); }

  // Keeps an answer for the viewer who got it; `isStill` says whether they still look at the page.
  put(user, url, text, isStill) {
    if (!this.#works || !keptPaths.test(url.pathname)) return;
    const [epoch, at] = [this.#epoch, Date.now()];
    const isMeant = () => epoch === this.#epoch && isStill();
    this.#writing = this.#writing.then(() => this.#put(user, url, text, at, isMeant)).catch(() => {}); // no room: nothing is kept
  }

  async #put(user, url, text, at, isMeant) {
    if (!isMeant()) return;
    const cache = await caches.open(this.#name(user));
    const old = await cache.match(url.href);
    // Other answers from this path may hold what was withdrawn meanwhile.
    const isOther = old !== undefined && await old.text() !== text;
    const same = (await cache.keys()).filter((request) => new URL(request.url).pathname === url.pathname && request.url !== url.href);
    for (const request of isOther ? same : same.slice(0, Math.max(0, same.length - most + 1))) await cache.delete(request);
    if (!isMeant()) return;
    await cache.delete(url.href); // what is put again is the newest
    await cache.put(url.href, new Response(text, { headers: { "Content-Type": "application/json", "Waymark-Kept-At": String(at) } }));
    if (!isMeant()) await caches.delete(this.#name(user));
  }

  // The answer kept for a viewer, or the last one from its path: { text, at, isSame }; null if there is none.
  async find(user, url, orLast) {
    if (!this.#works || !keptPaths.test(url.pathname)) return null;
    try {
      if (!await caches.has(this.#name(user))) return null;
      const cache = await caches.open(this.#name(user));
      const exact = await read(await cache.match(url.href));
      if (exact || !orLast) return exact && { ...exact, isSame: true };
      const last = (await cache.keys()).findLast((request) => isLike(new URL(request.url), url));
      const found = last && await read(await cache.match(last));
      return found ? { ...found, isSame: false } : null;
    } catch {
      return null;
    }
  }

  // The answer of /v1/session to whom this device was last left with; null if nobody, or if their session has ended.
  async viewer() {
    if (!this.#works) return null;
    try {
      const names = (await caches.keys()).filter((name) => name.startsWith(prefix));
      if (names.length !== 1) return null;
      const found = await read(await (await caches.open(names[0])).match(new URL("/v1/session", location.origin).href));
      const answer = found && JSON.parse(found.text);
      if (!answer || this.#name(answer.user) !== names[0]) return null;
      const end = answer.session?.expires_at;
      return answer.user === null || (end && Date.parse(end) > Date.now()) ? answer : null;
    } catch {
      return null;
    }
  }

  // Deletes what is kept for anybody else than this viewer.
  async keepOnly(user) {
    if (!this.#works) return;
    const names = await caches.keys().catch(() => []);
    await Promise.all(names.filter((name) => name.startsWith(prefix) && name !== this.#name(user)).map((name) => caches.delete(name)));
  }

  // Deletes everything that depends on who looked; the page's own files stay.
  async clear() {
    this.#epoch += 1;
    if (!this.#works) return;
    await this.#writing;
    const names = await caches.keys().catch(() => []);
    await Promise.all(names.filter((name) => !name.startsWith("waymark-shell-")).map((name) => caches.delete(name)));
  }
}

// Whether two questions are for the same kind of answer: a count of stories without a place is no list to show instead.
function isLike(one, other) {
  return one.pathname === other.pathname && ["limit", "placed"].every((name) => one.searchParams.get(name) === other.searchParams.get(name));
}

async function read(response) {
  const at = Number(response?.headers.get("Waymark-Kept-At"));
  if (!response || !(Date.now() - at < longest)) return null;
  return { text: await response.text(), at };
}
