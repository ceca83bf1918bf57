// What the page says. The English text is the key.

const fill = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all)) : text);
const written = (value) => (typeof value === "number" ? value.toLocaleString() : String(value ?? ""));

// t("Stories near {name}", { name })
export const t = (english, values) => fill(english, values);

// tn(12, "{count} story", "{count} stories")
export const tn = (count, one, many, values) => fill(count === 1 ? one : many, { count, ...values });
