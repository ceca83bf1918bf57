// The texts of the page. The English text is the key.

const fill = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all)) : text);
const written = (value) => (typeof value === "number" ? value.toLocaleString("en") : String(value ?? ""));

// t("Stories near {name}", { name }): numbers are written as the language writes them.
export const t = (english, values) => fill(english, values);

// tn(12, "{count} story", "{count} stories"): the form that the language has for this number.
export const tn = (count, one, many, values) => fill(count === 1 ? one : many, { count, ...values });
