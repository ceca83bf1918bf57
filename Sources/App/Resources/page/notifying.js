// The feed, its settings and what is stored about the viewer, as they work together; what they ask of the page are events.

import { Notices } from "./notices.js";
import { Push } from "./push.js";
import { NotificationSettings } from "./settings.js";
import { StoredDialog } from "./stored.js";

export class Notifying extends EventTarget {
  #notices;
  #settings;

  constructor(api, session) {
    super();
    this.#notices = new Notices(api, session);
    this.#settings = new NotificationSettings(api, session, new Push(session));
    const stored = new StoredDialog(api, session);
    for (const name of ["stories", "family", "invitation", "sign-in"]) {
      this.#notices.addEventListener(name, ({ detail }) => this.dispatchEvent(new CustomEvent(name, { detail })));
    }
    this.#notices.addEventListener("mute", async ({ detail }) => this.#notices.say(await this.#settings.mute(detail)));
    this.#settings.addEventListener("privacy", () => stored.open());
    this.#settings.addEventListener("opening", () => this.#notices.close(false));
  }

  // The map on which the distance of places is drawn.
  useMap(map) { this.#settings.useMap(map); }

  viewerChanged() {
    this.#notices.viewerChanged();
    this.#settings.viewerChanged();
  }
}
