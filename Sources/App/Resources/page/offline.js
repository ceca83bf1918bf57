// The page without a network: asks again by itself, and has the service worker keep what lets the page open.

import { startWorker } from "./worker.js";

const feedDelay = 4_000; // milliseconds after the page is there: keeping the feed must not slow the first view down

// `refresh` shows what the service has once it answers again.
export function startOffline({ api, session, connection, refresh }) {
  // Asks for little, so that what is read meanwhile stays as it is.
  connection.addEventListener("retry", () => { api.ask("/v1/session").catch(() => {}); });
  connection.addEventListener("back", async () => {
    await session.check(api);
    refresh();
  });
  startWorker((link) => { location.hash = link; });
  // The feed of a viewer who did not open it now can be read without a network too.
  setTimeout(() => { if (session.signedIn) api.get("/v1/notifications", { limit: 30 }).catch(() => {}); }, feedDelay);
}
