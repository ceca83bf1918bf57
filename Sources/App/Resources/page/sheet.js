// The sheet with the list on small screens.

import { byId } from "./dom.js";

export const sheetIsOpen = () => byId("stories").classList.contains("open");

export function openSheet(open) {
  byId("stories").classList.toggle("open", open);
  byId("sheet").setAttribute("aria-expanded", String(open));
  byId("sheet").firstElementChild.textContent = open ? "Show more of the map" : "Show more of the list";
}
