// Puts the page together: reactions to changes of the view, the viewer or the selection.

import { Address, subjectOf } from "./address.js";
import { Api } from "./api.js";
import { StoryCard } from "./card.js";
import { Connection } from "./connection.js";
import { Dialogs } from "./dialogs.js";
import { byId, debounce, promptly } from "./dom.js";
import { Drawing } from "./drawer.js";
import { Explore } from "./explore.js";
import { middle, middleOf, padded, readPermalink } from "./geo.js";
import { InvitationDialog } from "./invitation.js";
import { drawKey } from "./key.js";
import { showLink } from "./linked.js";
import { Links, familyTitle } from "./links.js";
import { StoryList, placeTitle, sayEmpty, sayNothing } from "./list.js";
import { Look } from "./look.js";
import { LiveStream } from "./live.js";
import { deepest } from "./map.js";
import { Markers, markerKey } from "./markers.js";
import { saySources } from "./media.js";
import { Notifying } from "./notifying.js";
import { startOffline } from "./offline.js";
import { Pictures } from "./pictures.js";
import { PlaceSearch } from "./search.js";
import { Session } from "./session.js";
import { ShareDialog } from "./share.js";
import { openSheet, sheetIsOpen } from "./sheet.js";
import { SignIn } from "./signin.js";
import { MapStart } from "./start.js";
import { startTogether } from "./together.js";
import { announceView, remark, say, showListAlone } from "./status.js";
import { t } from "./texts.js";
import { clusterWords, stories } from "./words.js";
import { Writing } from "./writing.js";

const [samePlace, aroundCluster] = [1.5e-5, 1e-6]; // degrees around a point that still are the same place, and around a cluster
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
const maps = new MapStart(look);
const writing = new Writing(session, api, signIn, pictures, (container, center, zoom) => maps.small(container, center, zoom));
const list = new StoryList(api, pictures, writing);
const dialogs = new Dialogs(session, api, signIn);
const invitation = new InvitationDialog(session, api);
const invited = invitation.takeFromAddress();
const sharing = new ShareDialog(session, api);
list.mayShare = sharing.mayShare;
const notifying = new Notifying(api, session);
const links = new Links();
const changes = new LiveStream();

let map = null;
let sketch = null; // stands in for the map until its engine has arrived
let markers = null;
let card = null;
let keepsView = readPermalink(location.hash) !== null; // what the first link opens does not move the map it names
let place = null; // what the list shows instead of the view: { title, box, center, from }, or { title, path, parameters }
let area = null; // without a map: the area searched for
let request = null;

const openSubject = ({ box }) => (box ? openPlace(t("Stories at this place"), box, null, null) : openUnplaced());

const viewShown = () => (map ?? sketch)?.view ?? null;
const explore = new Explore(api, session, viewShown);
const drawing = new Drawing(api, () => explore.parameters, (features) => writing.without(features));
const address = new Address(explore.filters);
const search = new PlaceSearch(api, () => explore.filters.parameters("q"));

// --- what is shown -------------------------------------------------------------------------------------------------

async function refresh() {
  const view = viewShown();
  request?.abort();
  request = new AbortController();
  const drawn = view ? drawing.draw(view, request.signal) : Promise.resolve(true);
  const listed = place ? Promise.resolve(true) : listView(view);
  const [mapDone, listDone] = await Promise.all([drawn, listed]);
  if (mapDone instanceof Error) remark(list.failed ? "" : t("The markers could not be loaded. {why}", { why: mapDone.message }));
  else if (mapDone && listDone && !list.failed && !explore.isPlaying) announceView(view, markers?.summary, place ? null : list.matched);
}

// Follows the part of the map in view: the service reports when it changes.
function follow() {
  const view = session.link.isOpen ? null : map?.view; // what links show has no stream
  return view ? changes.open("/v1/events", { ...explore.parameters, bbox: view.wideBox, zoom: view.level }) : changes.close();
}

// Something in view has changed: keep unchanged markers, and the reader's place in the list.
async function showChanges() {
  const view = map?.view;
  if (!view) return;
  const drawn = await drawing.draw(view, (request ??= new AbortController()).signal);
  if (drawn instanceof Error) remark(t("The markers could not be loaded. {why}", { why: drawn.message }));
  explore.show();
  const isRead = place !== null || byId("list-body").scrollTop > 0 || byId("list-body").contains(document.activeElement);
  if (!isRead) await listView(view);
}

function listView(view) {
  sayNothing({ filters: explore.filters, hasMap: view !== null, area: area?.name, showEverything });
  const title = view ? t("Stories in view") : area ? t("Stories near {name}", { name: area.name }) : t("All stories");
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
  if (subject) openSubject(subject);
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
    openMarkersPlace({ id, feature: { geometry, properties } });
  } else if (properties.stacked || properties.expansion_zoom > deepest || map.deepEnough || !bbox) {
    openPlace(properties.places ? clusterWords(properties) : placeTitle(properties.point_count), padded(bbox ?? [...geometry.coordinates, ...geometry.coordinates], aroundCluster), geometry.coordinates, id);
  } else {
    if (byKeyboard) markers.expectChildren(bbox);
    map.open(geometry.coordinates, bbox, properties.expansion_zoom);
  }
}

// Lists the stories at the place of a marker that is none of a cluster.
function openMarkersPlace({ id, feature: { geometry, properties } }) {
  const [x, y] = geometry.coordinates;
  return openPlace(placeTitle(properties.stories_here ?? 1), padded([x, y, x, y], samePlace), geometry.coordinates, markerKey({ id, properties }));
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
  sayEmpty(explore.filters.count > 0 ? t("No stories here match your filters.") : t("These stories are no longer here, or no longer for you to see."), null);
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
  sayEmpty(parameters.ids?.length === 1 ? t("This story is no longer here, or not for you to see.") : t("These stories are no longer here, or not for you to see."), null);
  const done = await list.load(title, path, parameters);
  byId("list-title").focus();
  if (!done || list.matched === null) return;
  byId("live").textContent = `${title}: ${stories(list.matched)}`;
  if (!map || stays) return;
  map.showPoints(center ? [center] : list.points);
}

const openUnplaced = () => openStories({ title: t("Stories without a place"), path: "/v1/stories", parameters: explore.unplaced, address: { list: "unplaced" } });

function openCardStory({ id, feature }) {
  return openStories({ title: t("One story"), path: "/v1/stories", parameters: { ids: [id] }, center: feature.geometry.coordinates, from: id });
}

async function openFamily({ id }) {
  if (!session.signedIn) {
    links.keep("family", { id });
    return signIn.open();
  }
  return openStories({ title: await familyTitle(api, id), path: "/v1/stories", parameters: { family: id } });
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
  if (!map) return showArea({ name: title ?? t("this place"), center, box: null });
  openSheet(false);
  map.mark(center);
  map.showAtLeast(center, 13);
  byId("live").textContent = title ? t("The map shows {title}.", { title }) : t("The map shows the place.");
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
  const box = map ? await explore.wholeBox() : null;
  if (box) map.fit(box);
}

async function showEverything() {
  area = null;
  if (!map) return refresh();
  return map.fit(await explore.wholeBox());
}

// --- starting --------------------------------------------------------------------------------------------------------

async function startMap() {
  sketch = await maps.sketch(readPermalink(location.hash), () => explore.wholeBox());
  drawing.markers = markers = new Markers(sketch, pictures);
  refresh();
  const opening = maps.open(sketch);
  markers.addEventListener("choose", ({ detail }) => opening.then(() => map && choose(detail.feature, detail.byKeyboard)));
  const started = await opening;
  sketch.remove();
  sketch = null;
  if (!started.map) return void withoutMap(started.words);
  map = started.map;
  markers.moveTo(map);
  notifying.useMap(map);
  drawing.card = card = new StoryCard(api, map, explore.filters, writing, sharing.mayShare);
  card.addEventListener("share", ({ detail }) => sharing.open(detail));
  card.addEventListener("story", ({ detail }) => openCardStory(detail));
  card.addEventListener("place", ({ detail }) => openMarkersPlace(detail));
  card.addEventListener("closed", ({ detail }) => {
    if (detail.id && !markers.focus(detail.id)) map.canvas.focus();
    if (!place) tellAddress(true);
  });
  const settled = promptly(90, refresh);
  const rested = debounce(90, () => {
    tellAddress(false);
    follow();
    explore.moved();
  });
  if (!address.namesSubject) tellAddress(false);
  map.addEventListener("moving", () => drawing.moving(map.view, (request ??= new AbortController()).signal));
  map.addEventListener("move", () => { markers.refreshReach(); settled(); rested(); });
  map.addEventListener("point", ({ detail }) => writing.add(detail.center));
}

function withoutMap(words) {
  markers = null;
  showListAlone(words);
  openSheet(true);
}

// Other filters or another order: everything follows.
function narrow() {
  search.show(explore.filters.text);
  tellAddress(!explore.isPlaying);
  if (place?.box) loadPlace();
  else if (place?.address?.list) list.load(place.title, place.path, (place.parameters = explore.unplaced));
  refresh();
  follow();
}

// A story was added, changed or deleted here: shows it, or the list without it.
async function storiesChanged({ words, id = null, center = null }) {
  card?.close({ keepsFocus: true });
  if (center) map?.showAtLeast(center, 13);
  const listed = place?.box ? loadPlace() : place ? list.load(place.title, place.path, place.parameters) : null;
  explore.show();
  say(words);
  await Promise.all([listed, refresh()]);
  if (document.activeElement === document.body) (byId(`story-${id}`) ?? byId("list-title")).focus();
}

function viewerChanged() {
  card?.close({ keepsFocus: true });
  place = null;
  byId("back").hidden = true;
  map?.mark(null);
  markers?.update([]);
  list.clear();
  notifying.viewerChanged();
  writing.viewerChanged();
  explore.viewerChanged();
  refresh();
  follow();
  if (session.signedIn) links.follow();
  byId("live").textContent = session.signedIn ? t("Signed in.") : t("Signed out. Public stories are shown.");
}

byId("back").addEventListener("click", closePlace);
byId("stories").addEventListener("keydown", (event) => { if (event.key === "Escape" && !byId("back").hidden) closePlace(); });
byId("sheet").addEventListener("click", () => openSheet(!sheetIsOpen()));
byId("add-here").addEventListener("click", () => writing.add(middleOf(map.view)));
byId("fit").addEventListener("click", showEverything);
list.addEventListener("show", ({ detail }) => showPlace(detail));
list.addEventListener("share", ({ detail }) => sharing.open(detail));
list.addEventListener("again", () => {
  if (place?.path) openStories(place);
  else if (place) openPlace(place.title, place.box, place.center, place.from);
  else refresh();
});
notifying.addEventListener("stories", ({ detail }) => openStories(detail));
notifying.addEventListener("invitation", ({ detail }) => invitation.openByID(detail.id));
links.addEventListener("stories", ({ detail: { ids } }) => openStories({ title: ids.length === 1 ? t("One story") : stories(ids.length), path: "/v1/stories", parameters: { ids } }));
for (const source of [links, notifying]) source.addEventListener("family", ({ detail }) => openFamily(detail));
search.addEventListener("choose", ({ detail }) => goTo(detail));
search.addEventListener("stories", ({ detail }) => findStories(detail.words));
explore.addEventListener("unplaced", openUnplaced);
dialogs.addEventListener("position", ({ detail }) => (detail.center ? map.show(detail.center, 12) : remark(detail.words)));
for (const source of [list, notifying, invitation]) source.addEventListener("sign-in", () => signIn.open());
invitation.addEventListener("joined", viewerChanged);
session.addEventListener("change", viewerChanged);
addEventListener("hashchange", () => {
  if (session.link.takeFromAddress()) location.reload(); // nothing of the former viewer may stay here
  session.takeFromAddress();
  signIn.openLink();
});
changes.addEventListener("changed", showChanges);
writing.addEventListener("changed", ({ detail }) => storiesChanged(detail));
writing.addEventListener("failed", ({ detail }) => say(detail.words));

drawKey();
saySources();
await session.start(api);
dialogs.nameAccount();
if (session.link.isOpen) showLink(api, session.link);
address.restore();
search.show(explore.filters.text);
if (invited) invitation.open();
signIn.openLink();
const opened = address.subject;
await startMap();
startTogether({ api, session, map, filters: explore.filters, writing, invitation, signIn, joined: viewerChanged });
notifying.viewerChanged();
writing.viewerChanged();
explore.addEventListener("change", narrow);
addEventListener("hashchange", restore);
restoring = false;
explore.show();
if (!map) refresh();
follow();
if (opened) openSubject(opened);
links.follow();
startOffline({ api, session, connection, refresh });
