"""Live streams of a running service, read by a client of server-sent events that others wrote: sseclient-py."""
import http.client
import json
import threading
import time
import urllib.error
import urllib.request

from program_checks.parts import part
from program_checks.prepared import SSECLIENT


@part(SSECLIENT, alone=True)
def streams(here):
    """Follows the feed and the map live."""
    database = ["--database", "streams.db"]
    here.run("users", "add", "ana", *database)
    here.run("users", "add", "zoe", *database)
    user = here.run("tokens", "key", "--user", "ana", *database).stdout.strip()
    service = here.run("tokens", "key", "--service", "app", *database).stdout.strip()
    with here.serving(*database, "--rate-limit", "0") as (address, _):
        compare(address, here.module(SSECLIENT, "sseclient"), {"Authorization": "Bearer " + user},
                {"Authorization": "Bearer " + service, "Content-Type": "application/json"}, here.check)
        # Somebody still looks on when the service is ended: that must not keep it.
        watching = urllib.request.urlopen(address + "/v1/events?bbox=-85,33,-84,34&zoom=12")
        here.check(watching.readline() != b"", "the map can be watched")
    watching.close()


def request(address, headers=None, body=None, method=None):
    data = json.dumps(body).encode() if body is not None else None
    return urllib.request.Request(address, data=data, headers=headers or {}, method=method)


def ask(address, headers=None, body=None, method=None):
    """Status and JSON of an answer."""
    try:
        with urllib.request.urlopen(request(address, headers, body, method), timeout=30) as reply:
            return reply.status, json.loads(reply.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


class Listener:
    """One stream, followed by a thread of its own."""

    def __init__(self, library, address, headers, last=None):
        fields = dict(headers, Accept="text/event-stream", **({"Last-Event-ID": last} if last else {}))
        self.reply = urllib.request.urlopen(request(address, fields), timeout=60)
        self.events, self.times = [], []
        self.library = library
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def pieces(self):
        while True:
            piece = self.reply.read1(65_536)
            if not piece:
                return
            yield piece

    def follow(self):
        try:
            for event in self.library.SSEClient(self.pieces()).events():
                self.events.append(event)
                self.times.append(time.monotonic())
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return

    def wait(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition(self.events):
                return True
            time.sleep(0.01)
        return False

    def names(self):
        return [event.event for event in self.events]

    def told(self):
        return [json.loads(event.data)["id"] for event in self.events if event.event == "notification"]

    def close(self):
        self.reply.fp.raw._sock.shutdown(2)
        self.thread.join(timeout=5)
        return self.events[-1].id


def compare(address, library, user, service, check):
    """`user` and `service` are the header fields of a user named ana and of a service."""
    stream = address + "/v1/notifications/stream"

    def tell(title):
        status, answer = ask(address + "/v1/notifications", service,
                             {"users": ["ana"], "type": "check.news", "title": title, "body": "Something."})
        check(status == 200, "a backend tells its user", answer)

    listener = Listener(library, stream, user)
    check(listener.wait(lambda events: events), "a stream begins with the badge")
    check(listener.names() == ["badge"], "and with nothing else", listener.names())
    before = json.loads(listener.events[0].data)["unread"]
    begun = time.monotonic()
    tell("First")
    check(listener.wait(lambda events: len(events) == 3), "what is told comes live", listener.names())
    check(listener.times[1] - begun < 2, "within two seconds", listener.times[1] - begun)
    check(json.loads(listener.events[2].data)["unread"] == before + 1, "and the badge with it")
    first = listener.told()
    last = listener.close()
    for title in ["Second", "Third"]:
        tell(title)
    status, ticket = ask(stream + "/ticket", user, method="POST")
    check(status == 201, "a ticket for a client without headers", ticket)
    again = Listener(library, stream + "?ticket=" + ticket["ticket"], {}, last)
    check(again.wait(lambda events: len(events) == 3), "a stream resumes", again.names())
    feed = ask(address + "/v1/notifications?type=check.news", user)[1]["notifications"]
    check(first + again.told() == [item["id"] for item in reversed(feed)], "nothing missed and nothing twice", again.told())
    check(ask(stream + "?ticket=" + ticket["ticket"])[0] == 401, "a ticket is good once")
    check(ask(address + "/v1/notifications/read-all", user, {"before": feed[0]["id"]})[0] == 200, "all are marked as read")
    check(again.wait(lambda events: len(events) == 5), "which every device learns", again.names())
    check(again.names()[3:] == ["read", "badge"], "as read and badge", again.names())
    check(json.loads(again.events[4].data)["unread"] == 0, "with nothing unread")
    others = [Listener(library, stream, user) for _ in range(4)]
    check(ask(stream, user)[0] == 429, "a sixth stream is refused")
    for other in others:
        check(other.wait(lambda events: events), "the others go on")
        other.close()
    again.close()

    view = address + "/v1/events?bbox=10,50,11,51&zoom=9"
    map_view = Listener(library, view, user)
    check(map_view.wait(lambda events: events) and map_view.names() == ["view"], "a map is followed", map_view.names())

    def story(longitude, privacy):
        body = {"kind": "photo", "title": "Live", "privacy": privacy, "location": {"lat": 50.5, "lon": longitude}}
        return ask(address + "/v1/stories", dict(service, **{"Waymark-User": "zoe"}), body)

    story(10.5, "private")
    story(40, "public")
    check(not map_view.wait(lambda events: len(events) > 1, 2.5), "what is not for them or elsewhere shows nothing")
    begun = time.monotonic()
    check(story(10.5, "public")[0] == 201, "a story in view")
    check(map_view.wait(lambda events: len(events) == 2), "is told of")
    check(map_view.names() == ["view", "changed"] and map_view.times[1] - begun < 2, "within two seconds", map_view.names())
    last = map_view.close()
    same = Listener(library, view, user, last)
    check(same.wait(lambda events: events) and same.names() == ["view"], "nothing changed meanwhile", same.names())
    same.close()
    story(10.6, "public")
    other = Listener(library, view, user, last)
    check(other.wait(lambda events: events) and other.names() == ["changed"], "something changed meanwhile", other.names())
    other.close()
