// Stories that wait on this device: written without a network, or put aside. They are sent once, whatever happens to the
// answer: every draft has a key by which the service recognizes a repetition.

import { byId, element } from "./dom.js";
import { dataBlob } from "./photo.js";
import { ago, stories } from "./words.js";
import { t, tn } from "./texts.js";

const key = "waymark.drafts";
const often = 60_000; // milliseconds between attempts while the page is open
const most = 50; // drafts kept

// States: "waiting" to be sent, "aside" until its writer goes on, "refused" by the service with `words`.
export class Drafts extends EventTarget {
  #session;
  #api;
  #isSending = false;

  constructor(session, api) {
    super();
    [this.#session, this.#api] = [session, api];
    session.keep({ size: () => 0, clear: ({ heir }) => this.#clear(heir) }); // its storage is measured with the rest
    byId("drafts-open").addEventListener("click", () => { this.#list(); byId("drafts").showModal(); byId("drafts-title").focus(); });
    byId("drafts-send").addEventListener("click", () => this.send());
    addEventListener("online", () => this.send());
    addEventListener("storage", (event) => { if (event.key === key) this.#show(); });
    setInterval(() => this.send(), often);
  }

  get count() { return this.#read().length; }

  // The viewer is known or has changed: shows their drafts, and sends those that wait.
  start() {
    this.#show();
    this.send();
  }

  // Keeps a draft { key, body, picture, state, story, words } of its writer, who may have been signed out meanwhile;
  // replaces one with its key. Returns whether there was room.
  keep(draft, writer = this.#session.user?.id) {
    const others = this.#read(writer).filter((one) => one.key !== draft.key);
    if (others.length >= most) return false;
    return this.#write([...others, { ...draft, at: new Date().toISOString() }], writer);
  }

  remove(draftKey) { this.#write(this.#read().filter((one) => one.key !== draftKey)); }

  // Sends a draft: the story, then its picture. Returns the story; throws ApiError.
  async deliver(draft) {
    let story = draft.story ?? null;
    if (!story) {
      try {
        story = await this.#api.send("POST", "/v1/stories", draft.body, { "Idempotency-Key": draft.key });
      } catch (error) {
        // The answer to an earlier attempt was lost, and the draft was changed since.
        if (error.status === 409) error.message = t("This story arrived already, without your latest changes. Find it in the list and change it there.");
        throw error;
      }
      // The picture alone is left, should it fail.
      draft.story = { id: story.id };
    }
    if (draft.picture) {
      story = await this.#api.send("PUT", `/v1/stories/${story.id}/thumbnail`, dataBlob(draft.picture));
      draft.picture = null;
    }
    return story;
  }

  // Sends what waits, the oldest first; stops at the first request without an answer.
  async send() {
    if (this.#isSending || !this.#session.signedIn || !navigator.onLine) return;
    const waiting = this.#read().filter(({ state }) => state === "waiting");
    if (waiting.length === 0) return;
    this.#isSending = true;
    let sent = 0;
    try {
      for (const draft of waiting) {
        if (!(await this.#sendOne(draft))) break;
        if (!this.#read().some((one) => one.key === draft.key)) sent += 1;
      }
    } finally {
      this.#isSending = false;
      this.#show();
    }
    if (sent > 0) this.dispatchEvent(new CustomEvent("sent", { detail: { count: sent } }));
  }

  // Whether sending can go on.
  async #sendOne(draft) {
    const { user } = this.#session;
    try {
      await this.deliver(draft);
      this.remove(draft.key);
      return user === this.#session.user;
    } catch (error) {
      if (user?.id !== this.#session.user?.id) return false;
      const passes = isPassing(error);
      this.#update(passes ? draft : { ...draft, state: "refused", words: error.message, errors: error.errors });
      return !passes;
    }
  }

  #update(draft) {
    this.#write(this.#read().map((one) => (one.key === draft.key ? draft : one)));
  }

  #read(user = this.#session.user?.id) {
    try {
      const kept = JSON.parse(localStorage.getItem(key)) ?? {};
      return user && kept.user === user && Array.isArray(kept.drafts) ? kept.drafts : [];
    } catch { return []; }
  }

  #write(drafts, user = this.#session.user?.id) {
    if (!user) return false;
    try {
      if (drafts.length === 0) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify({ user, drafts }));
    } catch { return false; } // no room, or the browser keeps nothing
    this.#show();
    return true;
  }

  // Signing out removes all drafts. A session that ended by itself leaves them to the same person alone.
  #clear(heir) {
    try {
      if (heir && JSON.parse(localStorage.getItem(key))?.user === heir) return;
    } catch { /* unreadable: nobody's */ }
    localStorage.removeItem(key);
    this.#show();
  }

  #show() {
    const { count } = this;
    byId("drafts-open").hidden = count === 0;
    byId("drafts-open").textContent = tn(count, "{count} draft", "{count} drafts");
    if (byId("drafts").open) this.#list();
  }

  #list() {
    const drafts = this.#read();
    const hadFocus = byId("drafts-list").contains(document.activeElement);
    byId("drafts-words").textContent = drafts.length === 0 ? t("No story waits on this device.")
      : tn(drafts.length, "{count} story on this device, not yet on the map. Signing out deletes it here.", "{count} stories on this device, not yet on the map. Signing out deletes them here.");
    byId("drafts-list").replaceChildren(...drafts.map((draft) => this.#row(draft)));
    byId("drafts-send").hidden = !drafts.some(({ state }) => state === "waiting");
    if (hadFocus) byId("drafts-title").focus();
  }

  #row(draft) {
    const title = draft.body.title || t("Untitled");
    const button = (words, action) => element("button", { type: "button", class: "plain", "aria-label": `${words}: ${title}`, onclick: action }, words);
    const open = () => { byId("drafts").close(); this.dispatchEvent(new CustomEvent("open", { detail: draft })); };
    return element("li", {},
      element("span", { class: "device-name" }, element("bdi", {}, title), element("span", { class: "hint" }, ` · ${stateWords(draft)}, ${ago(draft.at)}`)),
      draft.story ? null : button(t("Open"), open), button(t("Delete"), () => this.remove(draft.key)));
  }
}

// Whether the same request may succeed later.
export const isPassing = ({ status }) => status === 0 || status === 401 || status === 429 || status >= 500;

function stateWords({ state, words, story }) {
  if (state === "refused") return t("not accepted: {why}", { why: words });
  if (state === "aside") return t("put aside");
  return story ? t("its picture waits for the network") : t("waits for the network");
}
