// The sheet with the list on small screens.

import { byId } from "./dom.js";
import { t } from "./texts.js";

export const sheetIsOpen = () => byId("stories").classList.contains("open");

export function openSheet(open) {
  byId("stories").classList.toggle("open", open);
  byId("sheet").setAttribute("aria-expanded", String(open));
  byId("sheet").firstElementChild.textContent = open ? t("Show more of the map") : t("Show more of the list");
}
