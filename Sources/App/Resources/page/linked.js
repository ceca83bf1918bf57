// The page as the viewer of a share link sees it: what the link shows, and nothing that needs an account.

import { byId } from "./dom.js";
import { dayWords } from "./words.js";

// What each precision of a link does to places.
const placeWords = { exact: "", approximate: " Places are approximate.", hidden: " Places are left out." };

// Says what a link shows, who shared it, and how long it lasts.
export async function showLink(api, link) {
  document.documentElement.dataset.shared = "";
  for (const id of ["account", "add", "add-here"]) byId(id).hidden = true;
  byId("shared").hidden = false;
  byId("shared-leave").addEventListener("click", () => link.leave());
  try {
    const { title, owner, owner_name: name, expires_at: end, precision } = await api.get("/v1/shared");
    byId("shared-words").textContent = `${name ?? owner} shared “${title}” with you until ${dayWords(end)}.${placeWords[precision] ?? ""}`;
  } catch (error) {
    byId("shared-words").textContent = error.message;
  }
}
