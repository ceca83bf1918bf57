// The service worker: lets the page open without a network, and shows pushes (sw.js).

// Registers it once the page is loaded, so that it takes nothing from the first view. `open` follows the link of a
// notification that was clicked while the page was open.
export function startWorker(open) {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }) => { if (typeof data?.open === "string") open(data.open); });
  const register = () => navigator.serviceWorker.register("/sw.js", { scope: "/", updateViaCache: "none" }).catch(() => {}); // without it, the page needs a network
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
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
