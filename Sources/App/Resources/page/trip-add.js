// Putting a story of one's own into a trip: a form for the map page's dialog and for the story's own page.

import { element } from "./dom.js";
import { allPages, problemWords } from "./panel.js";
import { t } from "./texts.js";

// The collections that may take a story of this viewer: their own, and those of a whole family of theirs.
export async function tripsFor(api, user) {
  const all = await allPages(api, "/v1/collections?limit=100", "collections");
  return all.filter(({ owner, family }) => owner === user || family !== null);
}

// Makes a trip of the viewer's own; returns its title.
export async function makeTrip(api, title, choice = { privacy: "private", family: null }) {
  const body = { title, privacy: choice.privacy, ...(choice.family ? { family: choice.family } : {}) };
  return (await api.send("POST", "/v1/collections", body)).title;
}

// The form for a story { id, title, collection } of the viewer `user`; calls `done(words)` once it is in a trip or out of it.
export async function tripForm(api, user, story, done) {
  const trips = await tripsFor(api, user);
  const current = story.collection ?? null;
  const known = [...new Set(trips.map(({ title }) => title))];
  if (current && !known.includes(current)) known.unshift(current);
  const select = element("select", { id: "trip-choice", class: "sorting" },
    ...known.map((title) => element("option", { value: `trip ${title}`, selected: title === current }, title)),
    element("option", { value: "new", selected: known.length === 0 }, t("A new trip…")));
  const name = element("input", { id: "trip-name", type: "text", maxlength: "100", autocomplete: "off", dir: "auto", "aria-describedby": "trip-problem" });
  const named = element("div", {}, element("label", { for: "trip-name" }, t("Name of the new trip")), name);
  const problem = element("p", { id: "trip-problem", class: "field-problem", role: "alert" });
  const show = () => { named.hidden = select.value !== "new"; };
  select.addEventListener("change", show);
  show();
  const change = (collection) => api.send("PATCH", `/v1/stories/${story.id}`, { collection });
  const act = async (action) => {
    problem.textContent = "";
    try {
      done(await action());
    } catch (error) {
      problem.textContent = problemWords(error);
    }
  };
  const add = async () => {
    const title = select.value === "new" ? await makeTrip(api, name.value.trim()) : select.value.slice(5);
    await change(title);
    return t("“{story}” is in “{trip}” now.", { story: story.title, trip: title });
  };
  const remove = async () => {
    await change(null);
    return t("“{story}” is in no trip any more.", { story: story.title });
  };
  const out = current ? element("button", { type: "button", class: "plain", onclick: () => act(remove) }, t("Take it out of “{trip}”", { trip: current })) : null;
  return element("form", { class: "trip-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    if (select.value === "new" && name.value.trim() === "") {
      problem.textContent = t("Name the trip first.");
      return name.focus();
    }
    return act(add);
  } },
  current ? element("p", {}, t("It is in “{trip}”. A story is in one trip at a time.", { trip: current })) : null,
  element("label", { for: "trip-choice" }, t("Trip")), select, named, problem,
  element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Put it there")), out));
}

// The dialog of the map page; `changed(words)` says what became of the story.
export class TripAddDialog {
  #api;
  #session;
  #changed;
  #title = element("h2", { id: "trip-add-title", tabindex: "-1" });
  #body = element("div", {});
  #node = element("dialog", { id: "trip-add", "aria-labelledby": "trip-add-title" });

  constructor(api, session, changed) {
    [this.#api, this.#session, this.#changed] = [api, session, changed];
    this.#node.append(this.#title, this.#body, element("div", { class: "choices" },
      element("button", { type: "button", class: "plain", onclick: () => this.#node.close() }, t("Cancel"))));
    document.body.append(this.#node);
    session.addEventListener("change", () => this.#node.close());
  }

  async open({ id, title }) {
    this.#title.textContent = t("Add “{story}” to a trip", { story: title || t("Untitled") });
    this.#body.replaceChildren(element("p", { role: "status" }, t("One moment…")));
    this.#node.showModal();
    this.#title.focus();
    try {
      const story = await this.#api.get(`/v1/stories/${id}`);
      const form = await tripForm(this.#api, this.#session.user?.id, { ...story, id }, (words) => {
        this.#node.close();
        this.#changed(words, id);
      });
      this.#body.replaceChildren(form);
    } catch (error) {
      this.#body.replaceChildren(element("p", { class: "field-problem", role: "alert" }, error.message));
    }
  }
}
