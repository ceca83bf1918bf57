// The ways by which notifications leave the service: this browser, e-mail, and others that the operator allows.

import { element } from "./dom.js";
import { group } from "./settings-parts.js";
import { ago } from "./words.js";
import { t } from "./texts.js";

const names = { web_push: t("Browser"), email: t("E-mail"), ntfy: "ntfy", gotify: "Gotify", apprise: "Apprise", webhook: "Webhook", apns: t("Apple device"), fcm: t("Android device"), mqtt: "MQTT" };
const address = { name: "url", words: t("Address of the server"), type: "url", required: true };
// What is asked for each kind that a person can add by hand.
const asked = {
  email: [{ name: "address", words: t("E-mail address"), type: "email", required: true }],
  ntfy: [address, { name: "topic", words: t("Topic"), required: true }, { name: "token", words: t("Access token (if the topic needs one)") }],
  gotify: [address, { name: "token", words: t("Token of the application"), required: true }],
  apprise: [address, { name: "key", words: t("Key"), required: true }, { name: "tag", words: t("Tag (may be left out)") }],
  webhook: [{ ...address, words: t("Address that receives the messages") }],
  // The service chooses the topic: in one that a person chose, they might write to somebody else, or to a lamp.
  mqtt: [{ name: "name", words: t("Name (may be left out)") }],
};
// What to know before one is added.
const hints = {
  mqtt: t("This server publishes your notifications at its operator's message broker, in a topic that it chooses. People who may read everything at the broker can read them."),
};

export function channelSection({ api, push, say }) {
  const list = element("ul", { class: "settings-list" });
  const here = element("div", { class: "choices" });
  const others = element("div", { class: "choices" });
  const form = element("form", { novalidate: true, hidden: true });
  const section = group(t("How they reach you"), element("p", { class: "hint" }, t("Every notification is in the list under the bell. What also leaves this server goes only where you say here.")), list, here, others, form);
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
      if (isHere) here.append(element("p", { class: "hint" }, t("This browser shows notifications, also while this page is closed. Signing out ends that.")));
      else if (push.obstacle) here.append(element("p", { class: "hint" }, push.obstacle));
      else here.append(element("button", { type: "button", class: "primary", onclick: subscribe }, t("Notify me in this browser")));
    }
    const kinds = Object.keys(asked).filter((kind) => seen.offered.includes(kind));
    others.replaceChildren(...kinds.map((kind) => element("button", { type: "button", class: "plain", onclick: () => openForm(kind) }, kind === "email" ? t("Add an e-mail address") : t("Add {name}", { name: names[kind] }))));
  }

  async function subscribe() {
    const made = await act(() => push.subscribe(api, seen.web_push_key, browserName()), t("Saved: this browser shows notifications. Try it with “Test”."));
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
      actions.append(button(t("Test"), () => api.send("POST", `/v1/me/channels/${id}/test`), t("A test message is on its way.")));
      actions.append(enabled ? button(t("Pause"), () => api.send("PATCH", `/v1/me/channels/${id}`, { enabled: false }), t("Paused: nothing is sent there."))
        : button(t("Resume"), () => api.send("PATCH", `/v1/me/channels/${id}`, { enabled: true }), t("Resumed.")));
    } else {
      const words = kind === "email" && state === "unproven" ? t("Send another code") : t("Check again");
      actions.append(button(words, () => api.send("POST", `/v1/me/channels/${id}/verify`, {}), t("It is being checked.")));
    }
    actions.append(button(t("Remove"), () => (isHere ? push.end(api) : api.send("DELETE", `/v1/me/channels/${id}`)).then(() => undefined), t("Removed: nothing more is sent there.")));
    const node = element("li", { "data-id": id },
      element("p", {}, element("strong", { dir: "auto" }, title), title === names[kind] ? "" : ` · ${names[kind] ?? kind}`, isHere ? ` ${t("(this one)")}` : ""),
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
      if (await act(() => api.send("POST", `/v1/me/channels/${id}/verify`, { code: code.value.trim() }), t("Confirmed: {name}.", { name: title }))) return undefined;
      return code.focus();
    } }, element("label", {}, t("Code from the e-mail"), code), element("button", { type: "submit", class: "primary" }, t("Confirm")));
  }

  function openForm(kind) {
    const fields = asked[kind].map((field) => [field, element("input", { type: field.type ?? "text", autocomplete: field.type === "email" ? "email" : "off", autocapitalize: "off", spellcheck: "false", required: field.required ?? false })]);
    const cancel = element("button", { type: "button", class: "plain", onclick: () => { form.hidden = true; others.querySelector("button")?.focus(); } }, t("Cancel"));
    const hint = hints[kind] ? element("p", { class: "hint", id: "channel-hint" }, hints[kind]) : "";
    if (hint) fields[0][1].setAttribute("aria-describedby", hint.id);
    form.replaceChildren(hint, ...fields.map(([{ words }, input]) => element("label", {}, words, input)),
      element("div", { class: "choices" }, element("button", { type: "submit", class: "primary" }, t("Add")), cancel));
    form.onsubmit = async (event) => {
      event.preventDefault();
      const empty = fields.find(([{ required }, input]) => required && input.value.trim() === "");
      for (const [, input] of fields) input.removeAttribute("aria-invalid");
      if (empty) {
        section.problem.textContent = t("{field}: enter it, please.", { field: empty[0].words });
        empty[1].setAttribute("aria-invalid", "true");
        return empty[1].focus();
      }
      const { name, ...target } = Object.fromEntries(fields.filter(([, input]) => input.value.trim() !== "").map(([{ name }, input]) => [name, input.value.trim()]));
      const made = await act(() => api.send("POST", "/v1/me/channels", { kind, name, target }), kind === "email" ? t("A code is on its way to that address.") : t("Added."));
      if (!made) return fields[0][1].focus();
      form.hidden = true;
      form.replaceChildren();
      if (made.secret) return showOnce(t("The secret that signs these messages is shown only now:"), made.secret);
      if (made.topic) return showOnce(t("The topic of these messages is shown only now:"), made.topic);
      return list.querySelector(`[data-id="${CSS.escape(made.id)}"] :is(input, button)`)?.focus();
    };
    form.hidden = false;
    fields[0][1].focus();
  }

  // Shows what is never shown again; the focus goes where it is read out, and back once it was noted.
  function showOnce(words, text) {
    const done = element("button", { type: "button", class: "plain", "aria-describedby": "channel-once", onclick: () => {
      form.replaceChildren();
      form.hidden = true;
      others.querySelector("button")?.focus();
    } }, t("I have noted it"));
    form.replaceChildren(element("div", { id: "channel-once" }, element("p", {}, words), element("p", {}, element("code", { class: "secret" }, text))),
      element("div", { class: "choices" }, done));
    form.hidden = false;
    done.focus();
  }

  section.update = () => { load().catch((error) => { section.problem.textContent = error.message; }); };
  return section;
}

function fieldWords(field) {
  const part = field.split(".").pop();
  const all = Object.values(asked).flat();
  return all.find(({ name }) => name === part)?.words ?? t("This");
}

function stateWords({ kind, enabled, state, reason, delivered_at: delivered, failing_since: failing }) {
  const reasons = { gone: t("the target no longer exists"), failing: t("nothing could be delivered for five days"), secret_lost: t("the server lost the key to it: remove it and add it again"),
    key_replaced: t("the server has a new key for browsers: remove it and add it again"),
    refused_address: t("the server may not connect to that address"), bad_answer: t("the answer did not hold the challenge") };
  if (state === "disabled") return t("Switched off: {why}.", { why: reasons[reason] ?? t("it could not be used") });
  if (state === "unproven") return kind === "email" ? t("Waits for the code that was sent to it.") : reason ? t("Not confirmed yet: {why}.", { why: reasons[reason] ?? reason }) : t("Not confirmed yet.");
  if (!enabled) return t("Paused.");
  if (failing) return t("Nothing has arrived since {when}; it is tried again.", { when: ago(failing) });
  return delivered ? t("Works; the last message arrived {when}.", { when: ago(delivered) }) : t("Ready; nothing was sent yet.");
}

// What this browser is called in the list, without more than a reader needs to tell it from others.
function browserName() {
  const agent = navigator.userAgent;
  const browser = [["Edg/", "Edge"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]].find(([mark]) => agent.includes(mark))?.[1] ?? t("Browser");
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["Linux", "Linux"]].find(([mark]) => agent.includes(mark))?.[1];
  return system ? t("{browser} on {system}", { browser, system }) : browser;
}
