// Links to subjects the page can open: `#story=ID`, `#stories=ID,ID`, `#family=ID`. Links to notifications are in
// notices.js, to invitations in invitation.js.

import { t } from "./texts.js";

const mostStories = 100;
const storyID = /^[0-9a-f]{32}$/;
const familyID = /^[A-Za-z0-9._-]{1,64}$/;

// The title of the list of a family's stories; the list says whether there is anything to see.
export async function familyTitle(api, id) {
  let name = t("This family");
  try { name = (await api.get(`/v1/families/${id}`)).name; } catch { /* not known to the viewer */ }
  return t("{name}: the family’s stories", { name });
}

export class Links extends EventTarget {
  #pending = null;

  constructor() {
    super();
    this.#take();
    addEventListener("hashchange", () => { this.#take(); this.follow(); });
  }

  // The map writes its position into the address, so a link's subject is saved immediately.
  #take() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    const ids = (fields.get("story") ?? fields.get("stories") ?? "").split(",").filter((id) => storyID.test(id));
    const family = fields.get("family");
    if (ids.length > 0) this.#pending = ["stories", { ids: ids.slice(0, mostStories) }];
    else if (familyID.test(family ?? "")) this.#pending = ["family", { id: family }];
  }

  // Saves a subject that can only be opened after sign-in.
  keep(name, detail) { this.#pending = [name, detail]; }

  // Opens the subject named in the address, once.
  follow() {
    if (!this.#pending) return;
    const [name, detail] = this.#pending;
    this.#pending = null;
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
