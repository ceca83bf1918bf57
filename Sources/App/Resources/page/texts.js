// What the page says: the English text is the key.

const written = (value) => (typeof value === "number" ? value.toLocaleString("en") : String(value ?? ""));
const fill = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all)) : text);

// t("Stories near {name}", { name })
export const t = (english, values) => fill(english, values);

// tn(12, "{count} story", "{count} stories")
export const tn = (count, one, many, values) => fill(count === 1 ? one : many, { count, ...values });
