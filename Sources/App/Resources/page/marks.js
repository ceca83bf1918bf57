// Marks the words of a search in texts, and finds the part of a text around the first of them.

import { element } from "./dom.js";
import { t } from "./texts.js";

const before = 60; // characters shown before the first match
const around = 220; // characters of an excerpt

// The places of the words in a text, as the service finds them: anywhere, ignoring case. Merged and in order.
function places(text, words) {
  const found = [];
  const low = text.toLowerCase();
  // Some capitals become longer in lower case; then positions would not fit.
  if (low.length !== text.length) return [];
  for (const word of words.map((one) => one.toLowerCase())) {
    for (let at = low.indexOf(word); at >= 0 && word !== "" && found.length < 1000; at = low.indexOf(word, at + word.length)) {
      found.push([at, at + word.length]);
    }
  }
  found.sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [start, end] of found) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

export const contains = (text, words) => places(String(text ?? ""), words).length > 0;

// The text as nodes, with the words in <mark>.
export function marked(text, words) {
  const nodes = [];
  let done = 0;
  for (const [start, end] of places(text, words)) {
    if (start > done) nodes.push(text.slice(done, start));
    nodes.push(element("mark", {}, text.slice(start, end)));
    done = end;
  }
  if (done < text.length) nodes.push(text.slice(done));
  return nodes;
}

// The part of a text around its first match, cut between words; the whole text if it is short or has no match far in.
export function excerpt(text, words, length = around) {
  const first = places(text, words)[0]?.[0] ?? 0;
  if (text.length <= length) return text;
  let start = first <= before ? 0 : first - before;
  if (start > 0) {
    const space = text.slice(start, first).search(/\s/);
    if (space >= 0) start += space + 1;
  }
  let end = Math.min(text.length, start + length);
  if (end < text.length) {
    const cut = text.slice(0, end).search(/\s\S*$/);
    if (cut > first + 20) end = cut;
  }
  return (start > 0 ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

// Where else a story has the words, if neither its title nor its text has: [name of the part, value].
export function elsewhere({ title, text, tags = [], people = [], mentions = [], location }, words) {
  if (words.length === 0 || contains(title, words) || contains(text, words)) return [];
  const parts = [[t("Topic"), tags], [t("Person"), people], [t("Mentioned"), mentions],
    [t("Place"), [location?.name, location?.address, location?.city, location?.state, location?.country]]];
  return parts.flatMap(([name, values]) => values.filter((value) => contains(value, words)).map((value) => [name, value]));
}
