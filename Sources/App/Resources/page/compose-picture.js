// The picture of a story being written. What the camera wrote into the photo is offered here and never sent with it.

import { element } from "./dom.js";
import { coordinates } from "./compose-place.js";
import { readPhoto } from "./photo.js";
import { dateWords } from "./words.js";
import { t } from "./texts.js";

export class PictureField extends EventTarget {
  #pictures;
  #address = null; // the new picture as a data: address
  #isRemoved = false;
  #had = false; // whether the story has a picture already
  #before = ""; // the description as it was
  #reading = 0;
  #input = element("input", { type: "file", id: "compose-photo", accept: "image/jpeg,image/png,image/webp", "aria-describedby": "compose-photo-help compose-photo-problem" });
  #shown = element("div", { class: "compose-picture", hidden: true });
  #offers = element("div", { class: "choices", id: "compose-offers", role: "group", "aria-label": t("What the photo says"), hidden: true });
  #said = element("p", { class: "hint", role: "status" });
  #problem = element("p", { id: "compose-photo-problem", class: "field-problem" });
  #alt = element("input", { type: "text", id: "compose-alt", autocomplete: "off", dir: "auto", "aria-describedby": "compose-alt-help compose-alt-problem" });
  #altRow = element("div", { hidden: true }, element("label", { for: "compose-alt" }, t("What the picture shows")), this.#alt,
    element("p", { id: "compose-alt-help", class: "hint" }, t("For people who cannot see it.")), element("p", { id: "compose-alt-problem", class: "field-problem" }));
  #remove = element("button", { type: "button", class: "plain", id: "compose-photo-remove", hidden: true }, t("Remove the picture"));

  constructor(pictures) {
    super();
    this.#pictures = pictures;
    this.#input.addEventListener("change", () => this.#choose());
    this.#remove.addEventListener("click", () => {
      [this.#address, this.#isRemoved] = [null, this.#had];
      this.#input.value = "";
      this.#clearOffers();
      this.#show(null);
      this.#input.focus();
    });
    this.node = element("div", {}, element("label", { for: "compose-photo" }, t("Picture")), this.#input,
      element("p", { id: "compose-photo-help", class: "hint" }, t("It is reduced here before it is sent, without what the camera noted in it.")),
      this.#problem, this.#shown, this.#said, this.#offers, this.#remove, this.#altRow);
  }

  // Shows the picture of a story { thumbnail, alt }, or that of a draft, which is sent whole.
  fill(story, draft = null) {
    const address = draft?.picture ?? null;
    this.#reading += 1;
    [this.#address, this.#isRemoved, this.#had, this.#before] = [address, false, Boolean(story.thumbnail), draft ? "" : story.alt ?? ""];
    this.#input.value = "";
    this.#alt.value = story.alt ?? "";
    this.#problem.textContent = "";
    this.#clearOffers();
    const image = element("img", { alt: "", class: "compose-photo" });
    if (address) image.src = address;
    this.#show(address || story.thumbnail ? image : null);
    if (!address && story.thumbnail) this.#pictures.show(image, story.thumbnail.url, () => this.#show(null));
  }

  get address() { return this.#address; }
  get isRemoved() { return this.#isRemoved; }

  // The description to send, or undefined if it is the same.
  get alt() {
    if (this.#altRow.hidden) return undefined;
    const words = this.#alt.value.trim();
    return words === this.#before ? undefined : words || null;
  }

  async #choose() {
    const [file] = this.#input.files;
    if (!file) return;
    const reading = (this.#reading += 1);
    this.#problem.textContent = "";
    this.#clearOffers();
    this.#said.textContent = t("Reading the picture…");
    try {
      const photo = await readPhoto(file);
      if (reading !== this.#reading) return;
      [this.#address, this.#isRemoved] = [photo.address, false];
      this.#show(element("img", { alt: "", class: "compose-photo", src: photo.address }));
      this.#offer(photo.exif);
    } catch (error) {
      if (reading !== this.#reading) return;
      this.#said.textContent = "";
      this.#problem.textContent = error.message;
      this.#input.value = "";
      this.#input.focus();
    }
  }

  // Nothing of this leaves the page before a button is pressed.
  #offer({ position, date, time }) {
    const tell = (name, detail, words) => element("button", { type: "button", class: "pill", "data-offer": name, onclick: (event) => {
      this.dispatchEvent(new CustomEvent(name, { detail }));
      event.currentTarget.setAttribute("aria-pressed", "true");
    } }, words);
    const offers = [];
    if (position) offers.push(tell("place", position, t("Use its place: {place}", { place: coordinates([position.lon, position.lat]) })));
    if (date) offers.push(tell("date", date, t("Use its date: {date}", { date: dateWords(date) })));
    const taken = date && time ? ` ${t("Taken on {date} at {time} by the camera’s clock.", { date: dateWords(date), time })}` : "";
    this.#said.textContent = offers.length === 0 ? t("The picture does not say where or when it was taken.")
      : `${position && date ? t("The picture says where and when it was taken.") : position ? t("The picture says where it was taken.") : t("The picture says when it was taken.")} ${t("It is used only if you choose so.")}${taken}`;
    this.#offers.replaceChildren(...offers);
    this.#offers.hidden = offers.length === 0;
  }

  #clearOffers() {
    this.#said.textContent = "";
    this.#offers.replaceChildren();
    this.#offers.hidden = true;
  }

  #show(image) {
    this.#shown.replaceChildren(...(image ? [image] : []));
    this.#shown.hidden = this.#remove.hidden = image === null;
    // A recording elsewhere has a description too.
    this.#altRow.hidden = image === null && this.#before === "";
  }
}
