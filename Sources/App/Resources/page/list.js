// The list next to the map: the same stories as text, page by page.

import { byId, element } from "./dom.js";
import { isAbort } from "./api.js";
import { mayLoad, media, webAddress } from "./media.js";
import { elsewhere, excerpt, marked } from "./marks.js";
import { kindShape, privacyShape } from "./shapes.js";
import { count, dateWords, kindWord, levelMeaning, levelWord, placeWords, stories } from "./words.js";
import { t, tn } from "./texts.js";

export const pageSize = 20;
const longText = 220; // characters before "Read on"

export class StoryList extends EventTarget {
  #api;
  #pictures;
  #next = null;
  #shown = 0;
  #matched = null;
  #request = null;
  #points = [];
  #title = ""; // of what is listed
  #words = []; // searched for, to be marked
  #writing;

  constructor(api, pictures, writing) {
    super();
    [this.#api, this.#pictures, this.#writing] = [api, pictures, writing];
    byId("more").addEventListener("click", () => this.#more());
  }

  get matched() { return this.#matched; }
  // The locations of the listed stories that are on the map.
  get points() { return this.#points; }
  get failed() { return !byId("problem").hidden; }

  // Replaces the list with the first page of a query; with `orLast`, by the last list kept if the service does not answer.
  // Resolves to false if another query came first.
  async load(title, path, parameters, { orLast = false } = {}) {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.#words = parameters.q ? parameters.q.split(/\s+/) : [];
    byId("list-title").textContent = title;
    byId("list-body").setAttribute("aria-busy", "true");
    try {
      const page = await this.#api.get(path, { ...parameters, limit: pageSize }, { signal: request.signal, orLast });
      if (request.signal.aborted) return false;
      this.#title = this.#api.isStandIn(page) ? t("Stories you saw last") : title;
      byId("list-title").textContent = this.#title;
      byId("list").replaceChildren();
      byId("list-body").scrollTop = 0;
      this.#shown = 0;
      this.#points = [];
      this.#add(page);
      this.#fine();
      return true;
    } catch (error) {
      if (isAbort(error)) return false;
      // A list that is there stays when the service does not answer.
      if (error.isUnreachable && this.#shown > 0) byId("list-title").textContent = this.#title;
      else this.clear();
      this.#fail(error);
      return true;
    } finally {
      if (this.#request === request) byId("list-body").removeAttribute("aria-busy");
    }
  }

  async #more() {
    if (!this.#next) return;
    const request = (this.#request = new AbortController());
    const first = this.#shown;
    byId("more").disabled = true;
    try {
      this.#add(await this.#api.get(this.#next, {}, { signal: request.signal }));
      this.#fine();
      byId("list").children[first]?.querySelector("h3")?.focus();
    } catch (error) {
      if (!isAbort(error)) this.#fail(error);
    } finally {
      byId("more").disabled = false;
    }
  }

  #add(page) {
    const all = page.features ?? [];
    const features = this.#writing.without(all);
    this.#points.push(...features.filter(({ geometry }) => geometry).map(({ geometry }) => geometry.coordinates));
    byId("list").append(...features.map((feature) => this.#item(feature)));
    this.#shown += features.length;
    this.#matched = page.numberMatched === undefined ? this.#shown : page.numberMatched - (all.length - features.length);
    const next = Array.isArray(page.links) ? page.links.find((link) => link.rel === "next")?.href : page.links?.next;
    this.#next = next ?? null;
    const left = Math.min(pageSize, this.#matched - this.#shown);
    byId("more").hidden = !this.#next;
    byId("more").textContent = left > 0 ? t("Show {count} more", { count: left }) : t("Show more");
    byId("list-count").textContent = this.#shown > 0 ? t("1–{shown} of {all}", { shown: this.#shown, all: this.#matched }) : "";
    byId("empty").hidden = this.#shown > 0;
    byId("list").hidden = this.#shown === 0;
  }

  // Whether the viewer may share a story; the page decides.
  mayShare = () => false;

  #item(feature) {
    const { id, geometry, properties } = feature;
    const titleId = `story-${id}`;
    const place = placeWords(properties.location);
    const facts = element("dl", { class: "facts" });
    const fact = (name, ...value) => facts.append(element("div", { class: name === t("Place") ? "whole" : null }, element("dt", { class: "unseen" }, name), element("dd", {}, ...value)));
    fact(t("Kind"), kindShape(properties.kind), kindWord(properties.kind));
    if (properties.date) fact(t("Date"), element("bdi", {}, dateWords(properties.date)));
    fact(t("Place"), element("bdi", {}, place || (geometry ? t("Place without a name") : t("No place on the map"))));
    fact(t("Told by"), element("bdi", {}, properties.owner_name ?? properties.owner ?? t("Unknown")));
    fact(t("Privacy"), element("span", { class: "level", title: levelMeaning(properties.privacy) }, privacyShape(properties.privacy), levelWord(properties.privacy)));
    const text = element("div", { class: "story-text" },
      element("h3", { id: titleId, tabindex: "-1", dir: "auto" }, ...marked(properties.title || t("Untitled"), this.#words)), facts);
    for (const [name, value] of elsewhere(properties, this.#words)) fact(name, `${name}: `, element("bdi", {}, ...marked(value, this.#words)));
    if (properties.text) text.append(...prose(properties.text, titleId, this.#words));
    const medium = media(properties, titleId);
    if (medium) text.append(medium);
    text.append(element("a", { class: "plain story-open", href: `/stories/${id}`, "aria-describedby": titleId }, t("Open the story")));
    if (geometry) {
      text.append(element("button", { type: "button", class: "plain to-map", "aria-describedby": titleId,
        onclick: () => this.dispatchEvent(new CustomEvent("show", { detail: { center: geometry.coordinates, title: properties.title } })) }, t("Show on the map")));
    }
    const own = this.#writing.buttons(feature, titleId);
    if (own) text.append(own);
    if (this.mayShare(properties)) {
      text.append(element("button", { type: "button", class: "plain to-share", "aria-describedby": titleId, "aria-haspopup": "dialog",
        onclick: () => this.dispatchEvent(new CustomEvent("share", { detail: { ...properties, id } })) }, t("Share…")));
    }
    return element("li", { class: "story" }, element("article", { "aria-labelledby": titleId }, this.#thumbnail(properties), text));
  }

  // The story's own picture, or one elsewhere that the page may load.
  #thumbnail({ thumbnail, thumbnail_url: address, alt, title }) {
    const url = thumbnail || !address ? null : webAddress(address);
    if (!thumbnail && !(url && mayLoad(url))) return null;
    const image = element("img", { class: "thumbnail", alt: alt || title || "", width: "88", height: "88" });
    const failed = () => image.remove();
    if (thumbnail) {
      this.#pictures.show(image, thumbnail.url, failed);
    } else {
      image.addEventListener("error", failed);
      image.loading = "lazy";
      image.src = url.href;
    }
    return image;
  }

  // Clears everything immediately, for instance when the viewer changes.
  clear() {
    this.#request?.abort();
    byId("list").replaceChildren();
    byId("list-count").textContent = "";
    byId("empty").hidden = true;
    byId("more").hidden = true;
    this.#next = null;
    this.#shown = 0;
    this.#points = [];
    this.#matched = null;
  }

  #fine() {
    byId("problem").hidden = true;
    byId("problem").replaceChildren();
  }

  #fail(error) {
    const words = `${error.what ?? t("The page had a problem.")} ${error.remedy ?? t("Reload it, please.")}`;
    // Said once, however often the page asks again by itself.
    if (!byId("problem").hidden && byId("problem").querySelector("p")?.textContent === words) return;
    const choices = element("div", { class: "choices" },
      element("button", { type: "button", class: "plain", onclick: () => this.dispatchEvent(new Event("again")) }, t("Try again")));
    if (error.status === 401) {
      choices.append(element("button", { type: "button", class: "plain", onclick: () => this.dispatchEvent(new Event("sign-in")) }, t("Sign in")));
    }
    byId("problem").replaceChildren(element("p", {}, element("strong", {}, error.what ?? t("The page had a problem.")), " ", error.remedy ?? t("Reload it, please.")), choices);
    byId("problem").hidden = false;
  }
}

// The message for an empty result; `wider` is a button's label and action, or null.
export function sayEmpty(words, wider) {
  byId("empty").replaceChildren(element("p", {}, words));
  if (wider) byId("empty").append(element("button", { type: "button", class: "wide", onclick: wider.action }, wider.words));
}

// The message for an empty list of the view, of an area by its name, or of everything.
export function sayNothing({ filters, hasMap, area, showEverything }) {
  const everything = { words: t("Show everything"), action: showEverything };
  if (filters.count > 0) sayEmpty(t("No stories here match your filters."), { words: t("Clear all filters"), action: () => filters.clear() });
  else if (hasMap) sayEmpty(t("No stories here that you may see. Move or zoom out the map, or show everything."), everything);
  else if (area) sayEmpty(t("No stories near {place}.", { place: area }), everything);
  else sayEmpty(t("There are no stories yet that you may see."), null);
}

export const placeTitle = (n) => tn(n, "{count} story at this place", "{count} stories at this place");

// A long text is cut; while words are searched for, to the part around the first of them.
function prose(text, titleId, words) {
  if (text.length <= longText) return [element("p", { class: "prose", dir: "auto" }, ...marked(text, words))];
  const start = words.length > 0 ? excerpt(text, words) : text;
  const body = element("p", { class: "prose short", dir: "auto" }, ...marked(start, words));
  const button = element("button", { type: "button", class: "plain", "aria-expanded": "false", "aria-describedby": titleId }, t("Read on"));
  button.addEventListener("click", () => {
    const short = body.classList.toggle("short");
    body.replaceChildren(...marked(short ? start : text, words));
    button.setAttribute("aria-expanded", String(!short));
    button.textContent = short ? t("Read on") : t("Show less");
  });
  return [body, button];
}
