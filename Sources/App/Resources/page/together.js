// What families do together: families and their invitations, named places, trips, and what happened on this day.

import { byId, element } from "./dom.js";
import { MapDrawing } from "./drawing.js";
import { FamiliesDialog } from "./families.js";
import { NamedPlaces } from "./places.js";
import { t } from "./texts.js";
import { TripAddDialog } from "./trip-add.js";
import { Trips } from "./trips.js";

// Starts all of it; `map` is null where the browser draws none.
export function startTogether({ api, session, map, filters, writing, invitation, signIn, joined }) {
  const drawing = map ? new MapDrawing(map) : null;
  const trips = new Trips(api, session, map, drawing);
  const families = new FamiliesDialog(api, session);
  const places = map ? new NamedPlaces(api, session, map, drawing) : null;
  const adding = new TripAddDialog(api, session, (words, id) => writing.dispatchEvent(new CustomEvent("changed", { detail: { words, id } })));
  families.addEventListener("changed", joined);
  writing.addEventListener("trip", ({ detail }) => adding.open(detail));
  signIn.useInvitation = (code) => invitation.openByCode(code);

  const fromAccount = (id, words, action) => element("button", { type: "button", class: "plain", id, "aria-haspopup": "dialog", onclick: () => { byId("signed-in").close(); action(); } }, words);
  byId("shared-links-open").before(fromAccount("families-open", t("Families"), () => families.open()),
    ...(places ? [fromAccount("places-open", t("Named places"), () => places.openList())] : []));
  const pill = element("button", { type: "button", class: "pill", id: "trips-open", onclick: () => trips.openList() }, t("Trips"));
  byId("filter-open").after(onThisDay(filters), session.link.isOpen ? "" : pill);
}

// The button that shows what happened on today's day of any year, and shows everything again.
function onThisDay(filters) {
  const button = element("button", { type: "button", class: "pill", id: "on-this-day", onclick: () => filters.setOn(filters.on ? null : today()) }, t("On this day"));
  const show = () => button.setAttribute("aria-pressed", String(filters.on !== null));
  filters.addEventListener("change", show);
  show();
  return button;
}

// The day where the reader is, as MM-DD.
function today() {
  const now = new Date();
  return `${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`;
}
