// Puts the page together: reactions to changes of the view, the viewer or the selection.

import { Address } from "./address.js";
import { Api, isAbort } from "./api.js";
import { StoryCard } from "./card.js";
import { Connection } from "./connection.js";
import { Dialogs, knownPosition } from "./dialogs.js";
import { byId, debounce } from "./dom.js";
import { Explore } from "./explore.js";
import { middle, padded, readPermalink } from "./geo.js";
import { InvitationDialog } from "./invitation.js";
import { drawKey } from "./key.js";
import { Links } from "./links.js";
import { StoryList, placeTitle, sayEmpty } from "./list.js";
import { Look } from "./look.js";
import { LiveStream } from "./live.js";
import { StoryMap, deepest, loadEngine, readyBasemaps } from "./map.js";
import { Markers } from "./markers.js";
import { sourceWords } from "./media.js";
import { Notices } from "./notices.js";
import { Pictures } from "./pictures.js";
import { Push } from "./push.js";
import { PlaceSearch } from "./search.js";
import { Session } from "./session.js";
import { NotificationSettings } from "./settings.js";
import { openSheet, sheetIsOpen } from "./sheet.js";
import { SignIn } from "./signin.js";
import { announceView, remark, showListAlone } from "./status.js";
import { StoredDialog } from "./stored.js";
import { stories } from "./words.js";
import { startWorker } from "./worker.js";

const samePlace = 1.5e-5; // degrees around a point that still are the same place
const aroundCluster = 1e-6;
const nearby = 0.25; // degrees around a place searched for, where there is no map

let restoring = false; // while the page follows the address, it does not write it; set before links are followed
addEventListener("hashchange", () => { restoring = true; });

const session = new Session();
session.takeFromAddress();
const connection = new Connection();
const api = new Api(session, connection);
const signIn = new SignIn(session, api);
const look = new Look();
const pictures = new Pictures(api, session);
const list = new StoryList(api, pictures);
const dialogs = new Dialogs(session, api, signIn);
const invitation = new InvitationDialog(session, api);
const invited = invitation.takeFromAddress();
const notices = new Notices(api, session);
const settings = new NotificationSettings(api, session, new Push(session));
const stored = new StoredDialog(api, session);
const links = new Links();
const changes = new LiveStream();

const engine = loadEngine(); // meanwhile the service is asked who is signed in
let map = null;
let markers = null;
let card = null;
let keepsView = readPermalink(location.hash) !== null; // what the first link opens does not move the map it names
let place = null; // what the list shows instead of the view: { title, box, center, from }, or { title, path, parameters }
let area = null; // without a map: the area searched for
let request = null;

const explore = new Explore(api, session, () => map?.view ?? null);
const address = new Address(explore.filters);
const search = new PlaceSearch(api, () => explore.filters.parameters("q"));

// --- what is shown -------------------------------------------------------------------------------------------------

async function refresh() {
  const view = map?.view ?? null;
  request?.abort();
  request = new AbortController();
  const drawn = view ? drawMarkers(view, request.signal) : Promise.resolve(true);
  const listed = place ? Promise.resolve(true) : listView(view);
  const [mapDone, listDone] = await Promise.all([drawn, listed]);
  if (mapDone instanceof Error) remark(list.failed ? "" : `The markers could not be loaded. ${mapDone.message}`);
  else if (mapDone && listDone && !list.failed && !explore.isPlaying) announceView(view, markers?.summary, place ? null : list.matched);
}

// Follows the part of the map in view: the service reports when it changes.
function follow() {
  const view = map?.view;
  if (view) changes.open("/v1/events", { ...explore.parameters, bbox: view.wideBox, zoom: view.level });
  else changes.close();
}

// Something in view has changed: keep unchanged markers, and the reader's place in the list.
async function showChanges() {
  const view = map?.view;
  if (!view) return;
  const drawn = await drawMarkers(view, (request ??= new AbortController()).signal);
  if (drawn instanceof Error) remark(`The markers could not be loaded. ${drawn.message}`);
  explore.show();
  const isRead = place !== null || byId("list-body").scrollTop > 0 || byId("list-body").contains(document.activeElement);
  if (!isRead) await listView(view);
}

async function drawMarkers(view, signal) {
  try {
    const collection = await api.get("/v1/clusters", { ...explore.parameters, bbox: view.wideBox, zoom: view.level }, { signal, orLast: true });
    markers.update(collection.features ?? [], view.level);
    card.keepIfAmong(collection.features ?? []);
    remark("");
    return true;
  } catch (error) {
    return isAbort(error) ? false : error;
  }
}

function listView(view) {
  const everything = { words: "Show everything", action: showEverything };
  if (explore.filters.count > 0) sayEmpty("No stories here match your filters.", { words: "Clear all filters", action: () => explore.filters.clear() });
  else if (view) sayEmpty("No stories here that you may see. Move or zoom out the map, or", everything);
  else if (area) sayEmpty(`No stories near ${area.name}.`, everything);
  else sayEmpty("There are no stories yet that you may see.", null);
  const title = view ? "Stories in view" : area ? `Stories near ${area.name}` : "All stories";
  byId("back").hidden = view !== null || area === null;
  return list.load(title, "/v1/stories", { ...explore.listParameters, bbox: view?.box ?? area?.box.join(",") ?? null }, { orLast: true });
}

// Writes what is shown into the address; a step can be taken back with the browser's back button.
function tellAddress(isStep) {
  if (restoring) return;
  const box = place?.box?.map((degrees) => Number(degrees.toFixed(7))).join(",");
  const open = card?.id ? { story: card.id } : box ? { place: box } : place?.address;
  address.write(map?.view ?? null, open, isStep);
}

// Shows what the address says: after the back button, or after a link was followed in this document.
function restore() {
  const [view, { subject }] = [readPermalink(location.hash), address];
  if (view && map) map.show(view.center, view.zoom);
  card?.close({ keepsFocus: true });
  if (subject?.box) openPlace("Stories at this place", subject.box, null, null);
  else if (subject) openUnplaced();
  else if (!address.namesSubject && place) closePlace();
  address.restore();
  restoring = false;
}

// --- choosing ------------------------------------------------------------------------------------------------------

function choose({ properties, geometry, bbox, id }, byKeyboard) {
  if (!properties.cluster && (properties.stories_here ?? 1) === 1) {
    card.open({ properties, geometry, bbox, id });
    tellAddress(true);
  } else if (!properties.cluster) {
    const [x, y] = geometry.coordinates;
    openPlace(placeTitle(properties.stories_here ?? 1), padded([x, y, x, y], samePlace), geometry.coordinates, id);
  } else if (properties.stacked || properties.expansion_zoom > deepest || map.deepEnough || !bbox) {
    openPlace(placeTitle(properties.point_count), padded(bbox ?? [...geometry.coordinates, ...geometry.coordinates], aroundCluster), geometry.coordinates, id);
  } else {
    if (byKeyboard) markers.expectChildren(bbox);
    map.open(geometry.coordinates, bbox, properties.expansion_zoom);
  }
}

async function openPlace(title, box, center, from) {
  card?.close({ keepsFocus: true });
  place = { title, box, center: center ?? middle(box), from };
  tellAddress(true);
  map?.mark(place.center);
  explore.makeRoom();
  openSheet(true);
  byId("back").hidden = false;
  const done = loadPlace();
  byId("list-title").focus();
  await done;
}

// Lists the stories of the open place that the filters leave.
async function loadPlace() {
  sayEmpty(explore.filters.count > 0 ? "No stories here match your filters." : "These stories are no longer here, or no longer for you to see.", null);
  const done = await list.load(place.title, "/v1/stories", { ...explore.listParameters, bbox: place.box.join(",") });
  if (!done || list.matched === null) return;
  byId("list-title").textContent = placeTitle(list.matched);
  byId("live").textContent = placeTitle(list.matched);
}

// Lists exactly a link's subject, and shows its location.
async function openStories({ title, path, parameters = {}, center = null, from = null, address: named = null }) {
  const stays = restoring || keepsView;
  keepsView = false;
  card?.close({ keepsFocus: true });
  place = { title, path, parameters, center, from, address: named ?? subjectOf(parameters) };
  tellAddress(true);
  map?.mark(center);
  explore.makeRoom();
  openSheet(true);
  byId("back").hidden = false;
  sayEmpty(`${parameters.ids?.length === 1 ? "This story is" : "These stories are"} no longer here, or not for you to see.`, null);
  const done = await list.load(title, path, parameters);
  byId("list-title").focus();
  if (!done || list.matched === null) return;
  byId("live").textContent = `${title}: ${stories(list.matched)}`;
  if (!map || stays) return;
  const points = center ? [center] : list.points;
  const [x, y] = [points.map(([lon]) => lon), points.map(([, lat]) => lat)];
  if (points.length === 1) {
    map.mark(points[0]);
    map.showAtLeast(points[0], 13);
  } else if (points.length > 1) map.fit([Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)]);
}

// How an address names a list of stories; undefined for lists that only their own link opens.
function subjectOf({ ids, family }) {
  if (ids) return ids.length === 1 ? { story: ids[0] } : { stories: ids.join(",") };
  return family ? { family } : undefined;
}

function openUnplaced() {
  return openStories({ title: "Stories without a place", path: "/v1/stories", parameters: unplaced(), address: { list: "unplaced" } });
}

const unplaced = () => ({ ...explore.parameters, placed: "false" });

function openCardStory({ id, feature }) {
  return openStories({ title: "One story", path: "/v1/stories", parameters: { ids: [id] }, center: feature.geometry.coordinates, from: id });
}

function openCardPlace({ id, feature: { geometry, properties } }) {
  const [x, y] = geometry.coordinates;
  return openPlace(placeTitle(properties.stories_here ?? 1), padded([x, y, x, y], samePlace), geometry.coordinates, id);
}

async function openFamily({ id }) {
  if (!session.signedIn) {
    links.keep("family", { id });
    return signIn.open();
  }
  let name = "This family";
  try {
    name = (await api.get(`/v1/families/${id}`)).name;
  } catch { /* the list below says that there is nothing to see */ }
  return openStories({ title: `${name}: the family’s stories`, path: "/v1/stories", parameters: { family: id } });
}

function closePlace() {
  const from = place?.from;
  place = null;
  area = null;
  tellAddress(true);
  map?.mark(null);
  byId("back").hidden = true;
  openSheet(false);
  if (!map) byId("list-title").focus();
  else if (!markers.focus(from)) map.canvas.focus();
  refresh();
}

function showPlace({ center, title }) {
  if (!map) return showArea({ name: title ?? "this place", center, box: null });
  openSheet(false);
  map.mark(center);
  map.showAtLeast(center, 13);
  byId("live").textContent = `The map shows ${title || "the place"}.`;
  return undefined;
}

function showArea({ name, center: [x, y], box }) {
  area = { name, box: box ?? padded([x, y, x, y], nearby) };
  refresh();
}

function goTo(found) {
  place = null;
  byId("back").hidden = true;
  if (!map) return showArea(found);
  map.mark(found.box ? null : found.center);
  return found.box ? map.fit(found.box) : map.show(found.center, found.zoom);
}

// Lists the stories with these words, and shows all of them on the map.
async function findStories(words) {
  place = null;
  byId("back").hidden = true;
  map?.mark(null);
  const before = explore.filters.text;
  explore.filters.setText(words);
  if (explore.filters.text === before) refresh();
  openSheet(true);
  const box = map ? await wholeBox() : null;
  if (box) map.fit(box);
}

async function showEverything() {
  area = null;
  if (!map) return refresh();
  return map.fit(await wholeBox());
}

async function wholeBox() {
  try {
    return (await api.get("/v1/bounds", explore.parameters)).bbox ?? null;
  } catch { return null; } // the list says what is wrong; the map can still show the world
}

// --- starting --------------------------------------------------------------------------------------------------------

async function startMap() {
  const linked = readPermalink(location.hash);
  const [present, sets, position, box] = await Promise.all([engine, readyBasemaps(), linked ? null : knownPosition(), linked ? null : wholeBox()]);
  if (!present) return withoutMap("The map engine is missing on this server, so the stories are shown as a list. Running ./scripts/run on the server fetches it.");
  try {
    map = new StoryMap(byId("canvas"), look.current, linked ?? (position ? { center: position, zoom: 11 } : { box }), sets);
  } catch {
    return withoutMap("This browser cannot draw the map (WebGL is off or missing), so the stories are shown as a list.");
  }
  settings.useMap(map);
  markers = new Markers(map, pictures);
  markers.addEventListener("choose", ({ detail }) => choose(detail.feature, detail.byKeyboard));
  card = new StoryCard(api, map, explore.filters);
  card.addEventListener("story", ({ detail }) => openCardStory(detail));
  card.addEventListener("place", ({ detail }) => openCardPlace(detail));
  card.addEventListener("closed", ({ detail }) => {
    if (detail.id && !markers.focus(detail.id)) map.canvas.focus();
    if (!place) tellAddress(true);
  });
  const settled = debounce(90, () => {
    tellAddress(false);
    refresh();
    follow();
    explore.moved();
  });
  if (!address.namesSubject) tellAddress(false);
  map.addEventListener("move", () => { markers.refreshReach(); settled(); });
  look.addEventListener("change", () => map.setLook(look.current));
  return undefined;
}

function withoutMap(words) {
  map = null;
  showListAlone(words);
  openSheet(true);
}

// Other filters or another order: everything follows.
function narrow() {
  search.show(explore.filters.text);
  tellAddress(!explore.isPlaying);
  if (place?.box) loadPlace();
  else if (place?.address?.list) list.load(place.title, place.path, (place.parameters = unplaced()));
  refresh();
  follow();
}

function viewerChanged() {
  card?.close({ keepsFocus: true });
  place = null;
  byId("back").hidden = true;
  map?.mark(null);
  markers?.update([]);
  list.clear();
  notices.viewerChanged();
  settings.viewerChanged();
  explore.viewerChanged();
  refresh();
  follow();
  if (session.signedIn) links.follow();
  byId("live").textContent = session.signedIn ? "Signed in." : "Signed out. Public stories are shown.";
}

byId("back").addEventListener("click", closePlace);
byId("stories").addEventListener("keydown", (event) => { if (event.key === "Escape" && !byId("back").hidden) closePlace(); });
byId("sheet").addEventListener("click", () => openSheet(!sheetIsOpen()));
byId("zoom-in").addEventListener("click", () => map.zoomBy(1));
byId("zoom-out").addEventListener("click", () => map.zoomBy(-1));
byId("fit").addEventListener("click", showEverything);
list.addEventListener("show", ({ detail }) => showPlace(detail));
list.addEventListener("again", () => {
  if (place?.path) openStories(place);
  else if (place) openPlace(place.title, place.box, place.center, place.from);
  else refresh();
});
list.addEventListener("sign-in", () => signIn.open());
notices.addEventListener("stories", ({ detail }) => openStories(detail));
notices.addEventListener("family", ({ detail }) => openFamily(detail));
notices.addEventListener("mute", async ({ detail }) => notices.say(await settings.mute(detail)));
settings.addEventListener("privacy", () => stored.open());
settings.addEventListener("opening", () => notices.close(false));
notices.addEventListener("invitation", ({ detail }) => invitation.openByID(detail.id));
links.addEventListener("stories", ({ detail: { ids } }) =>
  openStories({ title: ids.length === 1 ? "One story" : stories(ids.length), path: "/v1/stories", parameters: { ids } }));
links.addEventListener("family", ({ detail }) => openFamily(detail));
notices.addEventListener("sign-in", () => signIn.open());
search.addEventListener("choose", ({ detail }) => goTo(detail));
search.addEventListener("stories", ({ detail }) => findStories(detail.words));
explore.addEventListener("unplaced", openUnplaced);
explore.addEventListener("panel", () => openSheet(true));
dialogs.addEventListener("position", ({ detail }) => {
  if (detail.center) map.show(detail.center, 12);
  else remark(detail.words);
});
invitation.addEventListener("sign-in", () => signIn.open());
invitation.addEventListener("joined", viewerChanged);
session.addEventListener("change", viewerChanged);
addEventListener("hashchange", () => {
  session.takeFromAddress();
  signIn.openLink();
});
changes.addEventListener("changed", showChanges);
// Asks for little, so that what is read meanwhile stays as it is.
connection.addEventListener("retry", () => { api.ask("/v1/session").catch(() => {}); });
connection.addEventListener("back", async () => {
  await session.check(api);
  refresh();
});

drawKey();
if (sourceWords) byId("sources").textContent = sourceWords;
await session.start(api);
dialogs.nameAccount();
address.restore();
search.show(explore.filters.text);
if (invited) invitation.open();
signIn.openLink();
const opened = address.subject;
await startMap();
notices.viewerChanged();
explore.addEventListener("change", narrow);
addEventListener("hashchange", restore);
restoring = false;
explore.show();
refresh();
follow();
if (opened?.box) openPlace("Stories at this place", opened.box, null, null);
else if (opened) openUnplaced();
links.follow();
startWorker((link) => { location.hash = link; });
// The feed of a viewer who did not open it now can be read without a network too.
setTimeout(() => { if (session.signedIn) api.get("/v1/notifications", { limit: 30 }).catch(() => {}); }, 4_000);
