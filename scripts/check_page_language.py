"""The part of check-page that looks at the page in another language, mirrored, on paper, and in forced colours."""
import json
import pathlib
import urllib.parse

from axe_playwright_python.sync_playwright import Axe

WORDS = json.loads((pathlib.Path(__file__).resolve().parent.parent / "Sources/App/Resources/page/texts/es.json").read_text(encoding="utf-8"))
# What would be read in English; without words that are the same in both languages.
ENGLISH = sorted(key for key, value in WORDS.items() if isinstance(value, str) and value != key and "{" not in key
                 and not key.startswith(("problem ", "server ")) and len(key) > 3)

# Texts that people see or hear, but not those of stories, which may be in any language.
VISIBLE = """english => {
  const known = new Set(english), found = [];
  const seen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest("bdi, [dir=auto], [lang=en], .maplibregl-map");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.data.trim().replace(/\\s+/g, " ");
    const looksEnglish = /\\b(the|and|your?|this|with|not)\\b.*\\b(the|and|you|is|are|of|to|it)\\b/i.test(words);
    if ((known.has(words) || looksEnglish) && seen(node.parentElement)) found.push(words);
  }
  for (const node of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      if (known.has(node.getAttribute(name)) && seen(node)) found.push(`${name}: ${node.getAttribute(name)}`);
    }
  }
  return found;
}"""

# Controls and headings whose words do not fit, and a page wider than the screen.
CUT = """() => {
  const cut = [];
  for (const node of document.querySelectorAll("button, a, label, legend, h1, h2, h3, dt, dd, p, option, summary, .chip")) {
    if (!node.checkVisibility() || node.matches(".unseen, .unseen *, .skip, .short")) continue;
    // What can be scrolled aside is not cut off.
    const scrolls = (part) => part && (["auto", "scroll"].includes(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth || scrolls(part.parentElement));
    if (scrolls(node.parentElement)) continue;
    const style = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    if (style.overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1) cut.push(node.innerText.slice(0, 60));
    else if (box.width > 0 && !node.closest(".maplibregl-map") && (box.right > innerWidth + 1 || box.left < -1)) cut.push(node.innerText.slice(0, 60));
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) cut.push("the page itself");
  return cut;
}"""

# Controls that lie over each other.
OVERLAPS = """() => {
  const shown = [...document.querySelectorAll(".bar button, .bar input, .controls button, .list-tools > *, .panel-head h2")].filter((node) => node.checkVisibility());
  const boxes = shown.map((node) => [node, node.getBoundingClientRect()]);
  const found = [];
  boxes.forEach(([one, a], index) => {
    for (const [other, b] of boxes.slice(index + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push(`${one.id || one.innerText} and ${other.id || other.innerText}`);
    }
  });
  return found;
}"""


class LanguageFlows:
    """Mixed into Check: a second page beside the first, for a reader whose browser asks for Spanish."""

    def check_language(self):
        first, context = self.page, self.page.context
        size = first.viewport_size
        spanish = context.browser.new_context(
            viewport=size, locale="es-MX", has_touch="phone" in self.name, reduced_motion="reduce",
            color_scheme="dark" if self.name.endswith("dark") else "light")
        try:
            if self.options.token:
                self.sign_in(spanish)
            self.page = spanish.new_page()
            self.page.set_default_timeout(20_000)
            self.page.on("console", self.heard)
            self.page.on("pageerror", lambda error: self.expect(False, f"error in the Spanish page: {error}"))
            self.read_spanish()
        finally:
            spanish.close()
            self.page = first

    def read_spanish(self):
        self.page.goto(self.options.address, wait_until="commit")
        self.page.wait_for_selector("#list > li")
        self.page.wait_for_timeout(1_500)
        self.expect(self.page.evaluate("document.documentElement.lang") == "es", "a browser that asks for Spanish gets another language")
        self.look_spanish("es-start", "at the start")
        self.open_spanish()
        self.check_mirrored()
        self.check_media()
        self.check_story_language()
        self.check_offline_language()
        self.check_choice()

    def look_spanish(self, moment, words, axe=True):
        """No English, nothing cut off, nothing that axe finds."""
        for text in sorted(set(self.page.evaluate(VISIBLE, ENGLISH))):
            self.expect(False, f"English on the Spanish page {words}: “{text}”")
        for text in sorted(set(self.page.evaluate(CUT))):
            self.expect(False, f"cut off on the Spanish page {words}: “{text}”")
        if self.options.out:
            self.page.screenshot(path=str(self.options.out / f"{self.name}-{moment}.png"))
        if axe:
            for violation in Axe().run(self.page).response["violations"]:
                nodes = "; ".join(node["html"][:90] for node in violation["nodes"][:2])
                self.expect(False, f"axe on the Spanish page {words}: {violation['id']}: {nodes}")

    def press_shown(self, selector):
        button = self.page.locator(selector)
        if not button.count() or not button.first.is_visible():
            return False
        button.first.focus()
        self.page.keyboard.press("Enter")
        self.page.wait_for_timeout(700)
        return True
        return True

    def leave_open(self):
        for _ in range(2):
            self.page.keyboard.press("Escape")
            self.page.wait_for_timeout(150)

    def open_spanish(self):
        for moment, path in [
            ("account", ["#account"]), ("devices-stored", ["#account", "#stored-open"]), ("links", ["#account", "#shared-links-open"]),
            ("filters", ["#filter-open"]), ("locate", ["#locate"]), ("compose", ["#add"]), ("share", [".to-share"]),
            ("bell", ["#bell"]), ("settings", ["#bell", "#settings-open"]), ("key", [".key summary"]),
        ]:
            if all([self.press_shown(selector) for selector in path]):
                self.look_spanish(f"es-{moment}", f"with {moment} open")
            self.leave_open()
            if moment in ("bell", "settings"):
                for close in ("#settings-close", "#notices-close"):
                    self.press_shown(close)
            if moment == "filters":
                self.press_shown("#filters-done")
        self.page.goto(urllib.parse.urljoin(self.options.address, "/walk"), wait_until="load")
        self.page.wait_for_timeout(1_000)
        self.look_spanish("es-walk", "at /walk")

    def check_mirrored(self):
        """From right to left everything is mirrored, and nothing overlaps."""
        self.page.goto(self.options.address, wait_until="load")
        self.page.wait_for_selector("#list > li")
        self.page.evaluate("document.documentElement.dir = 'rtl'")
        self.page.wait_for_timeout(1_200)
        if self.options.out:
            self.page.screenshot(path=str(self.options.out / f"{self.name}-rtl.png"))
        left = lambda path: self.page.evaluate("path => document.querySelector(path).getBoundingClientRect().left", path)
        self.expect(left(".wordmark") > self.page.viewport_size["width"] / 2, "from right to left the bar is not mirrored")
        if "desktop" in self.name:
            self.expect(left(".panel") > left(".map"), "from right to left the list is not on the right")
            self.expect(left(".controls") < left(".panel") / 2, "from right to left the map's controls are not on the left")
        for text in self.page.evaluate(OVERLAPS):
            self.expect(False, f"from right to left these overlap: {text}")
        self.expect(self.page.evaluate(CUT) == [], f"from right to left, cut off: {self.page.evaluate(CUT)}")
        self.page.evaluate("document.documentElement.removeAttribute('dir')")

    def check_media(self):
        """Printed, in forced colours, and without motion."""
        self.page.emulate_media(media="print")
        shown = lambda path: self.page.locator(path).first.is_visible()
        self.expect(shown("#list > li h3"), "the list is not printed")
        self.expect(not any(shown(path) for path in ("#map", ".tools", ".search", "#more", ".languages")), "controls are printed")
        if self.options.out:
            self.page.pdf(path=str(self.options.out / f"{self.name}-print.pdf"))
        self.page.emulate_media(media="screen", forced_colors="active")
        self.page.wait_for_timeout(400)
        self.look_spanish("forced-colors", "in forced colours")
        self.page.emulate_media(forced_colors="none", reduced_motion="reduce")
        running = self.page.evaluate("document.getAnimations().filter(one => one.playState === 'running').length")
        self.expect(running == 0, f"{running} animations run although motion is to be reduced")

    def check_story_language(self):
        stories = self.page.request.get(urllib.parse.urljoin(self.options.address, "/v1/stories?limit=1")).json()["features"]
        if not stories:
            return
        self.page.goto(urllib.parse.urljoin(self.options.address, f"/stories/{stories[0]['id']}"), wait_until="load")
        self.page.wait_for_timeout(600)
        self.expect(self.page.evaluate("document.documentElement.lang") == "es", "a story's page is not in Spanish")
        self.look_spanish("es-story", "of a story")
        if self.options.out:
            self.page.pdf(path=str(self.options.out / f"{self.name}-story-print.pdf"))

    def check_offline_language(self):
        """Without a network the page that is kept is the Spanish one, with its words."""
        # The emulated language does not reach requests for the worker itself, as that of a real browser does; the cookie does.
        self.page.context.add_cookies([{"name": "language", "value": "es", "url": self.options.address}])
        self.page.goto(self.options.address, wait_until="load")
        # The English worker goes on until the Spanish one has everything; then its files are dropped.
        kept = """async () => {
          const shells = (await caches.keys()).filter((name) => name.startsWith("waymark-shell-"));
          if (shells.length !== 1) return false;
          const shell = await caches.open(shells[0]);
          const page = await (await shell.match("/", { ignoreVary: true }))?.text();
          return Boolean(await shell.match("/assets/texts-es.json", { ignoreVary: true }) && page?.includes('lang="es"'));
        }"""
        if not self.page.evaluate("'serviceWorker' in navigator") or not self.until(kept, None):
            return self.expect(False, "the service worker does not keep the Spanish words")
        self.quiet = True
        self.page.context.set_offline(True)
        self.page.reload(wait_until="commit")
        self.page.wait_for_selector("#list-title")
        self.page.wait_for_timeout(2_500)
        self.expect(self.page.evaluate("document.documentElement.lang") == "es", "without a network the page is not in Spanish")
        self.look_spanish("es-offline", "without a network", axe=False)
        self.page.context.set_offline(False)
        self.page.wait_for_timeout(300)
        self.quiet = False

    def check_choice(self):
        """A choice counts before what the browser asks for, and is kept."""
        self.page.goto(self.options.address, wait_until="load")
        self.page.wait_for_selector("#list > li")
        self.page.locator('[data-language="en"]').focus()
        self.page.keyboard.press("Enter")
        self.expect(self.until("() => document.documentElement.lang === 'en' && document.querySelector('#list > li')", None), "choosing English does nothing")
        self.page.reload(wait_until="load")
        self.expect(self.page.evaluate("document.documentElement.lang") == "en", "the choice of a language is forgotten")
        self.expect(self.page.locator('[data-language="en"]').get_attribute("aria-pressed") == "true", "the chosen language is not marked")
