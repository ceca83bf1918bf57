// Pictures of stories: loaded once they come into view, with the rights of the page's viewer.

import { isAbort } from "./api.js";

const most = 4 << 20; // bytes kept in memory for a signed-in viewer, and for the holder of a link
const margin = "160px"; // how far outside of the view loading begins

export class Pictures {
  #api;
  #session;
  #kept = new Map(); // address → { url, size }, the least recently used first
  #waiting = new WeakMap(); // image → { address, failed }
  #watcher = new IntersectionObserver((entries) => entries.forEach((entry) => this.#seen(entry)), { rootMargin: margin });

  constructor(api, session) {
    this.#api = api;
    this.#session = session;
    session.keep({
      size: () => [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0),
      clear: () => this.#clear(),
    });
  }

  // Gives an image the picture at an address of this server; `failed` is called if there is none to show.
  show(image, address, failed) {
    image.addEventListener("error", failed, { once: true });
    if (!this.#session.signedIn && !this.#session.link.isOpen) {
      image.loading = "lazy";
      image.src = address;
      return;
    }
    // The browser would keep what only this viewer may see on its disk, so the page keeps it in memory alone.
    this.#waiting.set(image, { address, failed });
    this.#watcher.observe(image);
  }

  // Stops waiting for an image that was taken off the page.
  forget(image) { this.#watcher.unobserve(image); }

  async #seen({ isIntersecting, target }) {
    if (!isIntersecting) return;
    this.#watcher.unobserve(target);
    const { address, failed } = this.#waiting.get(target);
    const { user } = this.#session;
    try {
      const url = await this.#url(address, user);
      // Somebody else may look at the page by now.
      if (user === this.#session.user) target.src = url;
    } catch (error) {
      if (!isAbort(error)) failed();
    }
  }

  async #url(address, user) {
    const known = this.#kept.get(address);
    if (known) {
      this.#kept.delete(address);
      this.#kept.set(address, known);
      return known.url;
    }
    const blob = await this.#api.blob(address);
    const url = URL.createObjectURL(blob);
    if (user !== this.#session.user) {
      URL.revokeObjectURL(url);
      return "";
    }
    this.#kept.set(address, { url, size: blob.size });
    let total = [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [oldest, { url: old, size }] of this.#kept) {
      if (total <= most || oldest === address) break;
      this.#kept.delete(oldest);
      // Images that show it already keep their pixels.
      URL.revokeObjectURL(old);
      total -= size;
    }
    return url;
  }

  #clear() {
    for (const { url } of this.#kept.values()) URL.revokeObjectURL(url);
    this.#kept.clear();
  }
}
