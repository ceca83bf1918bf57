// The service worker: lets the page open without a network, and shows pushes (sw.js).

const delay = 3000; // milliseconds after the page is there: keeping files must not slow the first view down

// Registers it. `open` follows the link of a notification that was clicked while the page was open.
export function startWorker(open) {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }) => { if (typeof data?.open === "string") open(data.open); });
  setTimeout(register, navigator.serviceWorker.controller ? 0 : delay);
}

function register() {
  return navigator.serviceWorker.register("/sw.js", { scope: "/", updateViaCache: "none" }).catch(() => null); // without it, the page needs a network
}

// The active worker's registration; null if the browser does not start one.
export async function activeWorker() {
  if (!await register()) return null;
  return Promise.race([navigator.serviceWorker.ready, new Promise((resolve) => setTimeout(resolve, 15_000, null))]);
}

// Has the worker forget what it keeps besides the page's own files; resolves when it has, or after a second.
export function askWorkerToForget() {
  const worker = "serviceWorker" in navigator ? navigator.serviceWorker.controller : null;
  if (!worker) return Promise.resolve();
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    setTimeout(resolve, 1000);
    worker.postMessage("forget", [port2]);
  });
}
