// What the reader has narrowed the map to: the same filters for the markers, the list, the counts and live changes.
// They stand in the address of the page under the names the service uses.

const lists = ["kind", "tag", "person", "owner", "family", "collection", "view"];
const inAddress = { __proto__: null, family: "families" }; // #family= is a link to a family's stories
const days = ["from", "to"];
const dayOfYear = /^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const day = /^\d{4}(-\d\d(-\d\d)?)?$/;
const sorts = ["newest", "date", "nearest"];
const longest = 200; // bytes of a text search
const mostWords = 10;
const mostValues = 30; // of one filter in an address

// Only somebody signed in has a family, favourites and stories of their own.
const needsViewer = (name, value) => name === "family" || name === "favourites" || (name === "view" && value !== "shared");

export class Filters extends EventTarget {
  #chosen = new Map(lists.map((name) => [name, new Set()]));
  #from = null;
  #to = null;
  #on = null; // MM-DD of any year
  #words = "";
  #favourites = false;
  #sort = ""; // the usual order: the newest first, of a text search the best match first

  get from() { return this.#from; }
  get to() { return this.#to; }
  get on() { return this.#on; }
  get text() { return this.#words; }
  get favourites() { return this.#favourites; }
  get sort() { return this.#sort; }

  has(name, value) { return this.#chosen.get(name).has(value); }
  values(name) { return [...this.#chosen.get(name)]; }

  // The words searched for, which the list marks.
  get words() { return this.#words === "" ? [] : this.#words.split(/\s+/); }

  // How many filters are on; a range of dates is one.
  get count() { return this.entries.length; }

  // Every filter that is on, as { name, value }, in a fixed order.
  get entries() {
    const entries = lists.flatMap((name) => this.values(name).map((value) => ({ name, value })));
    if (this.#favourites) entries.push({ name: "favourites", value: "true" });
    if (this.#from || this.#to) entries.push({ name: "dates", value: [this.#from, this.#to] });
    if (this.#on) entries.push({ name: "on", value: this.#on });
    if (this.#words) entries.push({ name: "q", value: this.#words });
    return entries;
  }

  // The parameters of a request; without those named.
  parameters(...without) {
    const fields = Object.fromEntries(lists.map((name) => [name, this.values(name)]));
    Object.assign(fields, { from: this.#from, to: this.#to, on: this.#on, q: this.#words, favourites: this.#favourites ? "true" : null });
    for (const name of without) delete fields[name];
    return fields;
  }

  set(name, value, on) {
    if (on === this.has(name, value)) return;
    if (on) this.#chosen.get(name).add(value);
    else this.#chosen.get(name).delete(value);
    this.#changed();
  }

  setFavourites(on) { this.#favourites = on; this.#changed(); }
  setSort(sort) { this.#sort = sort; this.#changed(); }

  // Days as YYYY-MM-DD; null for an open end.
  setDates(from, to) {
    if (from === this.#from && to === this.#to) return;
    [this.#from, this.#to] = [from, to];
    this.#changed();
  }

  // A day of any year as MM-DD; null for all.
  setOn(on) {
    if (on === this.#on) return;
    this.#on = on;
    this.#changed();
  }

  setText(text) {
    const words = fitting(text);
    if (words === this.#words) return;
    this.#words = words;
    this.#changed();
  }

  remove({ name, value }) {
    if (name === "favourites") this.setFavourites(false);
    else if (name === "dates") this.setDates(null, null);
    else if (name === "on") this.setOn(null);
    else if (name === "q") this.setText("");
    else this.set(name, value, false);
  }

  clear() {
    this.#empty();
    this.#changed();
  }

  // Forgets what only a signed-in viewer can ask for. Returns whether there was any.
  forgetViewer() {
    const gone = this.entries.filter(({ name, value }) => needsViewer(name, value));
    for (const { name, value } of gone) {
      if (name === "favourites") this.#favourites = false;
      else this.#chosen.get(name).delete(value);
    }
    return gone.length > 0;
  }

  // Writes the filters and the order into the fields of an address.
  write(fields) {
    for (const name of lists) for (const value of this.values(name)) fields.append(inAddress[name] ?? name, value);
    if (this.#favourites) fields.append("favourites", "true");
    if (this.#from) fields.append("from", this.#from);
    if (this.#to) fields.append("to", this.#to);
    if (this.#on) fields.append("on", this.#on);
    if (this.#words) fields.append("q", this.#words);
    if (this.#sort) fields.append("sort", this.#sort);
  }

  // Takes the filters and the order from the fields of an address; anything the service would refuse is left out.
  read(fields) {
    const before = this.#state;
    this.#empty();
    for (const name of lists) {
      for (const value of fields.getAll(inAddress[name] ?? name).slice(0, mostValues)) if (value !== "" && value.length <= 300) this.#chosen.get(name).add(value);
    }
    this.#favourites = fields.get("favourites") === "true";
    for (const view of this.values("view")) if (!["shared", "family", "mine"].includes(view)) this.#chosen.get("view").delete(view);
    const [from, to] = days.map((name) => (day.test(fields.get(name) ?? "") ? fields.get(name) : null));
    if (!from || !to || from <= to) [this.#from, this.#to] = [from, to];
    this.#on = isDayOfYear(fields.get("on")) ? fields.get("on") : null;
    this.#words = fitting(fields.get("q") ?? "");
    this.#sort = sorts.includes(fields.get("sort")) ? fields.get("sort") : "";
    if (this.#state !== before) this.#changed();
  }

  get #state() {
    const fields = new URLSearchParams();
    this.write(fields);
    return fields.toString();
  }

  #empty() {
    for (const chosen of this.#chosen.values()) chosen.clear();
    [this.#from, this.#to, this.#on, this.#words, this.#favourites] = [null, null, null, "", false];
  }

  #changed() { this.dispatchEvent(new Event("change")); }
}

// A text that the service accepts as a search: no longer, and with no more words.
function fitting(text) {
  let words = text.trim().split(/\s+/).filter(Boolean).slice(0, mostWords);
  while (new TextEncoder().encode(words.join(" ")).length > longest) words = words.slice(0, -1);
  return words.join(" ");
}

// Whether a text is a day that some year has.
const isDayOfYear = (text) => dayOfYear.test(text ?? "") && Number(text.slice(3)) <= new Date(2000, Number(text.slice(0, 2)), 0).getDate();
