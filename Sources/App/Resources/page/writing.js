// Adding, changing and deleting stories from the page: who may, and what the page does afterwards.

import { Composer } from "./compose.js";
import { Drafts } from "./drafts.js";
import { byId, element } from "./dom.js";
import { stories } from "./words.js";
import { Undo } from "./undo.js";
import { t, tn } from "./texts.js";

export class Writing extends EventTarget {
  #session;
  #api;
  #signIn;
  #drafts;
  #composer;
  #undo = new Undo();

  // `makeMap(container, center, zoom)` makes a small map, or returns null.
  constructor(session, api, signIn, pictures, makeMap) {
    super();
    [this.#session, this.#api, this.#signIn] = [session, api, signIn];
    this.#drafts = new Drafts(session, api);
    this.#composer = new Composer(session, api, this.#drafts, pictures, makeMap);
    this.#drafts.addEventListener("open", ({ detail }) => this.#composer.resume(detail));
    this.#drafts.addEventListener("sent", ({ detail: { count } }) => this.#tell("changed", { words: tn(count, "Sent: {count} story.", "Sent: {count} stories.") }));
    this.#composer.addEventListener("saved", ({ detail }) => this.#tell("changed", detail));
    this.#composer.addEventListener("delete", ({ detail }) => this.#delete(detail));
    byId("add").addEventListener("click", () => this.add(null));
    session.keep({ size: () => 0, clear: () => {}, end: () => this.#undo.finish() });
  }

  // Shows the drafts of the viewer.
  viewerChanged() { this.#drafts.start(); }

  // Opens the dialog for a new story, at a position of the map; somebody who is not signed in signs in first.
  add(center) {
    if (this.#composer.isOpen || document.querySelector("dialog[open]")) return undefined;
    return this.#session.signedIn ? this.#composer.write(center) : this.#signIn.open();
  }

  // Stories that are about to be deleted are not shown any more.
  without(features) { return features.filter(({ id }) => !this.#undo.isGone(id)); }

  // The buttons under a story of the viewer's own; null under those of others.
  buttons({ id, properties: { owner, title } }, describedBy) {
    if (!this.#session.signedIn || owner !== this.#session.user.id) return null;
    const button = (words, action) => element("button", { type: "button", class: "plain", "aria-describedby": describedBy, onclick: action }, words);
    return element("div", { class: "own" }, button(t("Change"), () => this.#change(id)), button(t("Delete"), () => this.#delete({ id, title })),
      button(t("Add to a trip"), () => this.#tell("trip", { id, title })));
  }

  async #change(id) {
    try {
      await this.#composer.change(id);
    } catch (error) {
      this.#tell("failed", { words: error.message });
    }
  }

  #delete({ id, title }) {
    this.#undo.offer({
      id,
      words: t("“{title}” is deleted.", { title }),
      commit: () => this.#commit(id, title),
      undone: () => this.#tell("changed", { words: t("“{title}” is back.", { title }), id }),
    });
    this.#tell("changed", { words: "" });
  }

  async #commit(id, title) {
    try {
      await this.#api.send("DELETE", `/v1/stories/${id}`, null, {}, { keepalive: true });
    } catch (error) {
      if (error.status !== 404) this.#tell("failed", { words: t("“{title}” could not be deleted. {why}", { title, why: error.message }) });
    }
    this.#tell("changed", { words: "" });
  }

  #tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }
}
