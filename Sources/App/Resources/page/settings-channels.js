// The ways by which notifications leave the service: this browser, e-mail, and others that the operator allows.

import { element } from "./dom.js";
import { group } from "./settings-parts.js";
import { ago } from "./words.js";

const names = { web_push: "Browser", email: "E-mail", ntfy: "ntfy", gotify: "Gotify", apprise: "Apprise", webhook: "Webhook", apns: "Apple device", fcm: "Android device" };
const address = { name: "url", words: "Address of the server", type: "url", required: true };
// What is asked for each kind that a person can add by hand.
const asked = {
  email: [{ name: "address", words: "E-mail address", type: "email", required: true }],
  ntfy: [address, { name: "topic", words: "Topic", required: true }, { name: "token", words: "Access token (if the topic needs one)" }],
  gotify: [address, { name: "token", words: "Token of the application", required: true }],
  apprise: [address, { name: "key", words: "Key", required: true }, { name: "tag", words: "Tag (may be left out)" }],
  webhook: [{ ...address, words: "Address that receives the messages" }],
};

export function channelSection({ api, push, say }) {
  const list = element("ul", { class: "settings-list" });
  const here = element("div", { class: "choices" });
  const others = element("div", { class: "choices" });
  const form = element("form", { novalidate: true, hidden: true });
  const section = group("How they reach you", element("p", { class: "hint" }, "Every notification is in the list under the bell. What also leaves this server goes only where you say here."), list, here, others, form);
  let seen = { channels: [], offered: [], web_push_key: null };

  // Does something with a channel, and shows all of them anew.
  async function act(action, words) {
    section.problem.textContent = "";
    try {
      const done = await action();
      if (done !== null) say(words);
      await load();
      return done ?? true;
    } catch (error) {
      section.problem.textContent = error.fields?.length ? error.fields.map(({ field, message }) => `${fieldWords(field)} ${message}.`).join(" ") : error.message;
      return null;
    }
  }

  async function load() {
    seen = await api.get("/v1/me/channels");
    list.replaceChildren(...seen.channels.map(row));
    drawAdding();
  }

  function drawAdding() {
    const isHere = push.channel !== null && seen.channels.some(({ id }) => id === push.channel);
    here.replaceChildren();
    if (seen.offered.includes("web_push")) {
      if (isHere) here.append(element("p", { class: "hint" }, "This browser shows notifications, also while this page is closed. Signing out ends that."));
      else if (push.obstacle) here.append(element("p", { class: "hint" }, push.obstacle));
      else here.append(element("button", { type: "button", class: "primary", onclick: subscribe }, "Notify me in this browser"));
    }
    const kinds = Object.keys(asked).filter((kind) => seen.offered.includes(kind));
    others.replaceChildren(...kinds.map((kind) => element("button", { type: "button", class: "plain", onclick: () => openForm(kind) }, `Add ${names[kind] === "E-mail" ? "an e-mail address" : names[kind]}`)));
  }

  async function subscribe() {
    const made = await act(() => push.subscribe(api, seen.web_push_key, browserName()), "Saved: this browser shows notifications. Try it with “Test”.");
    if (made) list.querySelector(`[data-id="${CSS.escape(made.id)}"] button`)?.focus();
  }

  function row(channel) {
    const { id, kind, name, enabled, state, target } = channel;
    const title = name || target.address || target.url || target.topic || names[kind] || kind;
    const isHere = id === push.channel;
    const button = (words, action, done) => element("button", { type: "button", class: "plain", "aria-label": `${words}: ${title}`, onclick: async () => {
      if (await act(action, done)) (list.querySelector(`[data-id="${CSS.escape(id)}"] button`) ?? section.node.querySelector("h3 ~ div button"))?.focus();
    } }, words);
    const actions = element("div", { class: "notice-actions" });
    if (state === "active") {
      actions.append(button("Test", () => api.send("POST", `/v1/me/channels/${id}/test`), "A test message is on its way."));
      actions.append(enabled ? button("Pause", () => api.send("PATCH", `/v1/me/channels/${id}`, { enabled: false }), "Paused: nothing is sent there.")
        : button("Resume", () => api.send("PATCH", `/v1/me/channels/${id}`, { enabled: true }), "Resumed."));
    } else {
      const words = kind === "email" && state === "unproven" ? "Send another code" : "Check again";
      actions.append(button(words, () => api.send("POST", `/v1/me/channels/${id}/verify`, {}), "It is being checked."));
    }
    actions.append(button("Remove", () => (isHere ? push.end(api) : api.send("DELETE", `/v1/me/channels/${id}`)).then(() => undefined), "Removed: nothing more is sent there."));
    const node = element("li", { "data-id": id },
      element("p", {}, element("strong", { dir: "auto" }, title), title === names[kind] ? "" : ` · ${names[kind] ?? kind}`, isHere ? " (this one)" : ""),
      element("p", { class: "hint" }, stateWords(channel)));
    if (kind === "email" && state === "unproven") node.append(codeForm(channel, title));
    node.append(actions);
    return node;
  }

  // An address counts once the code that was sent to it came back.
  function codeForm({ id }, title) {
    const code = element("input", { type: "text", autocomplete: "one-time-code", inputmode: "numeric", maxlength: 64, required: true });
    return element("form", { novalidate: true, class: "settings-row", onsubmit: async (event) => {
      event.preventDefault();
      if (code.value.trim() === "") return code.focus();
      if (await act(() => api.send("POST", `/v1/me/channels/${id}/verify`, { code: code.value.trim() }), `Confirmed: ${title}.`)) return undefined;
      return code.focus();
    } }, element("label", {}, "Code from the e-mail", code), element("button", { type: "submit", class: "primary" }, "Confirm"));
  }

  function openForm(kind) {
    const fields = asked[kind].map((field) => [field, element("input", { type: field.type ?? "text", autocomplete: field.type === "email" ? "email" : "off", autocapitalize: "off", spellcheck: "false", required: field.required ?? false })]);
    const cancel = element("button", { type: "button", class: "plain", onclick: () => { form.hidden = true; others.querySelector("button")?.focus(); } }, "Cancel");
    form.replaceChildren(...fields.map(([{ words }, input]) => element("label", {}, words, input)),
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, "Add"), cancel));
    form.onsubmit = async (event) => {
      event.preventDefault();
      const empty = fields.find(([{ required }, input]) => required && input.value.trim() === "");
      for (const [, input] of fields) input.removeAttribute("aria-invalid");
      if (empty) {
        section.problem.textContent = `${empty[0].words}: enter it, please.`;
        empty[1].setAttribute("aria-invalid", "true");
        return empty[1].focus();
      }
      const target = Object.fromEntries(fields.filter(([, input]) => input.value.trim() !== "").map(([{ name }, input]) => [name, input.value.trim()]));
      const made = await act(() => api.send("POST", "/v1/me/channels", { kind, target }), kind === "email" ? "A code is on its way to that address." : "Added.");
      if (!made) return fields[0][1].focus();
      form.hidden = true;
      form.replaceChildren();
      if (made.secret) showSecret(made.secret);
      return list.querySelector(`[data-id="${CSS.escape(made.id)}"] :is(input, button)`)?.focus();
    };
    form.hidden = false;
    fields[0][1].focus();
  }

  function showSecret(secret) {
    form.replaceChildren(element("p", {}, "The secret that signs these messages is shown only now:"), element("p", {}, element("code", { class: "secret" }, secret)),
      element("div", { class: "choices" }, element("button", { type: "button", class: "plain", onclick: () => { form.replaceChildren(); form.hidden = true; } }, "I have noted it")));
    form.hidden = false;
  }

  section.update = () => { load().catch((error) => { section.problem.textContent = error.message; }); };
  return section;
}

function fieldWords(field) {
  const part = field.split(".").pop();
  const all = Object.values(asked).flat();
  return all.find(({ name }) => name === part)?.words ?? "This";
}

function stateWords({ kind, enabled, state, reason, delivered_at: delivered, failing_since: failing }) {
  const reasons = { gone: "the target no longer exists", failing: "nothing could be delivered for five days", secret_lost: "the server lost the key to it: remove it and add it again",
    refused_address: "the server may not connect to that address", bad_answer: "the answer did not hold the challenge" };
  if (state === "disabled") return `Switched off: ${reasons[reason] ?? "it could not be used"}.`;
  if (state === "unproven") return kind === "email" ? "Waits for the code that was sent to it." : `Not confirmed yet${reason ? `: ${reasons[reason] ?? reason}` : ""}.`;
  if (!enabled) return "Paused.";
  if (failing) return `Nothing has arrived since ${ago(failing)}; it is tried again.`;
  return delivered ? `Works; the last message arrived ${ago(delivered)}.` : "Ready; nothing was sent yet.";
}

// What this browser is called in the list, without more than a reader needs to tell it from others.
function browserName() {
  const agent = navigator.userAgent;
  const browser = [["Edg/", "Edge"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]].find(([mark]) => agent.includes(mark))?.[1] ?? "Browser";
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["Linux", "Linux"]].find(([mark]) => agent.includes(mark))?.[1];
  return system ? `${browser} on ${system}` : browser;
}
