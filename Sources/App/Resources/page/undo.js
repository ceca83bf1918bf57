// Deleting with a way back: the service is asked only after some seconds, or once the page is left.

import { byId } from "./dom.js";

const pause = 8_000; // milliseconds until something is deleted
const attended = 60_000; // while the pointer or the focus is on the offer

export class Undo {
  #pending = null; // { id, commit, undone }
  #timer = null;

  constructor() {
    const box = byId("undo");
    byId("undo-button").addEventListener("click", () => this.#take());
    byId("undo-now").addEventListener("click", () => this.finish());
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.finish();
    });
    for (const name of ["focusin", "pointerenter"]) box.addEventListener(name, () => this.#wait(attended));
    for (const name of ["focusout", "pointerleave"]) box.addEventListener(name, () => this.#wait(pause));
    // A page that is left or put away may never come back.
    addEventListener("pagehide", () => this.finish());
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") this.finish(); });
  }

  // Whether a story waits for its end; it is shown nowhere meanwhile.
  isGone(id) { return this.#pending?.id === String(id); }

  // Offers to take back what `commit` will do; `undone` is called if it is taken back. The focus moves to the offer.
  offer({ id, words, commit, undone }) {
    this.finish();
    this.#pending = { id: String(id), commit, undone };
    byId("undo-words").textContent = words;
    byId("undo").hidden = false;
    this.#wait(pause);
    byId("undo-button").focus();
  }

  // Does at once what is pending; resolves once the service has answered.
  async finish() {
    const pending = this.#end();
    if (pending) await pending.commit();
  }

  #take() { this.#end()?.undone(); }

  #wait(milliseconds) {
    clearTimeout(this.#timer);
    if (this.#pending) this.#timer = setTimeout(() => this.finish(), milliseconds);
  }

  #end() {
    const pending = this.#pending;
    this.#pending = null;
    clearTimeout(this.#timer);
    const hadFocus = byId("undo").contains(document.activeElement);
    byId("undo").hidden = true;
    if (hadFocus) byId("list-title").focus();
    return pending;
  }
}
