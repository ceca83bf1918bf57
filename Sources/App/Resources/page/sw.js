// The service worker: shows pushes, and keeps what lets the page open without a network. It keeps public files alone: the
// page's own, and tiles of the basemaps. What a viewer may see is kept by the page, for that viewer (kept.js).

"use strict";

const files = []; // names and ETags, filled in by the service: the worker is another one when any of them changes
const language = "en"; // filled in as well: that in which the pages are served here, so that choosing another makes another worker
const shellName = `waymark-shell-${digest(language + JSON.stringify(files))}`;
const notKept = new Set(["index.html", "world.geojson"]); // kept as /, and needed only while there are no tiles
const wordsName = `texts-${language}.json`;
const tilesName = "waymark-tiles";
const mostTileBytes = 30 << 20;
const patience = 4000; // milliseconds until a page that is kept is shown instead of one that does not arrive
const tilePath = /^\/v1\/basemaps(\/|$)/;

let tileEpoch = 0; // rises when tiles are forgotten, so that none that is under way is kept afterwards
let tileBytes = null; // counted on first use
const served = new Set(); // pages that were opened from the shell: their files come from there as well, of one version

self.addEventListener("install", (event) => {
  event.waitUntil(fillShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldShells().then(() => self.clients.claim()));
});

async function fillShell() {
  const shell = await caches.open(shellName);
  // Revalidated, not reloaded: the page has just loaded most of them.
  await Promise.all(files.filter(([name]) => !notKept.has(name)).map(async ([name]) => {
    const reply = await fetch(`/assets/${name}`, { cache: "no-cache", credentials: "omit" });
    if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
    await shell.put(`/assets/${name}`, reply);
  }));
  // Without its cookies the service goes by this header.
  const page = await fetch("/", { headers: { Accept: "text/html", "Accept-Language": language }, cache: "no-cache", credentials: "omit" });
  if (!page.ok) throw new Error(`the page: ${page.status}`);
  await shell.put("/", withoutVary(page));
}

async function dropOldShells() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("waymark-shell-") && name !== shellName).map((name) => caches.delete(name)));
}

// The page at / differs by what its request accepts; only the one for browsers is kept here.
function withoutVary(reply) {
  const headers = new Headers(reply.headers);
  for (const name of ["Vary", "Content-Encoding", "Content-Length"]) headers.delete(name);
  return new Response(reply.body, { status: reply.status, headers });
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (url.pathname === "/") event.respondWith(openPage(event));
  } else if (url.pathname.startsWith("/assets/")) {
    event.respondWith(openFile(event, url));
  } else if (tilePath.test(url.pathname) && !request.headers.has("Range")) {
    event.respondWith(openTile(event, url));
  }
});

async function openPage(event) {
  const kept = caches.open(shellName).then((shell) => shell.match("/", { ignoreVary: true }));
  const arrives = fetch(event.request);
  arrives.catch(() => {});
  const late = new Promise((resolve) => setTimeout(resolve, patience, null));
  try {
    const page = await Promise.race([arrives, late]) ?? (await kept ? null : await arrives);
    // A proxy that says that the service is away is no page of ours.
    if (page && !(page.status >= 502 && page.status <= 504 && await kept)) return page;
  } catch (error) {
    if (!await kept) throw error;
  }
  if (event.resultingClientId) served.add(event.resultingClientId);
  return kept;
}

async function openFile(event, url) {
  const find = async () => (await caches.open(shellName)).match(url.pathname, { ignoreVary: true });
  if (served.has(event.clientId)) {
    const kept = await find();
    if (kept) return kept;
  }
  try {
    return await fetch(event.request);
  } catch (error) {
    const kept = await find();
    if (kept) return kept;
    throw error;
  }
}

// Tiles are the same for everybody, and are asked for without the cookie, so nothing else can get into this cache.
async function openTile(event, url) {
  const epoch = tileEpoch;
  const tiles = await caches.open(tilesName);
  try {
    const reply = await fetch(url, { credentials: "omit", headers: { Accept: event.request.headers.get("Accept") ?? "*/*" } });
    if (reply.status === 200) event.waitUntil(keepTile(tiles, url.href, reply.clone(), epoch).catch(() => {}));
    return reply;
  } catch (error) {
    const kept = await tiles.match(url.href);
    if (kept) return kept;
    throw error;
  }
}

async function keepTile(tiles, address, reply, epoch) {
  const body = await reply.arrayBuffer();
  if (epoch !== tileEpoch || body.byteLength > mostTileBytes / 8) return;
  const headers = new Headers();
  for (const name of ["Content-Type", "ETag"]) if (reply.headers.has(name)) headers.set(name, reply.headers.get(name));
  headers.set("Content-Length", String(body.byteLength));
  tileBytes ??= await sum(tiles);
  tileBytes += body.byteLength - await size(tiles, address);
  await tiles.delete(address); // what is put again is the newest
  await tiles.put(address, new Response(body, { headers }));
  if (epoch !== tileEpoch) return void await caches.delete(tilesName);
  if (tileBytes > mostTileBytes) await makeRoom(tiles);
}

// Drops the oldest tiles until a tenth is free.
async function makeRoom(tiles) {
  for (const request of await tiles.keys()) {
    if (tileBytes <= mostTileBytes * 0.9) return;
    const bytes = await size(tiles, request.url);
    if (await tiles.delete(request)) tileBytes -= bytes;
  }
}

async function size(tiles, address) { return Number((await tiles.match(address))?.headers.get("Content-Length") ?? 0); }

async function sum(tiles) {
  let total = 0;
  for (const request of await tiles.keys()) total += await size(tiles, request.url);
  return total;
}

// Which tiles were looked at says where a viewer looked: signing out forgets them with the rest.
async function forget() {
  tileEpoch += 1;
  tileBytes = 0;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== shellName).map((name) => caches.delete(name)));
  for (const shown of await self.registration.getNotifications()) shown.close();
}

self.addEventListener("message", (event) => {
  if (event.data !== "forget") return;
  event.waitUntil(forget().finally(() => event.ports[0]?.postMessage("forgotten")));
});

// --- pushes ----------------------------------------------------------------------------------------------------------

self.addEventListener("push", (event) => {
  event.waitUntil(show(event.data));
});

// Browsers demand that every push is shown; one that cannot be read is shown without content, and so is the last one of a
// browser that was signed out from another device.
async function show(data) {
  const text = (value) => (typeof value === "string" ? value : undefined);
  let message = {};
  try { message = data?.json() ?? {}; } catch { /* shown as a notification without content */ }
  if (await isSignedOut()) {
    await (await self.registration.pushManager.getSubscription())?.unsubscribe();
    message = { notification: { body: await t("This browser was signed out. It shows no more notifications.") } };
  }
  const { title, body, navigate, tag } = message.notification ?? {};
  await self.registration.showNotification(text(title) ?? "Waymark", {
    body: text(body) ?? await t("There is something new."),
    tag: text(tag),
    data: { link: text(navigate) ?? "/" },
    icon: "/assets/icon-192.png",
    badge: "/assets/icon-192.png",
    dir: "auto",
  });
  if (Number.isInteger(message.app_badge)) await self.navigator.setAppBadge?.(message.app_badge).catch(() => {});
}

// A text in the language of the pages, as texts.js has it.
async function t(english) {
  if (language === "en") return english;
  try {
    return (await (await caches.match(`/assets/${wordsName}`, { ignoreVary: true })).json())[english] ?? english;
  } catch { return english; }
}

// Whether the service says that nobody is signed in here; without an answer in time, nothing says so.
async function isSignedOut() {
  try {
    const reply = await fetch("/v1/session", { cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(patience) });
    if (reply.status === 401) return true;
    return reply.ok && (await reply.json()).user === null;
  } catch {
    return false;
  }
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.link ?? "/"));
});

// Opens a link in the page if it is open already; links elsewhere, of an app's backend, in a window of their own.
async function open(link) {
  let url = new URL("/", self.location.origin);
  try { url = new URL(link, self.location.origin); } catch { /* the page itself */ }
  if (!["https:", "http:"].includes(url.protocol)) url = new URL("/", self.location.origin);
  if (url.origin === self.location.origin && url.pathname === "/") {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const page = pages.find((one) => new URL(one.url).pathname === "/");
    if (page) {
      await page.focus().catch(() => {});
      page.postMessage({ open: url.hash });
      return;
    }
  }
  await self.clients.openWindow(url.href);
}

// A short name for the version of the shell (FNV-1a, 32 bits, twice).
function digest(text) {
  let [one, other] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    one = Math.imul(one ^ text.charCodeAt(index), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(text.length - 1 - index), 0x01000193);
  }
  return ((one >>> 0).toString(16) + (other >>> 0).toString(16)).padStart(16, "0");
}
