// A card at a single marker: enough of a story to decide whether to open it.

import { byId, element } from "./dom.js";
import { isAbort } from "./api.js";
import { kindShape, privacyShape } from "./shapes.js";
import { markerKey } from "./markers.js";
import { excerpt, marked } from "./marks.js";
import { dateWords, kindWord, levelWord, placeWords } from "./words.js";
import { t } from "./texts.js";

const length = 160; // characters of the text
const gap = 26; // pixels between the marker's middle and the card
const narrow = matchMedia("(max-width: 48rem)");

export class StoryCard extends EventTarget {
  #api;
  #map;
  #filters;
  #writing;
  #mayShare;
  #node = element("section", { id: "card", class: "card", role: "dialog", "aria-labelledby": "card-title", hidden: true });
  #feature = null;
  #request = null;

  constructor(api, map, filters, writing, mayShare) {
    super();
    [this.#api, this.#map, this.#filters, this.#writing, this.#mayShare] = [api, map, filters, writing, mayShare];
    byId("map").append(this.#node);
    this.#node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
    map.addEventListener("moving", () => this.#place());
    map.addEventListener("move", () => this.#place());
  }

  get id() { return this.#feature ? String(this.#feature.id) : null; }

  // Opens the card of a single story's marker and moves the focus to it.
  async open(feature) {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.#feature = feature;
    const { properties } = feature;
    this.#show({ ...properties, location: null, text: null }, true);
    this.#map.mark(feature.geometry.coordinates);
    byId("card-title").focus();
    try {
      const story = await this.#api.get(`/v1/stories/${feature.id}`, {}, { signal: request.signal });
      const hadFocus = this.#node.contains(document.activeElement) ? document.activeElement.id : null;
      this.#show(story, false);
      if (hadFocus) byId(hadFocus)?.focus();
      this.#uncover();
    } catch (error) {
      if (!isAbort(error)) byId("card-text").textContent = error.message;
    }
  }

  // Closes the card; the focus returns to the marker unless it is elsewhere.
  close({ keepsFocus = false } = {}) {
    if (!this.#feature) return;
    const id = markerKey(this.#feature);
    const hadFocus = this.#node.contains(document.activeElement);
    this.#request?.abort();
    this.#feature = null;
    this.#node.hidden = true;
    this.#node.replaceChildren();
    this.#map.mark(null);
    this.dispatchEvent(new CustomEvent("closed", { detail: { id: hadFocus && !keepsFocus ? id : null } }));
  }

  // Closes the card if its marker is gone from these features.
  keepIfAmong(features) {
    if (!this.#feature || features.some(({ id }) => String(id) === this.id)) return;
    // Zooming out can put the story into a cluster: the card stays as long as its point is in view.
    if (this.#isInView()) return;
    this.close();
  }

  #show(story, isWaiting) {
    const words = this.#filters.words;
    const { geometry, properties } = this.#feature;
    const title = story.title || t("Untitled");
    const facts = element("p", { class: "card-facts" }, kindShape(story.kind), kindWord(story.kind));
    if (story.date) facts.append(" · ", element("bdi", {}, dateWords(story.date)));
    if (story.privacy && story.privacy !== "public") facts.append(" · ", privacyShape(story.privacy), levelWord(story.privacy));
    // A marker can stand at another of the story's places.
    const place = placeWords(properties.place ? story.places?.find(({ id }) => id === properties.place) : story.location);
    const text = story.text ? marked(excerpt(story.text, words, length), words) : [isWaiting ? "…" : ""];
    const tell = (name) => () => this.dispatchEvent(new CustomEvent(name, { detail: { id: this.id, feature: this.#feature, title } }));
    this.#node.replaceChildren(
      element("button", { type: "button", class: "tool card-close", id: "card-close", "aria-label": t("Close"), onclick: () => this.close() }, element("span", { "aria-hidden": "true" }, "×")),
      element("h2", { id: "card-title", tabindex: "-1", dir: "auto" }, ...marked(title, words)), facts,
      ...(place ? [element("p", { class: "card-place", dir: "auto" }, place)] : []),
      element("p", { id: "card-text", class: "card-text", dir: "auto" }, ...text),
      element("div", { class: "choices" },
        ...this.#pageLink(),
        element("button", { type: "button", class: "plain", id: "card-story", onclick: tell("story") }, t("Show in the list")),
        element("button", { type: "button", class: "plain", id: "card-place-list", onclick: tell("place") }, (properties.stories_here ?? 1) > 1 ? t("All stories at this place") : t("List this place")),
        this.#mayShare(story) ? element("button", { type: "button", class: "plain", id: "card-share", "aria-haspopup": "dialog",
          onclick: () => this.dispatchEvent(new CustomEvent("share", { detail: { ...story, id: this.id } })) }, t("Share…")) : null),
      this.#writing.buttons({ id: this.id, properties: story }, "card-title") ?? "");
    this.#node.hidden = false;
    this.#place(geometry);
  }

  // The link to the story's own page. The viewer of a share link has none: the page asks who is signed in.
  #pageLink() {
    if ("shared" in document.documentElement.dataset) return [];
    return [element("a", { class: "primary", id: "card-page", href: `/stories/${this.id}` }, t("Open the story"))];
  }

  // On narrow screens the map moves, so that the marker stands above the card.
  #uncover() {
    if (!narrow.matches) return;
    const { y } = this.#map.project(this.#feature.geometry.coordinates);
    const hidden = y + gap + 12 - this.#node.offsetTop;
    if (hidden > 0) this.#map.panBy(Math.min(hidden, Math.max(0, y - gap)));
  }

  #isInView() {
    const { x, y } = this.#map.project(this.#feature.geometry.coordinates);
    const { width, height } = this.#map.size;
    return x >= 0 && y >= 0 && x <= width && y <= height;
  }

  // Above the marker if there is room, else below it; on narrow screens at the edge of the map.
  #place() {
    if (!this.#feature) return;
    if (narrow.matches) return void this.#node.style.removeProperty("transform");
    const { x, y } = this.#map.project(this.#feature.geometry.coordinates);
    const { width, height } = this.#map.size;
    const [wide, high] = [this.#node.offsetWidth, this.#node.offsetHeight];
    const left = Math.min(Math.max(12, x - wide / 2), Math.max(12, width - wide - 12));
    const above = y - gap - high;
    const top = above >= 12 ? above : Math.min(y + gap, Math.max(12, height - high - 12));
    this.#node.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
}
