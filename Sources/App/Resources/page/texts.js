// What the page says, in the language it was served in. The English text is the key; the words of another language are
// in texts/LANGUAGE.json and are loaded for its readers alone (CONTRIBUTING.md, "Adding a language").

export const language = document.documentElement.lang || "en";

const numbers = new Intl.NumberFormat(language);
const plurals = new Intl.PluralRules(language);
const words = language === "en" ? null : await load();

// Without the words the page speaks English: better than nothing.
async function load() {
  try {
    const reply = await fetch(`/assets/texts-${language}.json`);
    return reply.ok ? { __proto__: null, ...await reply.json() } : null;
  } catch { return null; }
}

const say = (value) => (typeof value === "number" ? numbers.format(value) : String(value ?? ""));
const fill = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? say(values[name]) : all)) : text);

// t("Stories near {name}", { name }): numbers are written as the language writes them.
export const t = (english, values) => fill(words?.[english] ?? english, values);

// tn(12, "{count} story", "{count} stories"): the form that the language has for this number.
export function tn(count, one, many, values) {
  const forms = words?.[many];
  const english = count === 1 ? one : many;
  return fill(forms?.[plurals.select(count)] ?? forms?.other ?? english, { count, ...values });
}

// The pieces of a text with elements in it, for append: pieces("Invited by {name}", { name: element("bdi", {}, name) }).
export const pieces = (english, values) => t(english).split(/(\{\w+\})/).map((piece) => values[piece.slice(1, -1)] ?? piece);
