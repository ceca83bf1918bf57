"""Signing in to the page with the real program: codes made beside a running service, the cookie, and the demo's users."""
import http.cookiejar
import json
import urllib.error
import urllib.request

from program_checks.parts import part


class Browser:
    """A browser with the page open: keeps cookies and sends what the page sends."""

    def __init__(self, address):
        self.address = address
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def send(self, method, path, body=None, **headers):
        """The status and the body of an answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Waymark-Page": "1", **{name.replace("_", "-"): value for name, value in headers.items()}}
        request = urllib.request.Request(self.address + path, data=data, method=method, headers=headers)
        try:
            with self.opener.open(request) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def user(self):
        return ((self.send("GET", "/v1/session")[1] or {}).get("user") or {}).get("id")


def made(here, *arguments):
    """The code and the link that the command prints."""
    lines = here.run("users", "invite", *arguments).stdout.splitlines()
    words = dict(line.split(" ", 1) for line in lines if " " in line)
    return words["code"], words["link"]


@part()
def signing_in(here):
    """Signs in by codes made before and while the service runs, and signs out; the cookie is good for the page alone."""
    database = ["--database", "signin.db"]
    here.run("users", "add", "ana", "--name", "Ana", *database)
    here.run("families", "add", "whitfield", "--name", "Whitfield", "--owner", "ana", *database)
    before, _ = made(here, "ana", *database)
    for bad in (["archive"], ["ana", "--minutes", "1"], ["ana", "--family", "nobody"], ["no id"], ["ana", "--public-url", "x"],
                ["ana", "--family", "whitfield", "--as", "king"]):
        here.run("users", "invite", *bad, *database, code=2)
    here.run("users", "passkeys", "ana", "--remove", "0" * 32, *database, code=2)
    for bad in (["nobody"], ["ana", "--remove", "nonsense"]):
        here.run("users", "passkeys", *bad, *database, code=2)
    with here.serving(*database) as (address, _):
        here.check(json.loads(here.run("users", "passkeys", "ana", *database).stdout) == [], "passkeys are listed beside the service")
        ana = Browser(address)
        here.check(ana.send("POST", "/v1/session/passkey/challenge")[0] == 409, "at an address of numbers there are no passkeys")
        here.check(ana.user() is None, "nobody is signed in at first")
        status, answer = ana.send("POST", "/v1/session", {"code": before.lower()})
        here.check(status == 201 and answer["user"]["name"] == "Ana", "a code made before the start signs in", answer)
        cookie = next(iter(ana.jar))
        here.check(cookie.has_nonstandard_attr("HttpOnly") and cookie.get_nonstandard_attr("SameSite") == "Lax",
                   "scripts cannot read the cookie")
        here.check(ana.user() == "ana", "the cookie says who it is")
        here.check(ana.send("POST", "/v1/session", {"code": before})[0] == 410, "a code works once")
        code, link = made(here, "dora", "--name", "Aunt Dora", "--family", "whitfield", "--public-url", address, *database)
        here.check(link == f"{address}/#sign-in={code.replace('-', '')}", "the link has the code in its fragment", link)
        dora = Browser(address)
        here.check(dora.send("POST", "/v1/session/code", {"code": code})[1]["family"] == "Whitfield", "a code names its family")
        here.check(dora.send("POST", "/v1/session", {"code": code})[0] == 201, "a code made beside the service signs in")
        families = dora.send("GET", "/v1/families")[1]["families"]
        here.check([family["id"] for family in families] == ["whitfield"], "the code joined the family", families)
        here.check(dora.send("PATCH", "/v1/me", {"name": "D"}, Origin="https://evil.example")[0] == 403,
                   "another page cannot use the cookie")
        here.check(dora.send("PATCH", "/v1/me", {"name": "D"}, Waymark_Page="")[0] == 403, "nor can a form")
        devices = dora.send("GET", "/v1/me/sessions")[1]["sessions"]
        here.check(len(devices) == 1 and devices[0]["current"], "the device is listed", devices)
        stolen = [(cookie.name, cookie.value) for cookie in dora.jar][0]
        here.check(dora.send("DELETE", "/v1/session")[0] == 204 and dora.user() is None and not list(dora.jar), "signing out")
        thief = Browser(address)
        here.check(thief.send("GET", "/v1/me", Cookie="=".join(stolen))[0] == 401, "a cookie kept elsewhere has ended too")
        here.check(Browser(address).send("POST", "/v1/session/email", {"email": "a@example.org"})[0] == 409,
                   "without a mail server no e-mail is offered")
    with here.serving(*database) as (address, _):
        again = Browser(address)
        status, _ = again.send("GET", "/v1/me", Cookie=f"{cookie.name}={cookie.value}")
        here.check(status == 200, "a session outlives a restart", status)
        here.check(again.send("POST", "/v1/session", {"code": before})[0] == 410, "a used code stays used")


@part()
def demo_users(here):
    """Offers the demo's users by a click, and exchanges the tokens that the demo prints."""
    with here.serving("--demo", "--database", "demo.db") as (address, _):
        browser = Browser(address)
        users = browser.send("GET", "/v1/session")[1]["ways"]["demo_users"]
        here.check(len(users) == 3, "the demo offers its three users", users)
        here.check(browser.send("POST", "/v1/session", {"demo_user": users[0]["id"]})[0] == 201, "a click signs in")
        here.check(browser.user() == users[0]["id"], "as that user")
        tokens = json.loads((here.path / "demo.db.demo-tokens.json").read_text())
        other = Browser(address)
        here.check(other.send("POST", "/v1/session", {"token": tokens[users[1]["id"]]})[0] == 201, "a printed token signs in")
        here.check(other.user() == users[1]["id"], "as its user")
        rebound = Browser(address)
        host = "evil.example:" + address.rsplit(":", 1)[1]
        here.check(rebound.send("POST", "/v1/session", {"demo_user": "ana"}, Host=host)[0] == 403,
                   "a foreign name of this machine signs in nobody")
