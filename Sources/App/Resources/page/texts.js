// What the page says, in the language it was served in. The English text is the key; the words of another language are
// in texts/LANGUAGE.json and are loaded for its readers alone (CONTRIBUTING.md, "Adding a language").

import { allOf } from "./dom.js";

// In programs without a document, such as tests, the page speaks English.
const root = globalThis.document?.documentElement;
const tag = root?.lang || "en";
// With the reader's region, for numbers and dates: 12,345 in Mexico is 12.345 in Spain.
export const language = tag !== "en" && navigator.language.startsWith(`${tag}-`) ? navigator.language : tag;

const plurals = new Intl.PluralRules(language);
const words = tag === "en" ? null : await load();

// Without the words the page speaks English: better than nothing.
async function load() {
  try {
    const reply = await fetch(`/assets/texts-${tag}.json`);
    return reply.ok ? { __proto__: null, ...await reply.json() } : null;
  } catch { return null; }
}

// A number with this many places after the point.
export const decimal = (value, digits) => value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

const written = (value) => (typeof value === "number" ? value.toLocaleString(language) : String(value ?? ""));
const fill = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all)) : text);

// t("Stories near {name}", { name }): numbers are written as the language writes them.
export const t = (english, values) => fill(words?.[english] ?? english, values);

// tn(12, "{count} story", "{count} stories"): the form that the language has for this number.
export function tn(count, one, many, values) {
  const forms = words?.[many];
  return fill(forms?.[plurals.select(count)] ?? forms?.other ?? (count === 1 ? one : many), { count, ...values });
}

// The pieces of a text with elements in it, for append: pieces("Invited by {name}", { name: element("bdi", {}, name) }).
export const pieces = (english, values) => t(english).split(/(\{\w+\})/).map((piece) => values[piece.slice(1, -1)] ?? piece);

// What the service says of a problem: it says it in English, so another language has a sentence for each kind of problem.
export function serverWords({ type, title, detail }) {
  if (!words) return typeof detail === "string" ? detail : title;
  return words[`problem ${String(type).split("/").pop()}`];
}

// A sentence of the service, which it says in English; with other numbers it is the same sentence.
export function told(english, otherwise = english) {
  if (!words) return english;
  const number = /\d+(\.\d+)?/g;
  const numbers = String(english).match(number) ?? [];
  return words[`server ${String(english).replace(number, "#")}`]?.replace(/#/g, () => numbers.shift() ?? "") ?? otherwise;
}

// The language of what the service alone can say, for the attribute lang: null if it is the page's.
export const serverLanguage = words ? "en" : null;

// The buttons that choose a language. The choice is a cookie, because the service writes pages in the language chosen.
for (const button of allOf("[data-language]")) {
  button.hidden = false;
  button.setAttribute("aria-pressed", String(button.dataset.language === tag));
  button.addEventListener("click", () => {
    document.cookie = `language=${button.dataset.language}; path=/; max-age=31536000; samesite=lax`;
    location.reload();
  });
}
