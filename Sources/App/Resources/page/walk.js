// The page /walk: draws or takes a trace, sends it, and plays what the service decided, step by step.

import { Api } from "./api.js";
import { byId, element } from "./dom.js";
import { Look } from "./look.js";
import { StoryMap, loadEngine, readyBasemaps } from "./map.js";
import { Session } from "./session.js";
import { showListAlone } from "./status.js";
import { WalkMap } from "./walk-map.js";
import { Run, boxOf, clock, drawnFile, phases, typedPoint } from "./walk-run.js";
import { decimal, serverLanguage, t, tn, told } from "./texts.js";

const atOnce = 100; // steps that the list shows before "Show more"
const shortest = 40; // milliseconds between two steps of a playing walk
const longest = 1500;

const session = new Session();
const api = new Api(session);
const look = new Look();

let map = null;
let picture = null;
let points = [];
let run = null;
let options = null;
let index = 0;
let listed = atOnce;
let timer = null;
let isWalking = false;

const isDrawing = () => document.querySelector("input[name=way]:checked").value === "draw";

// --- the way -------------------------------------------------------------------------------------------------------

function showPoints(words = "") {
  byId("points").replaceChildren(...points.map(([longitude, latitude], number) => element("li", {},
    element("span", { class: "walk-number" }, `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`),
    element("button", { type: "button", class: "plain", "aria-label": t("Remove point {number}", { number: number + 1 }), onclick: () => remove(number) }, t("Remove")))));
  byId("undo").disabled = byId("clear").disabled = points.length === 0;
  byId("way-state").textContent = words;
  picture?.setRoute(points, isDrawing());
}

function add(point, name = "") {
  points = [...points, point.map((degrees) => Number(degrees.toFixed(7)))];
  const count = tn(points.length, "{count} point; a way needs two.", "{count} points.");
  showPoints(name === "" ? count : `${t("{name} added.", { name })} ${count}`);
}

function undo() {
  points = points.slice(0, -1);
  showPoints(points.length > 0 ? tn(points.length, "The last point is removed, {count} left.", "The last point is removed, {count} left.") : t("All points are removed."));
  if (points.length === 0) byId("point").focus();
}

function remove(number) {
  points = points.filter((_, other) => other !== number);
  showPoints(tn(points.length, "Point {number} removed, {count} left.", "Point {number} removed, {count} left.", { number: number + 1 }));
  const buttons = byId("points").querySelectorAll("button");
  (buttons[Math.min(number, buttons.length - 1)] ?? byId("add-point")).focus();
}

// Adds what is typed: coordinates, or the first place or address of that name.
async function addTyped() {
  const text = byId("point").value.trim();
  byId("point").focus();
  const say = (words) => {
    byId("point-problem").textContent = words;
    if (words === "") byId("point").removeAttribute("aria-invalid");
    else byId("point").setAttribute("aria-invalid", "true");
  };
  if (text === "") return say(t("Type coordinates, latitude first, such as 33.7553, -84.3733, or the name of a place."));
  let [point, name] = [typedPoint(text), ""];
  try {
    if (!point) {
      const [place] = await api.get("/v1/geocode", { q: text, limit: 1 });
      if (!place) return say(t("No place of that name is known here. Type coordinates, latitude first, such as 33.7553, -84.3733."));
      [point, name] = [[place.lon, place.lat], place.display_name ?? text];
    }
  } catch (error) {
    return say(whatWentWrong(error));
  }
  say("");
  byId("point").value = "";
  add(point, name);
  if (map && points.length === 1) map.showAtLeast(points[0], 14);
  return undefined;
}

function chooseWay() {
  byId("way-draw").hidden = !isDrawing();
  byId("way-file").hidden = isDrawing();
  picture?.setRoute(points, isDrawing());
}

// --- sending -------------------------------------------------------------------------------------------------------

function refuse(words, field) {
  byId("form-problem").textContent = words;
  for (const input of byId("walk-form").querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  if (!field) return null;
  byId(field).setAttribute("aria-invalid", "true");
  byId(field).focus();
  return null;
}

// The sentence for an error: what the service says of the request is enough.
const whatWentWrong = (error) => (error.status === 400 || error.status === 422 ? error.what : error.message);

// The number in a field; throws the field with what it expects.
function numberIn(id, things) {
  const field = byId(id);
  if (field.value.trim() === "" && field.placeholder !== "" && !field.validity.badInput) return null;
  const value = Number(field.value);
  if (field.value.trim() === "" || !Number.isFinite(value) || value < Number(field.min) || value > Number(field.max)) {
    throw { field: id, words: t("{field}: type a number from {least} to {most}.", { field: things, least: field.min, most: field.max }) };
  }
  return value;
}

function chosenOptions() {
  const share = numberIn("outliers", t("Outliers"));
  const kmh = numberIn("speed", t("Speed"));
  return {
    noise: numberIn("noise", t("Errors")), outliers: share / 100, seed: Math.floor(numberIn("seed", t("Seed"))),
    speed: Number((kmh / 3.6).toFixed(4)), interval: numberIn("interval", t("Seconds between fixes")),
    radius: numberIn("radius", t("Radius")), forget: byId("forget").checked,
  };
}

async function chosenFile() {
  if (isDrawing()) {
    if (points.length < 2) return refuse(t("Draw at least two points first."), "point");
    return { name: "drawn.geojson", body: drawnFile(points) };
  }
  const [file] = byId("file").files;
  if (!file) return refuse(t("Choose a recording first."), "file");
  if (file.size > 8 << 20) return refuse(t("The file has more than 8 MB. Choose a part of the recording."), "file");
  return { name: file.name.slice(-40), body: file };
}

async function walk() {
  if (isWalking) return;
  refuse("");
  const file = await chosenFile();
  if (!file) return;
  try {
    options = chosenOptions();
  } catch ({ field, words }) {
    refuse(words, field);
    return;
  }
  pause();
  isWalking = true;
  byId("walk").textContent = t("Walking…");
  byId("live").textContent = t("Walking…");
  try {
    const report = await api.upload("/v1/walk", { ...options, name: file.name }, file.body);
    show(new Run(report), report);
  } catch (error) {
    refuse(whatWentWrong(error));
  } finally {
    isWalking = false;
    byId("walk").textContent = t("Walk");
  }
}

// --- the result ----------------------------------------------------------------------------------------------------

function show(result, report) {
  run = result;
  index = 0;
  listed = atOnce;
  byId("result").hidden = false;
  const { settings, monitoring, decisions, drawn, problems } = report;
  byId("result-state").textContent = `${[tn(run.fixes.length, "{count} fix", "{count} fixes"), tn(run.fences.length, "{count} fence near the way", "{count} fences near the way"),
    tn(run.notices.length, "{count} notification", "{count} notifications")].join(", ")}.`;
  const notes = [
    `${[t("Radius {radius} m", { radius: settings.radius }), settings.min_dwell > 0 && t("announced after {seconds} s inside", { seconds: settings.min_dwell }),
      settings.max_speed && t("not above {speed} m/s", { speed: settings.max_speed })].filter(Boolean).join(", ")}.`,
    monitoring === "off" ? t("You have not turned notifications on: your phone would get none of these.") : null,
    decisions === "changes" ? t("There are so many decisions that only those are listed that change something.") : null,
    drawn ? t("The way had no times; it was walked at the speed you chose.") : null, ...problems,
  ];
  byId("result-notes").replaceChildren(...notes.filter((words) => words !== null).map((words) => element("li", { dir: "auto" }, words)));
  byId("position").max = String(Math.max(0, run.steps.length - 1));
  showNotices();
  showEvents();
  const { box } = run;
  if (box) map?.fit(box);
  jump(0);
  byId("result-title").focus();
}

function showNotices() {
  const items = run.notices.map(({ notice, index: at }) => element("li", {},
    element("button", { type: "button", class: "walk-event", dir: "auto", onclick: () => jump(at, true) },
      element("strong", {}, `${clock(notice.at)}  `, element("span", { lang: serverLanguage }, notice.title)), element("span", { lang: serverLanguage }, notice.body))));
  byId("notices").replaceChildren(...(items.length > 0 ? items : [element("li", { class: "hint" }, t("None on this walk."))]));
  byId("silent").hidden = run.silences.length === 0;
  byId("silences").replaceChildren(...run.silences.map(({ story, why }) => element("li", { dir: "auto" }, element("strong", { dir: "auto" }, run.titleOf(story)), " ", told(why))));
}

function showEvents() {
  const every = byId("shown").value === "all";
  const indices = run.steps.map((_, at) => at).filter((at) => every || run.matters(at));
  const shown = indices.slice(0, listed);
  byId("events").replaceChildren(...shown.map((at) => element("li", {},
    element("button", { type: "button", class: "walk-event", dir: "auto", "data-step": at, onclick: () => jump(at, true) }, run.headline(at)))));
  if (shown.length === 0) byId("events").replaceChildren(element("li", { class: "hint" }, t("Nothing changed on this walk: no fence was near enough.")));
  byId("more").hidden = shown.length === indices.length;
  markCurrent();
}

function markCurrent() {
  for (const button of byId("events").querySelectorAll("[data-step]")) {
    if (Number(button.dataset.step) === index) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}

// Shows a step; one that the reader chose is announced too, but not each of a playing walk.
function jump(to, isChosen = false) {
  if (run.steps.length === 0) {
    byId("step").replaceChildren(element("p", {}, t("There is no step: the recording has no position with a time.")));
    picture?.setRun(null);
    return;
  }
  if (isChosen) pause();
  index = Math.min(run.steps.length - 1, Math.max(0, to));
  byId("position").value = String(index);
  byId("position").setAttribute("aria-valuetext", run.headline(index));
  byId("step").replaceChildren(...stepWords());
  markCurrent();
  picture?.setRun(run, index);
  picture?.follow();
  if (isChosen || run.noticesAt(index).length > 0) byId("live").textContent = t("Step {number}: {what}", { number: index + 1, what: run.headline(index) });
}

function stepWords() {
  const { fix, estimate, decisions, entered, left } = run.steps[index];
  const lines = [element("p", { class: "walk-number" }, t("Step {number} of {all}, {what}", { number: index + 1, all: run.steps.length, what: run.headline(index) }))];
  const say = (words, kind = "") => lines.push(element("p", { class: kind }, words));
  if (fix) say(t("Fix: {place}, {accuracy}. {why}", { place: `${fix.lat.toFixed(5)}, ${fix.lon.toFixed(5)}`, why: told(fix.why),
    accuracy: fix.acc === null ? t("no accuracy given") : t("exact to {metres} m", { metres: Math.round(fix.acc) }) }));
  if (estimate) say(t("Likeliest position from all fixes: {place}, exact to {metres} m, {speed} km/h.",
    { place: `${estimate.lat.toFixed(5)}, ${estimate.lon.toFixed(5)}`, metres: Math.round(estimate.acc), speed: decimal(estimate.speed * 3.6, 1) }));
  for (const { title, body } of run.noticesAt(index)) lines.push(element("p", { class: "walk-notice" }, element("strong", {}, title), ` ${body}`));
  for (const entry of entered) say(run.entryWords(entry), "walk-change");
  for (const place of left) say(t("The visit of {place} ended.", { place: run.nameOf(place) }), "walk-change");
  const ordered = [...decisions].sort((a, b) => Number(b.before !== b.after) - Number(a.before !== a.after) || a.likely_d - b.likely_d);
  if (ordered.length > 0) {
    const items = ordered.slice(0, 12).map((decision) => element("li", { class: decision.before === decision.after ? "" : "walk-change" }, run.decisionWords(decision)));
    if (ordered.length > 12) items.push(element("li", { class: "hint" }, tn(ordered.length - 12, "and {count} fence further away", "and {count} fences further away")));
    lines.push(element("ul", { class: "walk-notes", "aria-label": t("Decisions about fences") }, ...items));
  }
  const open = [...run.phasesAfter(index)].map(([place, phase]) => `${run.nameOf(place)}: ${phases[phase]}`);
  say(open.length > 0 ? t("Now: {states}.", { states: open.join("; ") }) : t("Now: outside every fence."), "hint");
  return lines;
}

// --- playing -------------------------------------------------------------------------------------------------------

function pause() {
  clearTimeout(timer);
  timer = null;
  byId("play").textContent = t("Play");
}

function play() {
  if (timer !== null) return pause();
  if (run.steps.length === 0) return undefined;
  if (index >= run.steps.length - 1) jump(0);
  byId("play").textContent = t("Pause");
  return advance();
}

function advance() {
  if (index >= run.steps.length - 1) {
    pause();
    byId("live").textContent = t("The walk has ended.");
    return;
  }
  const passed = Date.parse(run.steps[index + 1].clock) - Date.parse(run.steps[index].clock);
  const wait = Math.min(longest, Math.max(shortest, passed / Number(byId("pace").value)));
  timer = setTimeout(() => { jump(index + 1); advance(); }, wait);
}

function download() {
  const address = URL.createObjectURL(new Blob([run.ndjson(options)], { type: "application/x-ndjson" }));
  const link = element("a", { href: address, download: "walk.ndjson" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// --- beginning -----------------------------------------------------------------------------------------------------

function listen() {
  const onClick = { "add-middle": () => { const { lng, lat } = map.view.center; add([lng, lat]); }, undo,
    clear: () => { points = []; showPoints(t("All points removed.")); byId("point").focus(); }, "add-point": addTyped, first: () => jump(0, true), previous: () => jump(index - 1, true),
    play, next: () => jump(index + 1, true), download, more: () => { listed += atOnce; showEvents(); } };
  for (const [id, action] of Object.entries(onClick)) byId(id).addEventListener("click", action);
  byId("walk-form").addEventListener("submit", (event) => { event.preventDefault(); walk(); });
  byId("point").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); addTyped(); } });
  for (const radio of document.querySelectorAll("input[name=way]")) radio.addEventListener("change", chooseWay);
  byId("position").addEventListener("input", () => { pause(); jump(Number(byId("position").value)); });
  byId("shown").addEventListener("change", () => { listed = atOnce; showEvents(); });
  session.keep({ size: () => (run ? 2 * run.ndjson(options).length : 0), clear: () => { run = null; points = []; byId("result").hidden = true; picture?.setRun(null); showPoints(); } });
  session.addEventListener("change", tellAccount);
}

function tellAccount() {
  byId("account").textContent = session.subject ?? t("Not signed in");
  byId("signed-out").hidden = session.signedIn;
  byId("walk").disabled = !session.signedIn;
}

async function beginMap() {
  const [hasEngine, sets] = await Promise.all([loadEngine(), readyBasemaps()]);
  const withoutMap = (words) => { byId("add-middle").hidden = true; showListAlone(words); };
  if (!hasEngine) return withoutMap(t("This server has no map engine; type the points, or take a recording. The steps say all that the map would show."));
  try {
    map = new StoryMap(byId("canvas"), look.current, {}, sets);
  } catch {
    return withoutMap(t("This browser cannot draw the map; type the points, or take a recording. The steps say all that the map would show."));
  }
  picture = new WalkMap(map, byId("map"), byId("legend"));
  look.addEventListener("change", () => map.setLook(look.current));
  byId("zoom-in").addEventListener("click", () => map.zoomBy(1));
  byId("zoom-out").addEventListener("click", () => map.zoomBy(-1));
  byId("fit").addEventListener("click", () => map.fit(run?.box ?? boxOf(points)));
  map.addEventListener("press", ({ detail }) => { if (isDrawing()) add(detail.center); });
  if (run) picture.setRun(run, index);
  chooseWay();
  await showStories();
  return undefined;
}

// Begins where the viewer's stories are.
async function showStories() {
  try {
    const { bbox } = await api.get("/v1/bounds");
    if (bbox && points.length === 0 && !run) map.fit(bbox);
  } catch { /* the map of the world is a beginning too */ }
}

listen();
await session.start(api);
tellAccount();
await beginMap();
