"""Limits before they are reached, the state of the service, and its end."""
import base64
import json
import signal
import socket
import time
import urllib.error
import urllib.request

from program_checks.parts import part
from program_checks.prepared import own_stories


def asked(address, path, headers=None, method="GET", body=None):
    """The status, headers and text of an answer."""
    request = urllib.request.Request(address + path, data=body, headers=headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def made_token(here):
    here.run("users", "add", "eve")
    return here.run("tokens", "issue", "--user", "eve").stdout.split()[-1]


def begun(address, token):
    """A connection on which the body of a request does not arrive."""
    host, port = address.removeprefix("http://").split(":")
    slow = socket.create_connection((host, int(port)))
    slow.sendall(f"POST /v1/stories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                 "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n".encode())
    # It asks for the body, so the request is under way.
    if not slow.recv(100).startswith(b"HTTP/1.1 100 "):
        raise RuntimeError("the service does not ask for the body")
    slow.sendall(b"{")
    return slow


@part(own_stories)
def little_space(here):
    """Refuses new data and says so when less space is free than is wanted, and still deletes; 0 switches it off."""
    here.write("more.csv", "title,lat,lon\nMore,33.7,-84.3\n")
    said = here.run("import", "more.csv", "--refuse-below", "900TB", code=1).stderr
    here.check("MB free" in said and "--refuse-below" in said, "import says how much is free", said)
    here.check("nothing was stored" in said and "run the command again" in said and "507" not in said and "service" not in said,
               "and speaks of the command, not of a service", said)
    here.run("import", "more.csv", "--warn-below", "0", "--refuse-below", "0")
    here.run("import", "more.csv", "--refuse-below", "lots", code=2)
    token = made_token(here)
    with here.serving("--refuse-below", "900TB") as (address, _):
        status, _, text = asked(address, "/readyz")
        here.check(status == 503 and "disk-short" in text, "/readyz is 503 with too little space", text)
        here.check(asked(address, "/v1/stories")[0] == 200, "reading works with too little space")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        body = b'{"kind":"photo","title":"More"}'
        here.check(asked(address, "/v1/stories", headers, "POST", body)[0] == 507, "new data is refused with 507")
    with here.serving("--warn-below", "900TB", "--refuse-below", "0") as (address, _):
        status, _, text = asked(address, "/readyz")
        here.check(status == 200 and "disk-low" in text, "/readyz warns of little space", text)


@part(own_stories)
def empty_database(here):
    """Takes no empty file for a new database, and creates one that is missing."""
    (here / "empty.db").write_bytes(b"")
    for words in (["serve", "--port", "0"], ["stories"], ["users", "add", "eve"]):
        said = here.run(*words, "--database", "empty.db", code=1).stderr
        here.check("0 bytes" in said, f"waymark {words[0]} names an empty file", said)
    here.check((here / "empty.db").stat().st_size == 0, "an empty file stays as it is")
    (here / "waymark.db").write_bytes(b"")
    said = here.run("stories", code=1).stderr
    here.check("Restore" in said, "a database that lost its content is to be restored", said)
    here.run("users", "add", "eve", "--database", "new.db")


@part(own_stories)
def state_of_the_service(here):
    """Shows operators the state of the service, as JSON and as a page that asks for their key."""
    key = here.run("tokens", "key", "--service", "ops", "--scopes", "admin:ops").stdout.split()[0]
    with here.serving() as (address, _):
        bearer = {"Authorization": f"Bearer {key}"}
        status, _, text = asked(address, "/v1/service/status", bearer)
        state = json.loads(text)
        here.check(status == 200 and state["status"] == "ready", "the state of the service", text)
        here.check(state["disk"]["free_bytes"] > 0 and state["disk"]["database_bytes"] > 0, "its disk", text)
        here.check(asked(address, "/v1/service/status")[0] == 401, "the state needs a key")
        status, headers, _ = asked(address, "/service/status")
        here.check(status == 401 and headers["WWW-Authenticate"].startswith("Basic "), "the page asks for a password")
        basic = {"Authorization": "Basic " + base64.b64encode(f"x:{key}".encode()).decode()}
        status, _, text = asked(address, "/service/status", basic | {"Accept-Language": "es"})
        here.check(status == 200 and "Estado del servicio" in text and "<script" not in text, "the page in Spanish", text[:300])


@part(own_stories, alone=True)
def signals(here):
    """Ends on a signal at any time, within the time that it is given, and reads its files again on SIGHUP."""
    token = made_token(here)
    for pause in (0.1, 0.3, 0.6, 1.0):
        server = here.start("serve", "--port", "0", stderr=-3)
        time.sleep(pause)
        server.terminate()
        code = server.wait(timeout=30)
        # Before it handles signals, the system ends it.
        here.check(code in (0, -signal.SIGTERM), f"the service ends {pause} s after its start", code)
    with here.serving("--stop-within", "1s") as (address, server):
        server.send_signal(signal.SIGHUP)
        here.check(asked(address, "/healthz")[0] == 200, "SIGHUP does not end the service")
        with begun(address, token):
            start = time.monotonic()
            server.terminate()
            code, took = server.wait(timeout=30), time.monotonic() - start
            here.check(code == 0 and 0.9 < took < 8, "a body that does not arrive is cut", f"{code} after {took:.1f} s")
    with here.serving("--stop-within", "60s") as (address, server):
        with begun(address, token):
            server.terminate()
            time.sleep(0.3)
            start = time.monotonic()
            server.terminate()
            code, took = server.wait(timeout=30), time.monotonic() - start
            here.check(code == 143 and took < 3, "a second signal ends it at once", f"{code} after {took:.1f} s")
        server.returncode = 0
    here.run("serve", "--stop-within", "soon", code=2)
