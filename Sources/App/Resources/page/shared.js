// The link by which somebody shared a story or a collection: `#share=…`, removed from the address immediately, so that
// neither the history nor a copied address passes it on. It is kept for this tab alone, so that reloading works, and
// goes along with requests for stories as their only credential.

const key = "waymark-share";
const secret = /^\w{1,100}$/;
// What a link can be asked for; everything else, such as the map below the stories, is asked without it.
const covered = /^\/v1\/(stories(\/[0-9a-f]{32}(\/thumbnail)?)?|clusters(\/.*)?|bounds|nearby|histogram|facets|tags|people|places\/[^/]+\/stories)$/;

export class SharedLink {
  #secret = sessionStorage.getItem(key);

  get isOpen() { return this.#secret !== null; }

  // Whether the address contained a link; it no longer does.
  takeFromAddress() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    const text = fields.get("share");
    if (text === null) return false;
    fields.delete("share");
    const rest = fields.toString().replace(/%2C/g, ",").replace(/%2F/g, "/");
    history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
    // A link that is not whole is kept as none: the server says so.
    this.#secret = secret.test(text) ? text : "none";
    sessionStorage.setItem(key, this.#secret);
    return true;
  }

  // Sends a request for stories through the link: returns the options for fetch, and changes the path of `url`; null for
  // any other request.
  through(url) {
    if (!this.isOpen || url.origin !== location.origin) return null;
    if (covered.test(url.pathname)) url.pathname = url.pathname.replace("/v1/", "/v1/shared/");
    if (url.pathname !== "/v1/shared" && !url.pathname.startsWith("/v1/shared/")) return null;
    return { headers: { Authorization: `Bearer ${this.#secret}` }, cache: "no-store", credentials: "omit" };
  }

  // Forgets the link, and shows what this browser shows without it.
  leave() {
    sessionStorage.removeItem(key);
    location.replace(location.pathname);
  }
}
