// A live stream of the service (server-sent events), by fetch, because EventSource cannot wait as asked. It resumes
// after the last event when the connection is lost, and pauses while the page is hidden, so that the browser's few
// connections to one server are free for visible pages.

const longest = 60_000; // milliseconds between two attempts

export class LiveStream extends EventTarget {
  #asked = null; // { path, parameters, last }
  #request = null;
  #timer = 0;
  #wait = 3_000;

  constructor() {
    super();
    addEventListener("online", () => {
      this.#wait = 3_000;
      clearTimeout(this.#timer);
      this.#connect();
    });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#rest() : this.#connect()));
  }

  // Follows a path from now on; events are dispatched on this object, with id and data as detail.
  open(path, parameters = {}) {
    this.close();
    this.#asked = { path, parameters, last: null };
    this.#connect();
  }

  close() {
    this.#asked = null;
    this.#rest();
  }

  #rest() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = null;
  }

  async #connect() {
    if (!this.#asked || this.#request || document.hidden) return;
    const asked = this.#asked;
    const request = (this.#request = new AbortController());
    let again = this.#wait;
    try {
      const url = new URL(asked.path, location.origin);
      for (const [name, value] of Object.entries(asked.parameters)) {
        for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== "") url.searchParams.append(name, one);
      }
      const headers = { Accept: "text/event-stream" };
      if (asked.last !== null) headers["Last-Event-ID"] = asked.last;
      const response = await fetch(url, { headers, signal: request.signal, cache: "no-store", credentials: "same-origin" });
      if (response.ok) {
        this.#wait = 3_000;
        again = this.#wait;
        await this.#read(response.body, asked);
        // A service that stops says when to come back.
        again = this.#wait;
      } else {
        // Without permission or with too many streams, do not retry every three seconds.
        again = response.status < 500 ? longest : again * 2;
      }
    } catch {
      again *= 2;
    }
    if (this.#request !== request) return;
    this.#request = null;
    this.#wait = Math.min(longest, again);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), this.#wait);
  }

  async #read(body, asked) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#asked !== asked) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) this.#tell(block, asked);
    }
  }

  #tell(block, asked) {
    let name = "message";
    let data = null;
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) asked.last = line.slice(4);
      else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data = line.slice(6);
      else if (line.startsWith("retry: ")) this.#wait = Math.min(longest, Number(line.slice(7)) || 3_000);
    }
    if (data === null) return;
    let detail = null;
    try { detail = JSON.parse(data); } catch { /* nothing a page could show */ }
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
