"""A few flows through the pages, at one size: what every change is held to. scripts/check-page-short runs it.

Everything is waited for with generous deadlines and nothing is tried twice.
"""
import io
import pathlib
import re
import sys
import tempfile
import time
import urllib.parse
import wave

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright

from page_service import launch, run, serving

PATIENCE = 60_000  # milliseconds
PHONE = {"width": 390, "height": 740}
ZOOMED = {"width": 320, "height": 256}  # a window of 1280 by 1024 at 400 %
NEW_KIND = "id,title,kind,lat,lon\nloom,The loom,weaving_pattern,33.7554,-84.3736\n"


HEARD = {"kind": "interview", "title": "Hum", "media_url": "/hum.wav", "places": [
    {"role": "born", "lat": 33.7, "lon": -84.3, "name": "Openfield", "seconds": 7},
    {"lat": 33.8, "lon": -84.4, "name": "Guessville", "source": "ai_extracted"}]}


def silence(seconds):
    """A recording in which nothing is to be heard."""
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(1)
        recording.setframerate(8_000)
        recording.writeframes(b"\x80" * 8_000 * seconds)
    return file.getvalue()


class Check:
    def __init__(self, browser, address):
        self.address, self.wrong, self.count = address, [], 0
        self.context = browser.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.expect(False, f"error in the page: {error}"))
        self.page.on("request", self.asked)

    def expect(self, holds, otherwise):
        self.count += 1
        if not holds:
            self.wrong.append(otherwise)

    def heard(self, message):
        path = urllib.parse.urlparse(message.location.get("url", "")).path
        # Without the map engine, which is fetched at set-up, the page is a list.
        if message.type == "error" and "maplibre" not in path:
            self.expect(False, f"console: {message.text} {path}")

    def asked(self, request):
        url, own = urllib.parse.urlparse(request.url), urllib.parse.urlparse(self.address).netloc
        if url.scheme in ("http", "https"):
            self.expect(url.netloc == own, f"a request left the host: {url.netloc}")

    def until(self, condition, what):
        """Waits by asking: the page's policy forbids text that runs inside it."""
        deadline = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < deadline:
            try:
                if self.page.evaluate(condition):
                    return self.expect(True, what)
            except Error:
                pass  # the page is just being left for another
            time.sleep(0.1)
        return self.expect(False, what)

    def targets(self, where):
        """What is pressed is at least 24 px large (WCAG 2.2, 2.5.8); links in a text are exempt."""
        small = self.page.evaluate("""() => [...document.querySelectorAll('button, select, summary, input:not([type=hidden]), textarea')]
            .filter((node) => node.checkVisibility() && !node.closest('[inert]'))
            .map((node) => [node.id || node.className || node.innerText, node.getBoundingClientRect()])
            .filter(([, { width, height }]) => width > 0 && Math.min(width, height) < 24)
            .map(([name, { width, height }]) => `${name}: ${Math.round(width)} by ${Math.round(height)}`)""")
        self.expect(small == [], f"too small to be pressed {where}: {small[:3]}")

    def axe(self, where):
        self.targets(where)
        for violation in Axe().run(self.page).response["violations"]:
            self.expect(False, f"axe {where}: {violation['id']}: {violation['nodes'][0]['html'][:90]}")

    def run(self):
        self.start()
        self.kinds()
        self.reflow()
        self.sign_in()
        self.channels(has_broker=False)
        self.pages()
        self.places()
        self.sign_out()

    def run_with_broker(self):
        self.sign_in()
        self.channels(has_broker=True)

    def start(self):
        self.page.goto(self.address, wait_until="commit")
        self.page.wait_for_selector("#list > li")
        self.until("() => Boolean(document.querySelector('.maplibregl-canvas, #no-map'))", "neither a map nor a word why there is none")
        self.until("() => /^1–[\\d,]+ of [\\d,]+$/.test(document.querySelector('#list-count').innerText)", "the list does not say how many it holds")
        said = int(re.match(r"1–([\d,]+)", self.page.inner_text("#list-count"))[1].replace(",", ""))
        self.expect(self.page.locator("#list > li").count() == said, f"the list does not hold {said} stories")
        self.page.wait_for_timeout(1_000)
        self.axe("at the start")
        if self.page.locator("#no-map").count() == 0:
            self.keyboard()

    def keyboard(self):
        """Follows the first marker down to a story, with the keyboard alone."""
        self.page.wait_for_selector(".marker[tabindex='0']", state="attached")
        for _ in range(20):
            before = self.page.evaluate("[location.hash, document.querySelector('#list-title').innerText]")
            self.page.locator(".marker[tabindex='0']").first.focus()
            self.page.keyboard.press("Enter")
            self.until(f"() => location.hash !== {before[0]!r} || document.querySelector('#list-title').innerText !== {before[1]!r}", "a dead press on a marker")
            self.page.wait_for_timeout(1_000)
            if self.page.locator("#card").is_visible() or self.page.locator("#back").is_visible():
                break
        else:
            self.expect(False, "no story after twenty presses")
        self.axe("with a story open")

    def kinds(self):
        """A kind that an import added has its name and the shape of all others, in the key, the filters and the list."""
        shape = "?.querySelector('svg.shape')?.outerHTML"
        row = "[...document.querySelectorAll('{}')].find((row) => row.innerText.trim().startsWith('{}'))"
        self.page.goto(self.address + "/?kinds", wait_until="commit")
        self.page.wait_for_selector("#list > li")
        self.page.locator("details.key").evaluate("(key) => { key.open = true; }")
        key = self.page.evaluate(row.format("#key li", "Any other kind") + shape)
        self.expect(key and 'class="shape other"' in key, f"the key has no shape for any other kind: {key}")
        for known in ("Interview", "Photograph", "Document", "Video", "Observation"):
            own = self.page.evaluate(row.format("#key li", known) + shape)
            self.expect(own and own != key, f"the key does not tell {known} from any other kind")
        self.page.goto(self.address + "/?kinds#kind=weaving_pattern", wait_until="commit")
        self.until("() => document.querySelectorAll('#list > li').length === 1", "the new kind does not filter the list")
        self.expect("The loom" in self.page.inner_text("#list"), "the story of the new kind is not in the list")
        listed = self.page.evaluate("document.querySelector('#list > li')" + shape)
        self.expect(listed == key, f"the list shows the new kind in another shape than the key: {listed}")
        self.page.locator("#filter-open").evaluate("(button) => button.click()")
        self.until(f"() => Boolean({row.format('#filters-body li', 'Weaving pattern')})", "the filters do not name the new kind")
        chosen = self.page.evaluate(row.format("#filters-body li", "Weaving pattern") + shape)
        self.expect(chosen == key, f"the filters show the new kind in another shape than the key: {chosen}")

    def reflow(self):
        """At 400 %, nothing needs scrolling in two directions."""
        self.page.set_viewport_size(ZOOMED)
        for path in ("/?zoomed", "/stories", "/walk"):
            self.page.goto(self.address + path)
            self.page.wait_for_selector("h1, h2")
            self.page.wait_for_timeout(1_000)
            wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.expect(wide <= 0, f"{path} is {wide} px too wide at 400 %")
        self.page.set_viewport_size(PHONE)

    def sign_in(self):
        self.page.goto(self.address + "/?in", wait_until="commit")
        self.page.locator("#account").tap()
        self.page.locator("#demo-users button").first.tap()
        self.until("() => !['Sign in', ''].includes(document.querySelector('#account')?.innerText ?? '')", "the demo signs nobody in")
        self.expect(self.page.evaluate("document.cookie") == "", "a script can read the cookie")

    def channels(self, has_broker):
        """A channel at the broker is added with the keyboard alone, where the operator has one."""
        self.page.goto(self.address + "/?channels", wait_until="commit")
        for button in ("#bell", "#settings-open"):
            self.page.wait_for_selector(button)
            self.page.locator(button).focus()
            self.page.keyboard.press("Enter")
        self.page.get_by_role("button", name="Add Webhook").wait_for()
        add = self.page.get_by_role("button", name="Add MQTT")
        self.expect((add.count() == 1) == has_broker, f"{add.count()} buttons add a channel at a broker, which is {'' if has_broker else 'not '}there")
        if not has_broker:
            return
        add.focus()
        self.page.keyboard.press("Enter")
        asked = self.page.evaluate("[document.activeElement.labels?.[0]?.innerText, document.getElementById(document.activeElement.getAttribute('aria-describedby'))?.innerText]")
        self.expect("Name" in (asked[0] or "") and "broker" in (asked[1] or ""), f"the form of a channel does not begin with its name and its hint: {asked}")
        self.axe("with the form of a channel")
        self.page.keyboard.type("Kitchen")
        self.page.keyboard.press("Enter")
        self.until("() => /^waymark\\/out\\/[a-z0-9]{26}$/.test(document.querySelector('#channel-once .secret')?.innerText)", "the topic of a channel is not shown")
        self.until("() => document.activeElement.getAttribute('aria-describedby') === 'channel-once'", "the topic of a channel is not read out")
        self.axe("with the topic of a channel")
        self.page.keyboard.press("Enter")
        self.until("() => !document.getElementById('channel-once') && document.activeElement.matches('.choices > button')", "a noted topic stays, or takes the focus along")
        self.expect(self.page.get_by_role("button", name="Remove: Kitchen").count() == 1, "the channel is not in the list")

    def pages(self):
        self.page.goto(self.address + "/stories")
        first = self.page.locator(".story-list h2 a").first
        title = first.inner_text()
        self.axe("on the list page")
        first.tap()
        self.until("() => location.pathname.length > '/stories/'.length", "a title leads nowhere")
        self.expect(self.page.inner_text("h1") == title, "a story's page has another title")
        self.axe("on a story's page")

    def places(self):
        """Hears a recording from where a place comes up, and confirms a place that a program extracted."""
        self.page.route("**/hum.wav", lambda route: route.fulfill(body=silence(20), content_type="audio/wav"))
        made = self.page.evaluate("""async (story) => {
            const headers = { "Content-Type": "application/json", "Waymark-Page": "1" };
            return (await fetch("/v1/stories", { method: "POST", headers, body: JSON.stringify(story) })).json();
        }""", HEARD)
        self.page.goto(f"{self.address}/stories/{made.get('id')}")
        self.expect(self.page.locator(".further-places li").count() == 1, "the page does not list the place of its story")
        self.axe("on the page of a story with places")
        self.page.get_by_role("link", name="Hear it from 0:07").tap()
        self.until("() => document.querySelector('audio').currentTime >= 7", "the recording does not begin where the place comes up")
        self.expect(self.page.url.endswith(made["id"]), "the link to the recording leaves the page")
        self.page.get_by_role("button", name="Confirm this place").tap()
        self.until("() => document.querySelectorAll('.further-places li').length === 2", "a confirmed place is not in the list")
        self.expect(self.page.locator("[data-waiting]").count() == 0, "a confirmed place still waits")

    def sign_out(self):
        self.page.goto(self.address + "/?out", wait_until="commit")
        self.until("() => !['Sign in', ''].includes(document.querySelector('#account')?.innerText ?? '')", "the session does not last")
        self.page.locator("#account").tap()
        self.page.locator("#sign-out").tap()
        self.until("() => document.querySelector('#account')?.innerText === 'Sign in'", "signing out does not sign out")
        self.expect(self.context.cookies() == [], "signing out leaves a cookie")
        self.expect(self.page.evaluate("localStorage.length + sessionStorage.length") == 0, "signing out leaves something")


def looked_at(browser, address, walk):
    """What a walk through the pages of a service found."""
    check = Check(browser, address)
    try:
        walk(check)
    except Error as error:
        check.expect(False, f"it broke off: {str(error).splitlines()[0]}")
    # Before the service: a page that is still open asks again at once when its stream ends.
    check.context.close()
    return check


def main():
    begun, program = time.monotonic(), sys.argv[1]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        with serving(program, f"{folder}/demo.db", "--demo") as address:
            pathlib.Path(folder, "loom.csv").write_text(NEW_KIND, encoding="utf-8")
            run(program, "import", f"{folder}/loom.csv", "--new-kinds", "--database", f"{folder}/demo.db")
            checks = [looked_at(browser, address, Check.run)]
        # No broker listens there: channels can be made all the same, and their messages wait.
        with serving(program, f"{folder}/broker.db", "--demo", "--mqtt", "mqtt://127.0.0.1:9") as address:
            checks.append(looked_at(browser, address, Check.run_with_broker))
        browser.close()
    count, wrong = sum(check.count for check in checks), [line for check in checks for line in check.wrong]
    print(f"The pages in a browser: {count} checks, {len(wrong)} wrong, {time.monotonic() - begun:.0f} s")
    for line in wrong:
        print(f"  {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
