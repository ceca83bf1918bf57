"""The service: its demo, its development mode, the options it starts with, and edits over HTTP."""
import json
import os
import socket
import urllib.request

from program_checks.folder import get, status_of
from program_checks.parts import part
from program_checks.prepared import OWN_STORIES


@part()
def demo(here):
    """Serves the demo over HTTP; a second writer is refused while it runs."""
    here.write("own.csv", OWN_STORIES)
    with here.serving("--demo", "--database", "demo.db") as (address, _):
        tokens = json.loads((here / "demo.db.demo-tokens.json").read_text())
        here.check(oct(os.stat(here / "demo.db.demo-tokens.json").st_mode & 0o777) == "0o600",
                   "the demo's tokens are for their owner alone")
        counts = {}
        for user in [None, *tokens]:
            headers = {"Authorization": f"Bearer {tokens[user]}"} if user else {}
            counts[user] = get(address + "/v1/stories", headers)["numberMatched"]
        here.check(counts[None] < counts["cora"] and counts["ben"] > counts[None], "each demo user sees their own", counts)
        with urllib.request.urlopen(urllib.request.Request(address + "/", headers={"Accept": "text/html"})) as page:
            here.check(b"Waymark" in page.read() and "default-src 'self'" in page.headers["Content-Security-Policy"], "the page is served")
        here.check(get(address + "/openapi.json")["openapi"] == "3.1.0", "the service describes itself")
        for path, status in [("/v1/stories?x=1", 400), ("/v1/stories/x", 404), ("/v1/notifications", 401), ("/nope", 404)]:
            here.check(status_of(address + path) == status, path)
        here.check(here.json("stories", "--database", "demo.db")["numberMatched"] == counts[None],
                   "reading commands work beside a running service")


@part()
def start_options(here):
    """Checks options before a port is opened or a database made."""
    database = ["--database", "started.db"]
    here.run("users", "add", "ana", *database)
    here.write("keys.json", '{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}')
    issuer = ["--issuer", "https://id.example.org", "--audience", "stories"]
    error = here.run("serve", "--port", "0", "--jwks", "keys.json", *issuer, *database, code=2).stderr
    here.check("keys.json: keys[0]" in error, "the error names the file and the key", error)
    here.run("serve", "--jwks", "keys.json", *database, code=2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        error = here.run("serve", "--port", port, "--jwks", "missing.json", *issuer, "--database", "unmade.db", code=2).stderr
    here.check("--jwks" in error and "missing.json" in error, "options are checked before the port is opened", error)
    here.check(not (here / "unmade.db").exists(), "and before a database is made")
    for host in ("0.0.0.0", "::", "0"):
        error = here.run("serve", "--host", host, "--trusted-proxy", "--port", "0", "--database", "links.db", code=2).stderr
        here.check("--public-url https://" in error, "links must lead somewhere", error)


@part()
def development_mode(here):
    """Serves a developer, alone, and says so in every answer."""
    here.run("users", "add", "ana", "--database", "others.db")
    here.run("serve", "--dev", "--database", "others.db", code=2)
    here.run("serve", "--dev", "--host", "0.0.0.0", "--trusted-proxy", "--database", "dev.db", code=2)
    here.run("serve", "--dev", "--demo", "--database", "dev.db", code=2)
    with here.serving("--dev", "--database", "dev.db") as (address, server):
        word, user, token = server.stdout.readline().split()
        here.check((word, user) == ("token", "dev"), "the development mode prints a token")
        request = urllib.request.Request(address + "/v1/me", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as answer:
            here.check(answer.headers["X-Dev-Mode"] == "1" and json.load(answer)["id"] == "dev", "and marks every answer")


@part()
def locations(here):
    """Puts a location in the place of another, often enough that a rare crash shows."""
    database = ["--database", "locations.db"]
    here.run("users", "add", "ana", *database)
    for _ in range(3):
        with here.serving(*database, "--rate-limit", "0") as (address, _):
            token = here.run("tokens", "issue", "--user", "ana", *database).stdout.strip()
            headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}

            def send(method, path, body):
                asked = urllib.request.Request(address + path, json.dumps(body).encode(), headers, method=method)
                with urllib.request.urlopen(asked) as answer:
                    return answer.status, json.load(answer)

            place = {"lat": 33.75, "lon": -84.38}
            made = send("POST", "/v1/stories", {"kind": "photo", "title": "T", "location": place})[1]
            for step in range(1, 21):
                place["lat"] = 33.75 + step / 1000
                status, story = send("PUT", f"/v1/stories/{made['id']}/location", place)
                here.check(status == 200 and story["location"]["lat"] == place["lat"], "a location is put in place", status)
