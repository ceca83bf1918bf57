"""Drives Firefox by WebDriver BiDi, spoken to the browser itself: no driver between, so Debian's package is enough."""
import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time

from websockets.sync.client import connect

PATIENCE = 60  # seconds
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Shift": "\ue008"}
# A first start asks and fetches nothing; the map is drawn by the processor where there is no graphics card.
PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False, "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.enabled": False, "app.normandy.enabled": False, "browser.safebrowsing.update.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "extensions.getAddons.cache.enabled": False, "services.settings.server": "http://127.0.0.1:9/", "webgl.force-enabled": True,
    "webgl.disable-fail-if-major-performance-caveat": True, "remote.active-protocols": 1, "ui.prefersReducedMotion": 1,
    "dom.disable_beforeunload": True, "dom.push.connection.enabled": False,
}


class Refused(Exception):
    """Firefox refused a command, or a script in the page failed."""


def firefox_path():
    return next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)


@contextlib.contextmanager
def screen():
    """A screen that nobody sees: without one Firefox draws no WebGL, so no map. Headless where there is no Xvfb."""
    if not shutil.which("Xvfb"):
        yield {"MOZ_HEADLESS": "1"}
        return
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield {"DISPLAY": ":" + server.stdout.readline().strip(), "LIBGL_ALWAYS_SOFTWARE": "1"}
    finally:
        server.terminate()
        server.wait(20)


@contextlib.contextmanager
def firefox():
    """A session with a new Firefox and a new profile."""
    with screen() as environment, started(environment) as session:
        yield session


@contextlib.contextmanager
def started(environment):
    with tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as profile:
        with open(f"{profile}/user.js", "w", encoding="utf-8") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        process = subprocess.Popen(
            [firefox_path(), "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
            env=os.environ | environment | {"HOME": profile})
        try:
            with connect(address(process) + "/session", max_size=None, open_timeout=PATIENCE) as socket:
                yield Session(socket)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def address(process):
    deadline = time.monotonic() + PATIENCE
    for line in process.stderr:
        if "WebDriver BiDi listening on" in line:
            return line.split(" on ", 1)[1].strip()
        if time.monotonic() > deadline:
            break
    raise Refused("Firefox does not say where it can be driven.")


class Session:
    """Commands to one Firefox, and the events that it reports."""

    def __init__(self, socket):
        self.socket, self.number, self.events = socket, 0, []
        self.capabilities = self.send("session.new", {"capabilities": {}})["capabilities"]
        self.send("session.subscribe", {"events": ["log.entryAdded", "network.beforeRequestSent"]})

    def send(self, method, parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=PATIENCE))
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise Refused(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]
            if answer.get("type") == "event":
                self.events.append(answer)

    def page(self, width, height):
        context = self.send("browsingContext.create", {"type": "tab"})["context"]
        self.send("browsingContext.setViewport", {"context": context, "viewport": {"width": width, "height": height}})
        return Page(self, context)


class Page:
    def __init__(self, session, context):
        self.session, self.context = session, context

    def goto(self, url):
        self.session.send("browsingContext.navigate", {"context": self.context, "url": url, "wait": "interactive"})

    def evaluate(self, function, *values):
        """Calls a function of the page with JSON values and returns its JSON value."""
        result = self.session.send("script.callFunction", {
            "functionDeclaration": f"async (text) => JSON.stringify((await ({function})(...JSON.parse(text))) ?? null)",
            "arguments": [{"type": "string", "value": json.dumps(values)}], "awaitPromise": True,
            "target": {"context": self.context}, "userActivation": True})
        if result["type"] == "exception":
            raise Refused(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def until(self, function, *values, patience=PATIENCE):
        """Whether a condition holds in the page before long."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                if self.evaluate(function, *values):
                    return True
            except Refused:
                pass  # the page is just being left for another
            time.sleep(0.1)
        return False

    def press(self, *keys):
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.session.send("input.performActions", {"context": self.context, "actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def type(self, text):
        self.press(*text)

    def point(self, selector):
        """The middle of an element, once it is in view."""
        return self.evaluate("""selector => {
            const node = document.querySelector(selector);
            node.scrollIntoView({ block: "nearest" });
            const { x, y, width, height } = node.getBoundingClientRect();
            return [Math.round(x + width / 2), Math.round(y + height / 2)];
        }""", selector)

    def tap(self, selector, touch=False):
        x, y = self.point(selector)
        moves = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.session.send("input.performActions", {"context": self.context, "actions": [
            {"type": "pointer", "id": "finger" if touch else "mouse", "parameters": {"pointerType": "touch" if touch else "mouse"}, "actions": moves}]})

    def screenshot(self, path):
        data = self.session.send("browsingContext.captureScreenshot", {"context": self.context})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
