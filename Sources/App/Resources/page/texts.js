// What the page says: the English text is the key.

const language = globalThis.document?.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);
const written = (value) => (typeof value === "number" ? value.toLocaleString(language) : String(value ?? ""));
const fill = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all)) : text);

// t("Stories near {name}", { name }): numbers are written as the language writes them.
export const t = (english, values) => fill(english, values);

// tn(12, "{count} story", "{count} stories"): the form that the language has for this number.
export const tn = (count, one, many, values) => fill(plurals.select(count) === "one" ? one : many, { count, ...values });
