// Sharing by a link: a story, or one's stories of a collection, for people without an account.

import { byId, element } from "./dom.js";
import { dayWords, stories } from "./words.js";
import { t } from "./texts.js";

const precisions = {
  __proto__: null,
  exact: { name: t("As exact as the story"), meaning: t("The place as the story shows it to others, no more exactly.") },
  approximate: { name: t("Approximate"), meaning: t("At most an area of about a kilometre; dates by the month.") },
  hidden: { name: t("No place"), meaning: t("Nothing on the map; dates by the year.") },
};

export class ShareDialog {
  #session;
  #api;
  #story = null;

  constructor(session, api) {
    [this.#session, this.#api] = [session, api];
    byId("share-form").addEventListener("submit", (event) => { event.preventDefault(); this.#share(); });
    byId("share-copy").addEventListener("click", () => this.#copy());
    byId("share-precision").append(...Object.entries(precisions).map(([value, words]) =>
      choice("share-precision", value, words.name, words.meaning, value === "approximate")));
    byId("shared-links-open").addEventListener("click", () => { byId("signed-in").close(); this.open(null); });
    session.addEventListener("change", () => byId("share").close());
  }

  // Whether the viewer may share a story: only their own.
  mayShare = ({ owner }) => this.#session.user !== null && owner === this.#session.user.id;

  // Opens the dialog for a story, or for the list of links alone.
  open(story) {
    this.#story = story;
    byId("share-title").textContent = story ? t("Share by a link") : t("Shared links");
    byId("share-form").hidden = story === null;
    byId("share-made").hidden = true;
    this.#tell("");
    byId("share-subject").replaceChildren();
    byId("share-links").replaceChildren();
    if (story) this.#offer(story);
    if (!byId("share").open) byId("share").showModal();
    byId("share-title").focus();
    this.#list();
  }

  async #offer(story) {
    const legend = element("legend", {}, t("What to share"));
    const one = choice("share-subject", story.id, story.title || t("Untitled"), t("This story alone, at whatever level it is."), true);
    byId("share-subject").replaceChildren(legend, one);
    if (!story.collection) return;
    try {
      let [path, found] = ["/v1/collections?limit=100", null];
      while (path && !found) {
        const page = await this.#api.get(path);
        found = page.collections.find(({ title, owner }) => title === story.collection && owner === story.owner);
        path = page.links?.next ?? null;
      }
      if (!found || this.#story !== story) return;
      byId("share-subject").append(choice("share-subject", `collection ${found.id}`, found.title,
        t("Your stories in this collection, also those you add later. Private stories and those of others are left out."), false));
    } catch { /* the story alone can be shared all the same */ }
  }

  async #share() {
    const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`)?.value ?? "";
    const [subject, collection] = [chosen("share-subject"), /^collection (.*)$/.exec(chosen("share-subject"))?.[1]];
    const body = { ...(collection ? { collection } : { story: subject }), precision: chosen("share-precision"), days: Number(byId("share-days").value) };
    byId("share-make").disabled = true;
    this.#tell("");
    try {
      const { url } = await this.#api.send("POST", "/v1/me/share-links", body);
      byId("share-url").value = url;
      byId("share-made").hidden = false;
      byId("share-form").hidden = true;
      byId("share-state").textContent = t("The link is ready. It is shown only now: copy it.");
      byId("share-url").focus();
      byId("share-url").select();
      this.#list();
    } catch (error) {
      this.#tell(error.message);
    }
    byId("share-make").disabled = false;
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(byId("share-url").value);
      byId("share-state").textContent = t("Copied.");
    } catch {
      byId("share-url").focus();
      byId("share-url").select();
      byId("share-state").textContent = t("This browser does not let the page copy. The link is selected: copy it with the keyboard or the menu.");
    }
  }

  async #list() {
    try {
      const { links } = await this.#api.get("/v1/me/share-links");
      byId("share-links").replaceChildren(...links.map((link) => this.#item(link)));
      byId("share-none").hidden = links.length > 0;
    } catch (error) {
      this.#tell(error.message);
    }
  }

  #item({ id, title, story_count: shown, precision, expires_at: end, last_used_on: used }) {
    const name = title ?? t("No longer there");
    const facts = [shown > 0 ? stories(shown) : t("shows nothing now"), precisions[precision]?.name ?? precision, t("until {date}", { date: dayWords(end) }),
      used ? t("last opened {date}", { date: dayWords(`${used}T12:00:00Z`) }) : t("not opened yet")];
    return element("li", {},
      element("span", { class: "device-name" }, element("bdi", {}, name), element("span", { class: "hint" }, ` · ${facts.join(" · ")}`)),
      element("button", { type: "button", class: "plain", "aria-label": t("Revoke the link to {name}", { name }), onclick: () => this.#revoke(id) }, t("Revoke")));
  }

  async #revoke(id) {
    this.#tell("");
    try {
      await this.#api.send("DELETE", `/v1/me/share-links/${id}`);
      byId("share-state").textContent = t("The link was revoked. Nobody sees anything through it any more.");
    } catch (error) {
      if (error.status !== 404) this.#tell(error.message);
    }
    await this.#list();
    byId("share-title").focus();
  }

  #tell(words) {
    byId("share-problem").textContent = words;
    if (words) byId("share-state").textContent = "";
  }
}

// A radio button with its name and what it means.
function choice(group, value, name, meaning, isChosen) {
  const id = `${group}-${value.replace(/\W/g, "-")}`;
  return element("div", { class: "share-choice" },
    element("input", { type: "radio", name: group, id, value, checked: isChosen, "aria-describedby": `${id}-help` }),
    element("label", { for: id }, element("bdi", {}, name)),
    element("p", { class: "hint", id: `${id}-help` }, meaning));
}
