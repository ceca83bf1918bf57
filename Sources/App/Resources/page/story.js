// A story's own page: the server wrote all that is to be read; this adds what needs a script. Sharing, and for who is
// signed in the marks, the report, the level and the places to confirm.

import { Api } from "./api.js";
import { byId, element } from "./dom.js";
import { privacyShape } from "./shapes.js";
import { t } from "./texts.js";
import { tripForm } from "./trip-add.js";
import { knownLevels, levelMeaning, levelWord } from "./words.js";

const sheet = byId("story");
const { story: id, own } = sheet.dataset;
const signedIn = "signedIn" in sheet.dataset;
const reasons = { spam: t("Advertising or repetition"), harassment: t("An attack on a person"), inappropriate: t("It does not belong here"), other: t("Another reason") };

// Light or dark as chosen on the map page.
const look = localStorage.getItem("waymark.look");
if (look === "light" || look === "dark") document.documentElement.dataset.look = look;

// Another tab signed in or out, or the browser brings the page back for the next person at this device.
if ("BroadcastChannel" in window) new BroadcastChannel("waymark-session").addEventListener("message", () => location.reload());
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

const api = new Api({ signedIn, user: null, keep() {}, expire() {} });
const path = `/v1/stories/${id}`;

function say(words) { byId("said").textContent = words; }

// Runs what a button does, once at a time. A failure is said, and changes nothing on the page.
async function act(button, action) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  say("");
  try {
    await action();
  } catch (error) {
    say(error.message);
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

function button(words, action, attributes = {}) {
  const node = element("button", { type: "button", class: "wide-button", ...attributes }, words);
  node.addEventListener("click", () => act(node, () => action(node)));
  return node;
}

// A button that is on or off; `names` are its words for both, and both requests go to the same path.
function toggle(name, on, names, said) {
  const node = button(names[Number(on)], async () => {
    await api.send(on ? "DELETE" : "PUT", `${path}/${name}`);
    on = !on;
    node.textContent = names[Number(on)];
    say(said[Number(on)]);
  }, { id: `story-${name}` });
  return node;
}

async function share() {
  const address = `${location.origin}/stories/${id}`;
  try {
    await navigator.clipboard.writeText(address);
    say(t("The link is copied. People who open it see the story only if they may see it."));
  } catch {
    // Without permission or TLS the browser copies nothing: show the link, selected, to be copied by hand.
    const field = byId("story-link") ?? element("input", { id: "story-link", class: "story-link", type: "text", readonly: true, "aria-label": t("Link to this story") });
    field.value = address;
    byId("said").before(field);
    field.focus();
    field.select();
    say(t("Copy the link from the field."));
  }
}

// The level in two taps: one opens the choice, one chooses.
function levels() {
  const choice = element("div", { id: "levels", class: "story-panel", role: "group", "aria-label": t("Who can see it"), hidden: true },
    ...knownLevels.map((level) => {
      const node = element("button", { type: "button", class: "level-choice", "aria-pressed": String(level === own) },
        privacyShape(level), element("span", {}, element("strong", {}, levelWord(level)), `: ${levelMeaning(level)}`));
      node.addEventListener("click", () => act(node, async () => {
        await api.send("PUT", `${path}/privacy`, { privacy: level });
        location.reload();
      }));
      return node;
    }));
  return [opener(t("Change who can see it"), choice), choice];
}

// The trip that the story is in.
function trip() {
  const panel = element("div", { id: "story-trip", class: "story-panel", hidden: true });
  const open = opener(t("Add to a trip"), panel);
  open.addEventListener("click", () => act(open, async () => {
    if (panel.hidden) return;
    const [{ user }, story] = await Promise.all([api.get("/v1/session"), api.get(path)]);
    panel.replaceChildren(await tripForm(api, user?.id, { ...story, id }, (words) => {
      panel.hidden = true;
      open.setAttribute("aria-expanded", "false");
      open.focus();
      say(words);
    }));
    panel.querySelector("select").focus();
  }));
  return [open, panel];
}

function report() {
  const send = element("button", { type: "submit", class: "primary" }, t("Send the report"));
  const choice = element("form", { id: "report", class: "story-panel", hidden: true },
    element("fieldset", {}, element("legend", {}, t("What is wrong with it?")),
      ...Object.entries(reasons).map(([reason, words], index) => element("label", { class: "reason" },
        element("input", { type: "radio", name: "reason", value: reason, checked: index === 0 }), words))),
    element("label", { for: "report-text" }, t("What should the operators know? (you may leave it out)")),
    element("textarea", { id: "report-text", rows: "3", maxlength: "2000", dir: "auto" }), send);
  const open = opener(t("Report"), choice);
  choice.addEventListener("submit", (event) => {
    event.preventDefault();
    act(send, async () => {
      const text = byId("report-text").value.trim();
      await api.send("POST", `${path}/report`, { reason: new FormData(choice).get("reason"), ...(text === "" ? {} : { text }) });
      choice.hidden = true;
      open.setAttribute("aria-expanded", "false");
      open.focus();
      say(t("Reported. The people who run this server will look at it."));
    });
  });
  return [open, choice];
}

// A button that shows and hides a part of the page.
function opener(words, part) {
  const node = element("button", { type: "button", class: "wide-button", "aria-expanded": "false", "aria-controls": part.id }, words);
  node.addEventListener("click", () => {
    part.hidden = !part.hidden;
    node.setAttribute("aria-expanded", String(!part.hidden));
  });
  return node;
}

function proposals() {
  for (const item of document.querySelectorAll("[data-proposal], [data-waiting]")) {
    const { proposal, waiting } = item.dataset;
    const subject = waiting === undefined ? `/v1/me/location-proposals/${proposal}` : `${path}/places/${waiting}`;
    const answer = async (verb) => {
      await api.send("POST", `${subject}/${verb}`);
      location.reload();
    };
    item.append(element("div", { class: "choices" },
      button(t("Confirm this place"), () => answer("confirm"), { class: "primary" }),
      button(t("Reject"), () => answer("reject"), { class: "plain" })));
  }
}

// Plays the recording from where a place comes up, in the page's own player if it has one.
function hearing() {
  const player = document.querySelector(".media audio, .media video");
  if (!player) return;
  for (const link of document.querySelectorAll("a[data-seconds]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      say("");
      player.scrollIntoView({ block: "nearest" });
      player.currentTime = Number(link.dataset.seconds);
      player.play().catch(() => say(t("It cannot be played here.")));
    });
  }
}

function draw() {
  const actions = [];
  const panels = [];
  const add = ([open, panel]) => { actions.push(open); panels.push(panel); };
  if (signedIn) {
    actions.push(toggle("favourite", "favourite" in sheet.dataset, [t("Add to my favourites"), t("Remove from my favourites")],
      [t("It is no longer a favourite."), t("It is a favourite now, for you alone.")]));
  }
  actions.push(button(t("Copy the link"), share));
  if (signedIn && own !== undefined) {
    add(levels());
    add(trip());
  }
  if (signedIn && own === undefined) {
    actions.push(toggle("hide", "hidden" in sheet.dataset, [t("Hide it from me"), t("Stop hiding it")],
      [t("You see it on your map and in your lists again."), t("Hidden: your map and your lists leave it out.")]));
    add(report());
  }
  byId("actions").append(element("div", { class: "choices" }, ...actions), ...panels);
  if (signedIn) proposals();
  hearing();
}

// The page that says that a story is not here needs none of this.
if (id !== undefined) draw();
