// The page as the viewer of a share link sees it: what the link shows, and nothing that needs an account.

import { byId } from "./dom.js";
import { dayWords } from "./words.js";
import { t } from "./texts.js";

// What each precision of a link does to places.
const placeWords = { exact: "", approximate: t("Places are approximate."), hidden: t("Places are left out.") };

// Says what a link shows, who shared it, and how long it lasts.
export async function showLink(api, link) {
  document.documentElement.dataset.shared = "";
  for (const id of ["account", "add", "add-here"]) byId(id).hidden = true;
  byId("shared").hidden = false;
  byId("shared-leave").addEventListener("click", () => link.leave());
  try {
    const { title, owner, owner_name: name, expires_at: end, precision } = await api.get("/v1/shared");
    byId("shared-words").textContent = `${t("{name} shared “{title}” with you until {date}.", { name: name ?? owner, title, date: dayWords(end) })} ${placeWords[precision] ?? ""}`.trim();
  } catch (error) {
    byId("shared-words").textContent = error.message;
  }
}
