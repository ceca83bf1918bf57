// Requests to the service: a single place that caches answers and turns failures into sentences. The browser adds the
// cookie of the session; the header Waymark-Page, which no other site can send, proves that a change comes from here.

import { serverWords, t, told } from "./texts.js";

const most = 200; // answers kept in memory for a signed-in viewer
const unwatched = { reached() {}, lost() {} }; // for a page that shows no state of the connection

export class ApiError extends Error {
  constructor(status, what, remedy) {
    super(`${what} ${remedy}`.trim());
    this.status = status;
    this.what = what;
    this.remedy = remedy;
    this.fields = [];
    // Whether the service itself did not answer: there was no network, or only something in front of it.
    this.isUnreachable = status === 0 || (status >= 502 && status <= 504);
  }
}

export const isAbort = (error) => error?.name === "AbortError";

export class Api {
  #session;
  #connection;
  #answers = new Map();
  #standIns = new WeakSet();
  #lastSession = null;

  constructor(session, connection = unwatched) {
    this.#session = session;
    this.#connection = connection;
    session.keep({
      size: () => [...this.#answers.values()].reduce((sum, answer) => sum + 2 * answer.text.length, 0),
      clear: () => this.#answers.clear(),
    });
  }

  // Returns the JSON at a path. `parameters` with null or "" are omitted; a list is repeated, because encoded commas
  // would be part of a value. If the service does not answer, this is what was kept of its last answer to this viewer:
  // to the same question or, with `orLast`, to any at this path. Throws ApiError, or AbortError when `signal` fires.
  async get(path, parameters = {}, { signal, orLast = false } = {}) {
    const url = addressOf(path, parameters);
    const { user } = this.#session;
    try {
      return await this.#get(url, user, signal);
    } catch (error) {
      if (!error.isUnreachable) throw error;
      const kept = await this.#session.kept?.find(user, url, orLast) ?? null;
      signal?.throwIfAborted();
      if (user !== this.#session.user) throw new DOMException("Somebody else looks at the page now.", "AbortError");
      this.#connection.lost(kept?.at ?? null);
      if (!kept) throw error;
      const value = JSON.parse(kept.text);
      if (!kept.isSame) this.#standIns.add(value);
      return value;
    }
  }

  // Whether a value was kept of another question than the one it was returned for.
  isStandIn(value) { return this.#standIns.has(value); }

  // Returns the JSON at a path as the service has it now, whoever looks at the page.
  async ask(path) {
    const url = addressOf(path);
    const value = await this.#get(url, this.#session.user, undefined);
    if (url.pathname === "/v1/session") this.#lastSession = JSON.stringify(value);
    return value;
  }

  // Keeps the last answer about the session for the viewer that it names.
  keepSession() {
    const { user } = this.#session;
    if (this.#lastSession) this.#session.kept?.put(user, addressOf("/v1/session"), this.#lastSession, () => user === this.#session.user);
  }

  async #get(url, user, signal) {
    const headers = { Accept: "application/geo+json, application/json" };
    const through = this.#session.link?.through(url);
    // When signed in, nothing is left in the browser's disk cache: answers are kept in memory and checked by their
    // ETag, and the last few in a cache of this viewer that signing out deletes.
    const { signedIn } = this.#session;
    const kept = signedIn ? this.#answers.get(url.href) : undefined;
    if (kept) headers["If-None-Match"] = kept.etag;
    let response;
    try {
      const options = { signal, cache: signedIn ? "no-store" : "default", credentials: "same-origin", ...through };
      response = await fetch(url, { ...options, headers: { ...headers, ...through?.headers } });
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new ApiError(0, t("The server did not answer."), t("Check that it is running and that you are connected, then try again."));
    }
    if (response.status === 304 && kept) {
      this.#connection.reached();
      return JSON.parse(kept.text);
    }
    const text = await response.text();
    if (!response.ok) {
      const error = this.#failure(response.status, text, url);
      if (!error.isUnreachable) this.#connection.reached();
      throw error;
    }
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      throw new ApiError(response.status, t("The server’s answer could not be read."), t("Try again; if it stays so, tell whoever runs this server."));
    }
    this.#connection.reached();
    if (user !== this.#session.user) return value;
    if (signedIn) this.#remember(url.href, response.headers.get("ETag"), text);
    if (url.pathname !== "/v1/session") this.#session.kept?.put(user, url, text, () => user === this.#session.user);
    return value;
  }

  // The ETag of the last answer from a path, if the answer is kept.
  tag(path) { return this.#answers.get(new URL(path, location.origin).href)?.etag ?? null; }

  // Returns the bytes at a path of this server, such as a picture.
  async blob(path) {
    const url = new URL(path, location.origin);
    if (url.origin !== location.origin) throw new ApiError(400, t("The server named an address outside itself."), t("It was not opened."));
    let response;
    try {
      const cache = this.#session.signedIn ? "no-store" : "default";
      response = await fetch(url, { cache, credentials: "same-origin", ...this.#session.link?.through(url) });
    } catch {
      throw new ApiError(0, t("The server did not answer."), t("Check that it is running and that you are connected, then try again."));
    }
    if (!response.ok) throw this.#failure(response.status, await response.text(), url);
    return response.blob();
  }

  // Sends a change, with a value as JSON or a Blob as its bytes, and returns the JSON of the answer, or null. With
  // `keepalive`, the browser sends it even if the page is left; `match` is the ETag of what the change is based on.
  async send(method, path, body = null, further = {}, { keepalive = false, match } = {}) {
    const headers = { Accept: "application/json", "Waymark-Page": "1", ...further };
    const bytes = body instanceof Blob ? body : body === null ? undefined : JSON.stringify(body);
    if (match) headers["If-Match"] = match;
    if (body !== null) headers["Content-Type"] = body instanceof Blob ? body.type : "application/json";
    const url = new URL(path, location.origin);
    let response;
    try {
      response = await fetch(url, { method, headers, body: bytes, keepalive, cache: "no-store", credentials: "same-origin" });
    } catch {
      throw new ApiError(0, t("The server did not answer."), t("Check that it is running and that you are connected, then try again."));
    }
    const text = await response.text();
    if (!response.ok) throw this.#failure(response.status, text, url, "");
    return text === "" ? null : JSON.parse(text);
  }

  // Sends a file or a text and returns the JSON of the answer; `parameters` that are null are omitted. Nothing is kept.
  async upload(path, parameters, body) {
    const url = new URL(path, location.origin);
    for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
    const headers = { Accept: "application/json", "Waymark-Page": "1", "Content-Type": "application/octet-stream" };
    let response;
    try {
      response = await fetch(url, { method: "POST", headers, body, cache: "no-store", credentials: "same-origin" });
    } catch {
      throw new ApiError(0, t("The server did not answer."), t("Check that it is running and that you are connected, then try again."));
    }
    const text = await response.text();
    if (!response.ok) throw this.#failure(response.status, text, url);
    return JSON.parse(text);
  }

  // Sends a request without a body and returns the JSON of its answer, or null. Cached answers may be outdated
  // afterwards.
  async post(path) {
    const value = await this.send("POST", path);
    this.#answers.clear();
    return value;
  }

  // The error of an answer. The session may have ended elsewhere: then the page goes on for a visitor.
  #failure(status, text, url, remedy = t("Move the map or try again.")) {
    const { signedIn } = this.#session;
    if (status === 401 && url.pathname.startsWith("/v1/shared")) {
      return new ApiError(410, t("This link is not valid, or no longer."), t("Ask the person who sent it for a new one."));
    }
    if (status === 401 && signedIn && url.pathname !== "/v1/session") this.#session.expire(this);
    return failure(status, text, signedIn, remedy);
  }

  #remember(address, etag, text) {
    this.#answers.delete(address);
    if (!etag) return;
    this.#answers.set(address, { etag, text });
    if (this.#answers.size > most) this.#answers.delete(this.#answers.keys().next().value);
  }
}

function addressOf(path, parameters = {}) {
  const url = new URL(path, location.origin);
  if (url.origin !== location.origin) throw new ApiError(400, t("The server named an address outside itself."), t("It was not opened."));
  for (const [name, value] of Object.entries(parameters)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== null && one !== undefined && one !== "") url.searchParams.append(name, one);
  }
  return url;
}

// Returns the error of an answer, with the machine-readable code of its problem document.
function failure(status, text, signedIn, remedy) {
  let problem = {};
  try { problem = JSON.parse(text) ?? {}; } catch { /* not a problem document: the status says enough */ }
  const error = explained(status, problem, signedIn, remedy);
  // { field, message } of each wrong field
  error.errors = (Array.isArray(problem.errors) ? problem.errors : []).map((one) => ({ ...one, message: told(one?.message, t("cannot be used like this")) }));
  error.code = typeof problem.type === "string" ? problem.type.split("/").pop() : "";
  error.fields = error.errors.filter(({ field, message }) => typeof field === "string" && message);
  return error;
}

function explained(status, problem, signedIn, remedy) {
  const detail = serverWords(problem);
  switch (status) {
    case 401:
      return signedIn ? new ApiError(401, t("You are no longer signed in."), t("Sign in again to see more than public stories."))
        : new ApiError(401, t("This needs a sign-in."), t("Use “Sign in” at the top of the page."));
    case 403: return new ApiError(403, detail || t("You may not do this."), "");
    case 404: return new ApiError(404, t("That is not here, or not for you to see."), t("Go back to the stories in view."));
    case 429: return new ApiError(429, t("Too many requests in a short time."), t("Wait a moment, then try again."));
    default:
      if (status >= 500) return new ApiError(status, t("The server had a problem."), t("Try again; if it stays so, tell whoever runs it."));
      return new ApiError(status, detail || t("The server refused the request ({status}).", { status }), remedy);
  }
}
