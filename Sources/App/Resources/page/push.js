// Notifications of this browser while the page is closed (Web Push). The channel belongs to the account, the subscription
// to this browser: signing out ends both, so that the next person at this device is shown nothing.

import { activeWorker } from "./worker.js";
import { t } from "./texts.js";

const key = "waymark.push"; // { user, channel }: which channel is this browser's

export class Push {
  #session;

  constructor(session) {
    this.#session = session;
    session.keep({ size: () => 0, clear: ({ stays }) => (stays ? undefined : this.#unsubscribe()), end: (api) => this.#remove(api) });
  }

  // Why this browser cannot be notified; null if it can.
  get obstacle() {
    if (!window.isSecureContext) return t("Browsers are notified only by pages with https.");
    if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
      return t("This browser cannot be notified. On an iPhone or iPad, first add this page to the home screen, and open it from there.");
    }
    if (Notification.permission === "denied") return t("This browser was told not to show notifications of this page. Its settings for this site change that.");
    return null;
  }

  // The channel of this browser, if it is subscribed for the viewer.
  get channel() {
    const { user, channel } = this.#remembered;
    return user === this.#session.user?.id && channel ? channel : null;
  }

  get #remembered() {
    try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; }
  }

  // Subscribes with the service's public key and makes the channel; asks for permission, so only after a click. Throws
  // ApiError, or an Error with words for the reader.
  async subscribe(api, publicKey, name) {
    const { user } = this.#session;
    if (await Notification.requestPermission() !== "granted") throw new Error(t("The browser was not allowed to show notifications; nothing was changed."));
    const registration = await activeWorker();
    if (!registration) throw new Error(t("This browser does not keep what shows notifications (a private window, perhaps). Nothing was changed."));
    const old = await registration.pushManager.getSubscription();
    if (old && !sameKey(old, publicKey)) await old.unsubscribe();
    let subscription;
    try {
      subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(publicKey) });
    } catch {
      throw new Error(t("The browser’s push service could not be reached. Try again later, or choose another way."));
    }
    const { endpoint, keys } = subscription.toJSON();
    const made = await api.send("POST", "/v1/me/channels", { kind: "web_push", name, target: { endpoint, p256dh: keys.p256dh, auth: keys.auth } });
    if (user !== this.#session.user) {
      await subscription.unsubscribe();
      return null;
    }
    localStorage.setItem(key, JSON.stringify({ user: user.id, channel: made.id }));
    return made;
  }

  // Ends the subscription here and its channel. Throws ApiError.
  async end(api) {
    await this.#remove(api);
    await this.#unsubscribe();
  }

  async #remove(api) {
    const id = this.channel;
    if (!id) return;
    try {
      await api.send("DELETE", `/v1/me/channels/${id}`);
    } catch (error) {
      if (error.status !== 404) throw error;
    }
  }

  // Without the subscription, the push service answers that the channel is gone, whoever owned it.
  async #unsubscribe() {
    localStorage.removeItem(key);
    if (!("serviceWorker" in navigator)) return;
    try {
      const registration = await navigator.serviceWorker.getRegistration("/");
      await (await registration?.pushManager?.getSubscription())?.unsubscribe();
      for (const shown of await registration?.getNotifications() ?? []) shown.close();
      await navigator.clearAppBadge?.();
    } catch { /* the browser has no subscriptions, or keeps none */ }
  }
}

function sameKey(subscription, publicKey) {
  const used = subscription.options?.applicationServerKey;
  if (!used) return false;
  const [one, other] = [new Uint8Array(used), bytes(publicKey)];
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function bytes(base64url) {
  const text = atob(base64url.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
