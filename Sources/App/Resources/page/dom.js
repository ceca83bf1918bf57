// Creates elements without markup in strings: text is always text.

// The part of the page that only works with scripts: before anything else looks for it.
const withScript = globalThis.document?.getElementById("with-script");
if (withScript) {
  const parsed = document.createElement("template");
  parsed.innerHTML = withScript.textContent;
  withScript.replaceWith(parsed.content);
}

export const byId = (id) => document.getElementById(id);
export const allOf = (selector) => globalThis.document?.querySelectorAll(selector) ?? [];

// element("p", { class: "count", hidden: true, style: { "--size": "34px" } }, "12 ", node). Styles are set one by one: the
// page's policy forbids the attribute.
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, its] of Object.entries(value)) node.style.setProperty(property, its);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function debounce(milliseconds, action) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

// Acts at once, and then at the end of each time in which it was asked again.
export function promptly(milliseconds, action) {
  let timer = null;
  const rest = () => { timer = null; };
  return (...values) => {
    const isFirst = timer === null;
    clearTimeout(timer);
    if (isFirst) action(...values);
    timer = setTimeout(isFirst ? rest : () => { rest(); action(...values); }, milliseconds);
  };
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
