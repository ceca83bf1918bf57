// What the page says about itself: remarks above the list, and announcements to a screen reader.

import { byId, element } from "./dom.js";
import { stories } from "./words.js";
import { t, tn } from "./texts.js";

// Announces what came into view: markers by their summary, and the number of stories listed, if it is for the view.
export function announceView(view, summary, matched) {
  const words = [];
  if (view) {
    const { clusters, singles } = summary;
    words.push(t("Zoom {level}", { level: view.level }), tn(clusters, "{count} cluster", "{count} clusters"));
    if (singles > 0) words.push(tn(singles, "{count} single marker", "{count} single markers"));
  }
  if (matched !== null) words.push(stories(matched));
  byId("live").textContent = words.join(", ");
}

export function remark(words) {
  byId("remark").textContent = words;
  byId("remark").hidden = words === "";
}

let silence = 0;

// Says what has happened, for some seconds, whatever else the page does meanwhile.
export function say(words) {
  if (words === "") return;
  clearTimeout(silence);
  byId("said").textContent = words;
  byId("live").textContent = words;
  silence = setTimeout(() => { byId("said").textContent = ""; }, 8000);
}

// Without a map, the list takes the page.
export function showListAlone(words) {
  document.body.classList.add("listed");
  const note = element("aside", { class: "notice", id: "no-map", "aria-label": t("Note") }, element("p", {}, words));
  document.querySelector("main").before(note);
  byId("map").hidden = true;
}
