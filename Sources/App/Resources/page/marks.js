// Marks the words of a search in texts, and finds the part of a text around the first of them.

import { element } from "./dom.js";
import { t } from "./texts.js";

const before = 60; // characters shown before the first match
const around = 220; // characters of an excerpt

// A text without case, accents, apostrophes and punctuation, much as the service folds it, and for each of its
// characters where it begins in the text.
function fold(text) {
  let folded = "";
  const from = [];
  let at = 0;
  for (const character of text) {
    const plain = character === "." ? "" : character === "&" ? " and "
      : character.normalize("NFKD").replace(/[\p{M}'’‘\u0060ʼ]/gu, "").toLowerCase().replaceAll("ß", "ss").replace(/[^\p{L}\p{N}\p{So}]/gu, " ");
    folded += plain;
    for (let count = plain.length; count > 0; count -= 1) from.push(at);
    at += character.length;
  }
  from.push(at);
  return { folded, from };
}

// The places of the words in a text, as the service finds them: anywhere, folded, but two Latin letters (GA, US) only
// where they stand alone. Merged and in order.
function places(text, words) {
  const found = [];
  const { folded, from } = fold(text);
  for (const word of words.flatMap((one) => fold(one).folded.split(" ")).filter((one) => one !== "")) {
    for (let at = folded.indexOf(word); at >= 0 && found.length < 1000; at = folded.indexOf(word, at + word.length)) {
      let end = at + word.length;
      const isWhole = (at === 0 || folded[at - 1] === " ") && (end === folded.length || folded[end] === " ");
      if (!isWhole && /^[a-z]{2}$/.test(word)) continue;
      // A character that folds to several is marked as a whole.
      while (end < folded.length && from[end] === from[end - 1]) end += 1;
      found.push([from[at], from[end]]);
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
