// The dialog in which a person writes a story or changes one of their own.

import { PictureField } from "./compose-picture.js";
import { PlaceField } from "./compose-place.js";
import { StoryFields } from "./compose-fields.js";
import { byId } from "./dom.js";
import { isPassing } from "./drafts.js";
import { dataBlob } from "./photo.js";
import { t } from "./texts.js";

export class Composer extends EventTarget {
  #session;
  #api;
  #drafts;
  #fields = new StoryFields();
  #place;
  #picture;
  #story = null; // the story that is changed; null for a new one
  #draft = null; // { key, body, picture } of a new one
  #writer = null; // the id of the person who writes: their session may end meanwhile
  #start = ""; // what the form held when it was opened
  #isWarned = false;

  // `makeMap(container, center, zoom)` makes a small map, or returns null.
  constructor(session, api, drafts, pictures, makeMap) {
    super();
    [this.#session, this.#api, this.#drafts] = [session, api, drafts];
    this.#place = new PlaceField(api, makeMap);
    this.#picture = new PictureField(pictures);
    byId("compose-fields").append(...this.#fields.first, this.#picture.node, this.#place.node, ...this.#fields.last);
    byId("compose-form").addEventListener("submit", (event) => { event.preventDefault(); this.#save(); });
    byId("compose-cancel").addEventListener("click", () => this.#leave());
    byId("compose-later").addEventListener("click", () => this.#putAside());
    byId("compose-delete").addEventListener("click", () => this.#delete());
    byId("compose").addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#escape();
    });
    byId("compose").addEventListener("close", () => this.#place.close());
    this.#picture.addEventListener("place", ({ detail: { lat, lon, accuracy } }) =>
      this.#place.set({ center: [lon, lat], source: "gps", accuracy }, { words: t("At the place where the picture was taken.") }));
    this.#picture.addEventListener("date", ({ detail }) => this.#fields.setDate(detail));
  }

  get isOpen() { return byId("compose").open; }

  // Writes a new story, at [longitude, latitude] if given.
  write(center = null) {
    const client = crypto.randomUUID?.() ?? randomKey();
    return this.#open({ draft: { key: client, body: {}, picture: null }, center });
  }

  // Goes on with a draft; it is not sent meanwhile.
  resume(draft) {
    if (draft.state === "waiting") this.#drafts.keep({ ...draft, state: "aside" });
    return this.#open({ draft });
  }

  // Changes the story with this id; throws ApiError if it cannot be read.
  async change(id) {
    return this.#open({ story: await this.#api.get(`/v1/stories/${id}`) });
  }

  async #open({ story = null, draft = null, center = null }) {
    if (this.isOpen) return;
    [this.#story, this.#draft, this.#writer, this.#isWarned] = [story, draft, this.#session.user.id, false];
    const shown = story ?? draft.body;
    byId("compose-heading").textContent = story ? t("Change the story") : t("Add a story");
    byId("compose-save").textContent = story ? t("Save") : t("Add the story");
    byId("compose-later").hidden = story !== null;
    byId("compose-delete").hidden = story === null;
    byId("compose-problem").textContent = "";
    this.#setBusy(false);
    this.#fields.fill(shown, await this.#families());
    if (this.isOpen) return;
    this.#picture.fill(shown, draft);
    byId("compose").showModal();
    byId("compose").scrollTop = 0;
    this.#place.fill(shown.location ?? null, story === null);
    if (!shown.location && center) this.#place.set({ center, source: "manual", accuracy: null });
    this.#start = this.#content;
    if (draft?.errors?.length > 0) this.#tell(draft.errors, draft.words);
    else byId("compose-heading").focus();
    this.#suggest();
  }

  // The families among which the writer can choose; none if the service does not answer.
  async #families() {
    try { return (await this.#api.get("/v1/families")).families ?? []; } catch { return []; }
  }

  async #suggest() {
    try {
      const { collections } = await this.#api.get("/v1/facets", { view: "mine", limit: 50 });
      this.#fields.suggestCollections(collections.values.map(({ value }) => value));
    } catch { /* names can be typed without suggestions */ }
  }

  get #body() {
    const body = this.#fields.value(this.#story === null);
    const location = this.#place.value();
    if (location !== undefined) body.location = location;
    if (this.#picture.alt !== undefined) body.alt = this.#picture.alt;
    return body;
  }

  get #content() { return JSON.stringify([this.#body, this.#picture.address, this.#picture.isRemoved]); }
  get #isChanged() { return this.#content !== this.#start; }

  async #save() {
    byId("compose-problem").textContent = "";
    this.#fields.tell([]);
    if (this.#fields.title === "") return this.#tell([{ field: "title", message: t("is missing: give the story a title") }]);
    this.#setBusy(true);
    try {
      await (this.#story ? this.#saveChange() : this.#saveNew());
    } catch (error) {
      this.#tell(error.errors ?? [], error.message);
    } finally {
      this.#setBusy(false);
    }
    return undefined;
  }

  async #saveNew() {
    const draft = this.#written;
    try {
      const story = await this.#drafts.deliver(draft);
      this.#drafts.remove(draft.key);
      const { center } = this.#place;
      this.#finish(center ? t("The story is on the map.") : t("The story is added. It has no place yet."), story, center);
    } catch (error) {
      const canWait = isPassing(error) && (draft.story || error.status === 0 || error.status === 401);
      if (canWait && this.#drafts.keep({ ...draft, state: "waiting" }, this.#writer)) {
        this.#finish(waitingWords(error, draft.story), draft.story ?? null, null);
      } else if (draft.story) {
        // Only the picture is refused; another can be chosen in the story.
        this.#drafts.remove(draft.key);
        this.#finish(t("The story is on the map, but without its picture. {why}", { why: error.message }), draft.story, null);
      } else throw error;
    }
  }

  async #saveChange() {
    const path = `/v1/stories/${this.#story.id}`;
    const body = this.#body;
    // If the picture is refused afterwards, saving again repeats this, which changes nothing.
    if (Object.keys(body).length > 0) await this.#api.send("PATCH", path, body);
    if (this.#picture.address) await this.#api.send("PUT", `${path}/thumbnail`, dataBlob(this.#picture.address));
    else if (this.#picture.isRemoved) await this.#api.send("DELETE", `${path}/thumbnail`);
    this.#finish(t("The story is saved."), this.#story, this.#place.center);
  }

  // The draft as the form has it.
  get #written() {
    return { ...this.#draft, body: { ...this.#body, client_id: `page-${this.#draft.key}` }, picture: this.#picture.address };
  }

  // Keeps what is written on this device, unsent; returns whether there was room.
  #putAside() {
    const kept = this.#drafts.keep({ ...this.#written, state: "aside", errors: undefined, words: undefined }, this.#writer);
    if (!kept) {
      byId("compose-problem").textContent = t("This browser has no room to keep the story. Send it, or leave out its picture.");
      return false;
    }
    this.#finish(t("The story is kept as a draft on this device."), null, null);
    return true;
  }

  #leave() { byId("compose").close(); }

  // Escape loses nothing: a new story becomes a draft, and changes go only when it is pressed again.
  #escape() {
    if (!this.#isChanged || this.#isWarned) return this.#leave();
    if (!this.#story) return void this.#putAside();
    this.#isWarned = true;
    byId("compose-problem").textContent = t("Your changes are not saved. Press Escape again to leave without them.");
    return undefined;
  }

  #delete() {
    const { id, title } = this.#story;
    byId("compose").close();
    this.dispatchEvent(new CustomEvent("delete", { detail: { id, title } }));
  }

  #finish(words, story, center) {
    byId("compose").close();
    this.dispatchEvent(new CustomEvent("saved", { detail: { words, id: story?.id ?? null, center } }));
  }

  // Shows problems beside their fields, and the rest above; the focus moves to the first field to correct.
  #tell(problems, words = "") {
    const { first, others } = this.#fields.tell(problems);
    const above = problems.length === 0 ? words : others.join(" ");
    byId("compose-problem").textContent = above || (first ? t("Please correct what is marked.") : "");
    (first ?? byId("compose-heading")).focus();
  }

  #setBusy(busy) {
    for (const name of ["compose-save", "compose-later", "compose-delete"]) byId(name).disabled = busy;
  }
}

function waitingWords({ status }, story) {
  if (story) return t("The story is on the map. Its picture waits on this device and is sent later.");
  if (status === 401) return t("You are no longer signed in. The story waits on this device; sign in again to send it.");
  return t("There is no connection. The story waits on this device and is sent when the network returns.");
}

// Where the page is not served securely, the browser makes no UUIDs.
function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
