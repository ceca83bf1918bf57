// Whether the service answers. While it does not, the page shows what it has, says how old that is, and asks again by
// itself: soon at first, then less and less often, and at once when the network returns.

import { byId } from "./dom.js";
import { ago } from "./words.js";
import { t } from "./texts.js";

const [first, longest] = [2_000, 60_000]; // milliseconds between two attempts

export class Connection extends EventTarget {
  #isLost = false;
  #synced = null; // when the newest of what is shown was got
  #wait = first;
  #timer = 0;

  constructor() {
    super();
    addEventListener("online", () => this.#retry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#retry(); });
    setInterval(() => { if (this.#isLost) this.#show(); }, 20_000);
  }

  get isLost() { return this.#isLost; }

  // The service has answered.
  reached() {
    this.#synced = Date.now();
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#wait = first;
    clearTimeout(this.#timer);
    this.#show();
    byId("live").textContent = t("Connected again.");
    this.dispatchEvent(new Event("back"));
  }

  // The service did not answer; `keptAt` is the age of what is shown instead.
  lost(keptAt = null) {
    if (keptAt !== null) this.#synced = Math.max(this.#synced ?? 0, keptAt);
    const isNew = !this.#isLost;
    this.#isLost = true;
    this.#show();
    if (!isNew) return;
    byId("live").textContent = byId("sync").textContent;
    this.#plan();
  }

  #plan() {
    clearTimeout(this.#timer);
    // Not everybody at once when a server returns.
    this.#timer = setTimeout(() => this.#retry(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(longest, this.#wait * 2);
  }

  #retry() {
    if (!this.#isLost) return;
    this.#plan();
    if (!document.hidden) this.dispatchEvent(new Event("retry"));
  }

  #show() {
    byId("sync").hidden = !this.#isLost;
    const reason = navigator.onLine ? t("The server does not answer.") : t("You are offline.");
    const age = this.#synced === null ? "" : ` ${t("Last synced {when}.", { when: ago(new Date(this.#synced).toISOString()) })}`;
    byId("sync").textContent = this.#isLost ? `${reason}${age} ${t("This page asks again by itself.")}` : "";
  }
}
