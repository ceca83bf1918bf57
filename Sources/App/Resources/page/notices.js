// The bell: what the service told this viewer, newest first.

import { byId, element } from "./dom.js";
import { isAbort } from "./api.js";
import { ago, count } from "./words.js";

export class Notices extends EventTarget {
  #api;
  #session;
  #next = null;
  #request = null;

  constructor(api, session) {
    super();
    this.#api = api;
    this.#session = session;
    byId("bell").addEventListener("click", () => (byId("notices").hidden ? this.#open() : this.close()));
    byId("notices-close").addEventListener("click", () => this.close());
    byId("notices-more").addEventListener("click", () => this.#load(this.#next));
    byId("notices").addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  // Shows or hides the bell for whoever looks now, and counts what is unread.
  async viewerChanged() {
    this.close(false);
    byId("notices-list").replaceChildren();
    byId("bell").hidden = !this.#session.signedIn;
    byId("bell-count").hidden = true;
    byId("bell").setAttribute("aria-label", "Notifications");
    if (this.#session.signedIn) await this.#load(null);
  }

  close(returnFocus = true) {
    if (byId("notices").hidden) return;
    byId("notices").hidden = true;
    byId("bell").setAttribute("aria-expanded", "false");
    if (returnFocus) byId("bell").focus();
  }

  #open() {
    byId("notices").hidden = false;
    byId("bell").setAttribute("aria-expanded", "true");
    byId("notices").focus();
    this.#load(null);
  }

  async #load(address) {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    try {
      const page = await this.#api.get(address ?? "/v1/notifications", address ? {} : { limit: 30 }, { signal: request.signal });
      const items = page.notifications ?? [];
      const first = address ? byId("notices-list").children.length : 0;
      if (!address) byId("notices-list").replaceChildren();
      byId("notices-list").append(...items.map((item) => this.#item(item)));
      this.#next = page.links?.next ?? null;
      byId("notices-more").hidden = !this.#next;
      byId("notices-state").textContent = byId("notices-list").children.length === 0 ? await this.#nothing(request.signal) : "";
      if (address) byId("notices-list").children[first]?.querySelector("h3")?.focus();
      this.#tally();
    } catch (error) {
      if (!isAbort(error)) byId("notices-state").textContent = error.message;
    }
  }

  // Why nothing stands here: notifications are off until somebody turns them on.
  async #nothing(signal) {
    const settings = await this.#api.get("/v1/me/notification-settings", {}, { signal });
    return settings.enabled
      ? "Nothing yet. When you come near a story, it stands here."
      : "Your notifications are off: nothing looks at where you are. The app you carry turns them on, when you ask it to.";
  }

  #item(notice) {
    const place = notice.place;
    const located = place && Number.isFinite(place.lat) && Number.isFinite(place.lon);
    const node = element("li", { class: notice.read ? "notice-item" : "notice-item unread" },
      element("h3", { tabindex: "-1", dir: "auto" }, notice.read ? null : element("span", { class: "new" }, "New"), notice.title ?? "Notification"),
      notice.body ? element("p", { dir: "auto" }, notice.body) : null,
      element("p", { class: "hint" }, element("time", { datetime: notice.at }, ago(notice.at)), place?.name ? ` · ${place.name}` : ""));
    if (located) {
      node.append(element("button", { type: "button", class: "plain", onclick: () => {
        this.close(false);
        this.dispatchEvent(new CustomEvent("show", { detail: { center: [place.lon, place.lat], title: place.name ?? notice.title } }));
      } }, "Show on the map"));
    }
    return node;
  }

  #tally() {
    const unread = byId("notices-list").querySelectorAll(".unread").length;
    byId("bell-count").hidden = unread === 0;
    const words = count(unread) + (this.#next ? "+" : "");
    byId("bell-count").textContent = words;
    byId("bell").setAttribute("aria-label", unread === 0 ? "Notifications" : `Notifications, ${words} unread`);
  }
}
