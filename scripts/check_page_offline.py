"""The flows of check-page without a network, and of notification settings: what is kept, for whom, and what is not."""
import re

KEPT = """async () => {
  const found = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    found[name] = [];
    for (const request of await cache.keys()) {
      const type = (await cache.match(request)).headers.get('Content-Type') ?? '';
      found[name].push([new URL(request.url).pathname, type.includes('json') ? await (await cache.match(request)).text() : '']);
    }
  }
  return found;
}"""


class OfflineFlows:
    """What a reader sees without a network; mixed into the check of one page, which has `page`, `expect` and `until`."""

    def kept(self):
        """The caches of the browser: their names, with the paths and texts of what they hold."""
        return self.page.evaluate(KEPT)

    def titles(self):
        return self.page.locator("#list h3").all_inner_texts()

    def check_offline(self):
        """The page, opened again without a network, shows the same list, says how old it is, and recovers by itself."""
        if not self.page.evaluate("'caches' in window && 'serviceWorker' in navigator"):
            print(f"{self.name}: not a secure context, so nothing can be kept offline")
            return
        self.page.goto(self.options.address, wait_until="load")  # whatever was open before
        self.page.wait_for_selector("#list > li")
        ready = "async () => (await navigator.serviceWorker.ready).active?.state === 'activated' && navigator.serviceWorker.controller !== null"
        self.expect(self.until(ready, None), "the service worker does not take over the page")
        self.page.reload(wait_until="load")
        self.page.wait_for_selector("#list > li")
        self.settle()
        titles = self.titles()
        viewers = [name for name in self.kept() if name.startswith("waymark-viewer-")]
        self.expect(len(viewers) == 1, f"caches of viewers: {viewers}")
        self.quiet = True  # requests fail now, as they should
        self.page.context.set_offline(True)
        self.page.reload(wait_until="load")
        self.page.wait_for_selector("#list > li")
        self.expect(self.titles() == titles, "without a network, the list is another one")
        says = "() => /Last synced (just now|\\d+ \\w+ ago)/.test(document.querySelector('#sync:not([hidden])')?.textContent ?? '')"
        self.expect(self.until(says, None), "the page does not say when it last synced")
        if not self.options.without_map:
            self.page.wait_for_selector(".marker")
        self.picture("offline")
        self.check_axe("without a network")
        self.check_reflow()
        self.page.context.set_offline(False)
        self.expect(self.until("() => document.querySelector('#sync').hidden", None), "the page does not recover when the network returns")
        self.settle()
        self.quiet = False
        self.expect(self.titles() == titles, "after the network returned, the list is another one")

    def check_lost_request(self):
        """A list stays when the service stops answering, and the page asks again without being asked to."""
        titles = self.titles()
        self.quiet = True
        self.page.context.set_offline(True)
        self.page.locator("#sort").select_option("date")
        self.expect(self.until("() => !document.querySelector('#sync').hidden", None), "a request that failed is not said")
        self.expect(self.titles() != [], "a request that failed empties the list")
        self.page.context.set_offline(False)
        self.page.evaluate("dispatchEvent(new Event('online'))")
        self.expect(self.until("() => document.querySelector('#sync').hidden", None), "the page does not ask again")
        self.settle()
        self.quiet = False
        self.page.locator("#sort").select_option("")
        self.settle()
        self.expect(self.titles() == titles, "the list did not come back")

    def check_nothing_kept(self, name, titles):
        """After signing out, nothing of the viewer is kept: not their name (None if it is public), nor their private stories."""
        kept = self.kept()
        text = "\n".join(text for entries in kept.values() for _, text in entries)
        private = [title for title in titles if title and title in text]
        self.expect(not name or name not in re.findall(r'"name":"([^"]*)"', text), "signing out leaves the viewer's name in a cache")
        self.expect(private == [], f"signing out leaves stories in a cache: {private[:2]}")
        viewers = [one for one in kept if one.startswith("waymark-viewer-") and one != "waymark-viewer-"]
        self.expect(viewers == [], f"signing out leaves caches: {viewers}")
        subscribed = "async () => Boolean(await (await navigator.serviceWorker?.getRegistration('/'))?.pushManager?.getSubscription())"
        self.expect(not self.page.evaluate(subscribed), "signing out leaves a push subscription")
        # The service has the browser remove everything of this site, so the page has to be kept again first.
        self.page.goto(self.options.address, wait_until="load")
        again = "async () => Boolean((await navigator.serviceWorker.getRegistration('/'))?.active)"
        self.expect(self.until(again, None), "after signing out, the page is never kept again")
        self.quiet = True
        self.page.context.set_offline(True)
        self.page.goto(self.options.address, wait_until="load")
        self.page.wait_for_timeout(1000)
        body = self.page.inner_text("body")
        self.expect((not name or name not in body) and not any(title in body for title in titles if title), "without a network, the page shows who was signed in")
        self.page.context.set_offline(False)
        self.page.goto(self.options.address, wait_until="load")
        self.page.wait_for_selector("#list > li")
        self.settle()
        self.quiet = False

    def check_settings(self):
        """Settings explain themselves first, are saved one by one, and say what is wrong where it was entered."""
        self.press("#bell")
        self.page.wait_for_selector("#notices:not([hidden])")
        self.settle()
        self.press("#settings-open")
        self.page.wait_for_selector("#settings-radius")
        self.settle()
        self.expect(self.focused() == "settings-title", "the settings do not take the focus")
        first = self.page.locator("#settings-body h3").first.inner_text()
        self.expect(first == "What this means", f"the settings begin with “{first}”")
        self.picture("settings")
        self.check_axe("with the settings open")
        self.check_reflow()
        radius = self.page.locator("#settings-radius")
        radius.fill("5")
        radius.press("Enter")
        self.expect("75 to 5,000" in self.page.locator(".settings-group:has(#settings-radius) .field-problem").inner_text(), "a wrong distance is not said")
        self.expect(radius.get_attribute("aria-invalid") == "true", "a wrong distance is not marked")
        before = self.ask("/v1/me/notification-settings")["radius"]
        radius.fill("400")
        radius.press("Enter")
        self.expect(self.until("() => document.querySelector('#settings-state').innerText === 'Saved: 400 metres.'", None), "saving the distance is not said")
        self.expect(self.ask("/v1/me/notification-settings")["radius"] == 400, "the distance is not saved")
        if not self.options.without_map:
            self.expect(self.page.locator(".radius-circle").is_visible(), "the distance is not drawn on the map")
            self.picture("settings-radius")
        radius.fill(str(int(before)))
        radius.press("Enter")
        self.settle()
        self.page.keyboard.press("Escape")
        self.expect(self.page.locator("#settings").is_hidden(), "Escape does not close the settings")
        self.expect(self.focused() == "bell", "the focus did not return to the bell")
