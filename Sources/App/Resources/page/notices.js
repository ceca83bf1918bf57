// The bell: this viewer's notifications, newest first.

import { byId, element } from "./dom.js";
import { isAbort } from "./api.js";
import { LiveStream } from "./live.js";
import { ago } from "./words.js";
import { serverLanguage, t } from "./texts.js";

function isLocated({ place }) {
  return Boolean(place) && Number.isFinite(place.lat) && Number.isFinite(place.lon);
}

const openWords = { story: t("Open the story"), stories: t("Open the stories"), invitation: t("Answer"), family: t("Open the family") };

export class Notices extends EventTarget {
  #api;
  #session;
  #next = null;
  #request = null;
  #stream;
  #linked = null;

  constructor(api, session) {
    super();
    this.#api = api;
    this.#session = session;
    this.#stream = new LiveStream();
    this.#stream.addEventListener("badge", ({ detail }) => this.#tally(detail));
    this.#stream.addEventListener("notification", ({ detail }) => this.#arrived(detail));
    this.#stream.addEventListener("read", ({ detail }) => this.#marked(detail));
    this.#stream.addEventListener("gap", () => { if (!byId("notices").hidden) this.#load(null); });
    byId("bell").addEventListener("click", () => (byId("notices").hidden ? this.#open() : this.close()));
    byId("notices-close").addEventListener("click", () => this.close());
    byId("notices-read").addEventListener("click", () => this.#readAll());
    byId("notices-more").addEventListener("click", () => this.#load(this.#next));
    this.#takeLink();
    addEventListener("hashchange", () => { this.#takeLink(); this.#follow(); });
    byId("notices").addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  // Shows or hides the bell for the current viewer, and counts unread notifications.
  viewerChanged() {
    this.close(false);
    byId("notices-list").replaceChildren();
    byId("bell").hidden = !this.#session.signedIn;
    byId("bell-count").hidden = true;
    byId("bell").setAttribute("aria-label", t("Notifications"));
    // The stream starts with the count, so the list is only loaded when it is opened.
    if (this.#session.signedIn) this.#stream.open("/v1/notifications/stream");
    else this.#stream.close();
    this.#follow();
  }

  // A link in a message names a notification, not its subject, which only the signed-in recipient may see. It is read
  // immediately, because the map writes its position into the address, and kept until sign-in.
  #takeLink() {
    const id = new URLSearchParams(location.hash.replace(/^#/, "")).get("notice");
    if (/^[0-9a-f]{32}$/.test(id ?? "")) this.#linked = id;
  }

  async #follow() {
    const id = this.#linked;
    if (!id) return;
    if (!this.#session.signedIn) return this.dispatchEvent(new Event("sign-in"));
    this.#linked = null;
    try {
      this.#openTarget(await this.#api.get(`/v1/notifications/${id}`));
    } catch (error) {
      if (!isAbort(error)) this.#open();
    }
  }

  // Opens a notification's subject: exactly its stories, an invitation, a family; otherwise its entry in the list.
  #openTarget(notice) {
    this.#send("POST", `/v1/notifications/${notice.id}/opened`);
    const { kind, id } = notice.opens ?? {};
    if (kind === "story" || kind === "stories") {
      this.close(false);
      const center = isLocated(notice) ? [notice.place.lon, notice.place.lat] : null;
      return this.#dispatch("stories", { path: `/v1/notifications/${notice.id}/stories`, title: notice.title, center });
    }
    if (kind === "invitation" || kind === "family") {
      this.close(false);
      return this.#dispatch(kind, { id });
    }
    return this.#open(notice);
  }

  #dispatch(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  close(returnFocus = true) {
    if (byId("notices").hidden) return;
    byId("notices").hidden = true;
    byId("bell").setAttribute("aria-expanded", "false");
    if (returnFocus) byId("bell").focus();
  }

  // Opens the list, scrolled to a notification if given, however old.
  async #open(notice = null) {
    byId("notices").hidden = false;
    byId("bell").setAttribute("aria-expanded", "true");
    byId("notices").focus();
    await this.#load(null);
    if (!notice) return;
    const list = byId("notices-list");
    const find = () => list.querySelector(`[data-id="${CSS.escape(notice.id)}"]`);
    if (!find()) list.prepend(this.#item(notice));
    byId("notices-state").textContent = "";
    find().querySelector("h3").focus();
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
      this.#shown();
    } catch (error) {
      if (!isAbort(error)) byId("notices-state").textContent = error.message;
    }
  }

  // Explains the empty list: nothing yet, or notifications are still off.
  async #nothing(signal) {
    const settings = await this.#api.get("/v1/me/notification-settings", {}, { signal });
    return settings.enabled
      ? t("Nothing yet. When you come near a story, it stands here.")
      : t("Your notifications are off: nothing looks at where you are. “Settings” explains them and turns them on.");
  }

  #item(notice) {
    const place = notice.place;
    const node = element("li", { class: notice.read ? "notice-item" : "notice-item unread", "data-id": notice.id },
      element("h3", { tabindex: "-1", dir: "auto" }, element("span", { class: "new" }, t("New")), element("span", { lang: notice.title ? serverLanguage : null }, notice.title || t("Notification"))),
      notice.body ? element("p", { dir: "auto", lang: serverLanguage }, notice.body) : null,
      element("p", { class: "hint" }, element("time", { datetime: notice.at }, ago(notice.at)), place?.name ? ` · ${place.name}` : ""));
    const actions = element("div", { class: "notice-actions" });
    const word = openWords[notice.opens?.kind];
    if (word) actions.append(element("button", { type: "button", class: "plain", onclick: () => this.#openTarget(notice) }, word));
    // A message from an app's backend may have its own link.
    else if (/^(https?:\/\/|\/[^#])/i.test(notice.url ?? "")) {
      actions.append(element("a", { class: "plain", href: notice.url, rel: "noopener noreferrer",
        onclick: () => this.#send("POST", `/v1/notifications/${notice.id}/opened`) }, t("Open")));
    }
    actions.append(element("button", { type: "button", class: "plain mark-read", "aria-label": t("Mark as read: {title}", { title: notice.title || t("notification") }), onclick: () => {
      this.#send("PATCH", `/v1/notifications/${notice.id}`, { read: true });
      this.#marked({ id: notice.id, read: true });
      node.querySelector("h3").focus();
    } }, t("Mark as read")));
    if (place?.id && notice.type === "story.nearby") {
      actions.append(element("button", { type: "button", class: "plain", "aria-label": t("Mute this place: {name}", { name: place.name || t("without a name") }),
        onclick: () => this.#dispatch("mute", { id: place.id, name: place.name }) }, t("Mute this place")));
    }
    node.append(actions);
    return node;
  }

  // Says what became of something asked for in the list.
  say(words) { byId("notices-state").textContent = words; }

  // A notification that arrives while the page is open; an empty one is not shown.
  #arrived(notice) {
    if (!notice?.id || notice.type === "gone" || byId("notices").hidden) return;
    const list = byId("notices-list");
    if (list.querySelector(`[data-id="${CSS.escape(notice.id)}"]`)) return;
    list.prepend(this.#item(notice));
    byId("notices-state").textContent = "";
    this.#shown();
  }

  // A notification was marked, here or on another device.
  #marked({ id, before, read, archived } = {}) {
    const list = byId("notices-list");
    const items = [...list.children];
    if (before) {
      const start = items.findIndex((item) => item.dataset.id === before);
      if (start >= 0) for (const item of items.slice(start)) item.classList.remove("unread");
      return;
    }
    const item = items.find((candidate) => candidate.dataset.id === id);
    if (archived) item?.remove();
    else item?.classList.toggle("unread", !read);
  }

  // The list was viewed: its items are no longer new to the bell.
  #shown() {
    const newest = byId("notices-list").firstElementChild?.dataset.id;
    byId("notices-read").hidden = byId("notices-list").querySelector(".unread") === null;
    if (newest && !byId("notices").hidden) this.#send("POST", "/v1/notifications/seen", { before: newest });
  }

  async #readAll() {
    const newest = byId("notices-list").firstElementChild?.dataset.id;
    if (!newest) return;
    await this.#send("POST", "/v1/notifications/read-all", { before: newest });
    for (const item of byId("notices-list").children) item.classList.remove("unread");
    byId("notices-read").hidden = true;
    byId("notices-title").focus();
  }

  async #send(method, path, body = null) {
    try {
      await this.#api.send(method, path, body);
    } catch (error) {
      byId("notices-state").textContent = error.message;
    }
  }

  #tally({ unread = 0, display = "" } = {}) {
    byId("bell-count").hidden = unread === 0;
    byId("bell-count").textContent = display;
    byId("bell").setAttribute("aria-label", unread === 0 ? t("Notifications") : t("Notifications, {count} unread", { count: display }));
    if (unread === 0) byId("notices-read").hidden = true;
  }
}
