"""A running service and a real endpoint: proven first, told once and signed, tried again, and quiet when asked to be."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import threading
import time

from program_checks.devices import ask
from program_checks.parts import part
from program_checks.prepared import walker

PLACE = (33.7554, -84.3736)


class Endpoint:
    """A webhook's end on this machine; says what came, and fails as often as it is told to."""

    def __init__(self):
        self.came, self.failures, self.refuses, self.lock = [], 0, False, threading.Lock()
        # Which path each message came to, by its id.
        self.paths = {}
        end = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                message = json.loads(body)
                with end.lock:
                    end.came.append((time.time(), dict(self.headers), body, message))
                    end.paths[self.headers["webhook-id"]] = self.path.strip("/")
                    status = 200
                    if message["type"] != "endpoint.verification" and end.failures > 0:
                        end.failures, status = end.failures - 1, 500
                    if message["type"] != "endpoint.verification" and end.refuses:
                        status = 400
                answer = json.dumps({"challenge": message["data"].get("challenge")}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 512

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, kind):
        with self.lock:
            return [came for came in self.came if came[3]["type"] == kind]

    def wait(self, kind, count, seconds=30):
        """Everything of a type that came, once there is so much of it."""
        end = time.time() + seconds
        while time.time() < end and len(self.of(kind)) < count:
            time.sleep(0.05)
        return self.of(kind)


    def close(self):
        self.server.shutdown()
        self.server.server_close()


@part(walker)
def deliveries(here):
    """Follows notifications on their way to a real endpoint."""
    with contextlib.closing(Endpoint()) as endpoint:
        deliver(here, endpoint)


def deliver(here, endpoint):
    database = ["--database", "walker.db"]
    key = here.run("tokens", "key", "--user", "ben", *database).stdout.strip()
    service = here.run("tokens", "key", "--service", "backend", *database).stdout.strip()
    operator = here.run("tokens", "key", "--service", "watch", "--scopes", "admin:ops", *database).stdout.strip()
    url = f"url=http://127.0.0.1:{endpoint.port}/test"
    here.run("notify", "test", "webhook", url, code=1)
    here.check(endpoint.came == [], "a private address is not dialled without leave")
    tried = here.run("notify", "test", "webhook", url, *options(endpoint)).stdout
    here.check("status 200" in tried and len(endpoint.of("channel.test")) == 1, "a channel can be tried out", tried)
    here.run("notify", "test", "fax", code=2)
    with here.serving(*database, "--rate-limit", "0", *options(endpoint)) as (address, _):
        compare(address, key, service, endpoint, here.check)
        listed = here.json("outbox", "list", "--format", "json", *database)
        here.check(listed == [], "a removed channel takes its entries with it", listed)
        here.run("outbox", "replay", "1", *database, code=2)
        replayed(address, key, service, operator, endpoint, here.check)
    with here.serving(*database, "--rate-limit", "0") as (address, _):
        guarded(address, key, endpoint, here.check)
        vouched(here, database)
    dead = here.json("outbox", "list", "--state", "dead", "--format", "json", *database)
    here.check(len(dead) > 0 and {entry["reason"] for entry in dead} == {"bad_message"}, "dead letters say why", dead)
    here.run("outbox", "replay", dead[0]["number"], *database)
    here.run("outbox", "replay", "999999", *database, code=2)


def is_signed(came, secret):
    """Whether a message is signed after Standard Webhooks with this secret."""
    _, headers, body, _ = came
    fields = {name.lower(): value for name, value in headers.items()}
    text = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
    code = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), text, hashlib.sha256).digest()
    return "v1," + base64.b64encode(code).decode() in fields["webhook-signature"].split()


def walk(address, key, latitude=PLACE[0]):
    """A person with their telephone comes to a place; returns when the decisive position was sent."""
    now = time.time()
    fixes = [{"t": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - s)), "lat": latitude, "lon": PLACE[1], "acc": 8}
             for s in (24, 18, 12, 6, 0)]
    ask(address + "/v1/fixes", key, {"device": "phone", "fixes": fixes})
    return now


def options(endpoint):
    """What lets a service on this machine reach the endpoint."""
    return ["--allow-http", "--allow-range", "127.0.0.0/8", "--allow-port", str(endpoint.port)]


def compare(address, key, service, endpoint, check):
    """Nearby stories, the backend's own messages, an end that fails, and opting out."""
    url = f"http://127.0.0.1:{endpoint.port}/hook"
    status, made = ask(address + "/v1/me/channels", key, {"kind": "webhook", "target": {"url": url}})
    made = json.loads(made)
    check(status == 201 and made["state"] == "unproven", "a webhook has to prove itself", made)
    challenge = endpoint.wait("endpoint.verification", 1)
    check(len(challenge) == 1 and is_signed(challenge[0], made["secret"]), "the challenge comes, signed")
    again = json.loads(ask(address + "/v1/me/channels", key, {"kind": "webhook", "target": {"url": url}})[1])
    check(again["id"] == made["id"] and "secret" not in again, "the same end is not a second channel", again)

    sent = walk(address, key)
    near = endpoint.wait("story.nearby", 1)
    check(len(near) == 1 and is_signed(near[0], made["secret"]), "a place is told to the webhook, signed")
    check(near and near[0][0] - sent < 30, "within 30 seconds", near and near[0][0] - sent)
    feed = json.loads(ask(address + "/v1/notifications", key)[1])["notifications"]
    check(near and [item["id"] for item in feed] == [near[0][3]["data"]["id"]], "under the id that the feed has", feed)
    check(near and str(PLACE[1]) not in near[0][2].decode(), "no position is in it")

    endpoint.failures = 1
    told = {"users": ["ben"], "type": "comment.new", "title": "A comment", "key": "1"}
    check(ask(address + "/v1/notifications", service, told)[0] == 200, "a backend tells something")
    check(json.loads(ask(address + "/v1/notifications", service, told)[1])["told_before"] == ["ben"], "and only once")
    tries = endpoint.wait("comment.new", 2)
    ids = {came[3]["data"]["id"] for came in tries}
    check(len(tries) == 2 and len(ids) == 1, "an end that failed gets it again under the same id", len(tries))

    ask(address + "/v1/me/notification-settings", key, {"enabled": False}, method="PUT")
    walk(address, key)
    ask(address + "/v1/me/notification-settings", key, {"channels": {"webhook": False}}, method="PUT")
    ask(address + "/v1/notifications", service, told | {"key": "2"})
    time.sleep(1)
    check(len(endpoint.of("story.nearby")) == 1 and len(endpoint.of("comment.new")) == 2, "what is switched off is not sent")
    check(ask(f"{address}/v1/me/channels/{made['id']}", key, method="DELETE")[0] == 204, "a channel can be removed")


def guarded(address, key, endpoint, check):
    """Without the operator's leave nothing on this machine is dialled, however it is spelt."""
    before = len(endpoint.came)
    names = ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]
    for name in names:
        for scheme in ("http", "https"):
            target = {"url": f"{scheme}://{name}:{endpoint.port}/hook"}
            status, body = ask(address + "/v1/me/channels", key, {"kind": "webhook", "target": target})
            check(status == 422 and b"target.url" in body, "an address that is never dialled is rejected", (name, body))
    # What a name leads to is nobody's business: it is taken, and never proven.
    target = {"url": "https://localhost/hook"}
    made = json.loads(ask(address + "/v1/me/channels", key, {"kind": "webhook", "target": target})[1])
    time.sleep(2)
    channels = json.loads(ask(address + "/v1/me/channels", key)[1])["channels"]
    states = [channel["state"] for channel in channels if channel["id"] == made["id"]]
    check(states == ["unproven"], "no such channel is proven", channels)
    check(len(endpoint.came) == before, "no private address is dialled", endpoint.came)


def vouched(here, database):
    """The operator vouches for an endpoint that answers no challenge, while the service runs."""
    unproven = here.json("channels", "list", "--state", "unproven", "--format", "json", *database)
    here.check(len(unproven) == 1 and unproven[0]["user"] == "ben", "the list shows what is not proven", unproven)
    channel = unproven[0]["id"]
    here.run("channels", "vouch", channel, "--host", "other.example.org", *database, code=2)
    here.run("channels", "vouch", "0" * 32, "--host", "localhost", *database, code=2)
    here.run("channels", "vouch", channel, "--host", "localhost", *database)
    left = here.json("channels", "list", "--state", "unproven", "--format", "json", *database)
    here.check(left == [], "what the operator vouches for is active", left)


def until(test, seconds=15):
    """What the test returns as soon as that is anything, or in the end."""
    end = time.time() + seconds
    while not (found := test()) and time.time() < end:
        time.sleep(0.2)
    return found


def replayed(address, key, service, operator, endpoint, check):
    """An operator finds dead letters beside the service at work, and has them sent again; nobody else does."""
    url = f"http://127.0.0.1:{endpoint.port}/refusing"
    ask(address + "/v1/me/notification-settings", key, {"channels": {"webhook": True}}, method="PUT")
    made = json.loads(ask(address + "/v1/me/channels", key, {"kind": "webhook", "target": {"url": url}})[1])
    channel = f"{address}/v1/me/channels"
    state = lambda: [one["state"] for one in json.loads(ask(channel, key)[1])["channels"] if one["id"] == made["id"]]
    check(until(lambda: state() == ["active"]), "a second webhook is proven", state())
    endpoint.refuses = True
    told = {"users": ["ben"], "type": "comment.new", "title": "A comment", "key": "3"}
    check(ask(address + "/v1/notifications", service, told)[0] == 200, "a backend sends what the endpoint refuses")
    path = address + "/v1/service/outbox"
    check(ask(path, key)[0] == 403, "the outbox is for operators")
    entries = until(lambda: json.loads(ask(path + "?state=dead", operator)[1])["entries"])
    check(entries, "what an endpoint refuses is a dead letter")
    number = entries[0]["number"]
    check("127.0.0.1" not in json.dumps(entries) and "ben" not in json.dumps(entries), "it names nobody", entries)
    check(ask(path + "/replay", operator, {"entries": [number]})[0] == 200, "a dead letter is replayed")
    tried = 1
    end = time.time() + 10
    while time.time() < end and tried < 2:
        time.sleep(0.2)
        tried = len(json.loads(ask(f"{path}/{number}", operator)[1])["tries"])
    again = json.loads(ask(f"{path}/{number}", operator)[1])
    check(again["state"] == "dead" and tried >= 2 and again["reason"] == entries[0]["reason"], "and tried again", again)
    endpoint.refuses = False
