"""People who write stories, mark them, set their notifications and drive about, resending what is not answered."""
import http.client
import json
import random
import threading
import time
import uuid

from fault_parts.journal import Journal
from fault_parts.world import APART, METRE, SPEED, latitude

# Two settings that are always changed together, so that half a change shows.
SETTINGS = (("full", 100), ("count", 200))
# How far behind the clock a drive begins, and how much faster than it the phone reports until it has caught up.
BEHIND, HASTE = 300, 8


class Worker(threading.Thread):
    """Somebody who asks one thing after the other."""

    def __init__(self, load, name, seed):
        super().__init__(daemon=True)
        self.load, self.user, self.rnd = load, name, random.Random(f"{seed} {name}")
        self.journal, self.connection = Journal(), None

    def once(self, method, path, body=None, headers=None):
        """One attempt: the status and the answer, or 0 when the connection broke."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.load.port, timeout=20)
            data = None if body is None else json.dumps(body)
            fields = {"Authorization": "Bearer " + self.load.key, "Waymark-User": self.user, "Content-Type": "application/json"}
            self.connection.request(method, path, data, fields | (headers or {}))
            answer = self.connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        except (OSError, ValueError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return 0, None

    def insist(self, method, path, body=None, headers=None, fine=()):
        """Asks until there is a definite answer, as an app does; None when the load ends before."""
        while not self.load.over.is_set():
            status, answer = self.once(method, path, body, headers)
            self.load.answers[status] = self.load.answers.get(status, 0) + 1
            if 200 <= status < 300 or status in fine:
                return status, answer
            if status not in (0, 409, 429) and status < 500:
                self.load.problems.append(f"{method} {path} of {self.user} was answered {status}: {answer}")
                return status, answer
            if self.load.gives_up:
                return status, answer
            time.sleep(0.1)
        return None


class Writer(Worker):
    """Writes and changes stories, marks favourites, deletes, and changes settings; reads some of it back."""

    def __init__(self, load, name, seed):
        super().__init__(load, name, seed)
        self.stories, self.count = {}, 0

    def run(self):
        while not self.load.over.is_set():
            chance = self.rnd.random()
            if chance < .35 or not self.stories:
                self.create()
            elif chance < .60:
                self.change()
            elif chance < .70:
                self.publish()
            elif chance < .80:
                self.mark()
            elif chance < .87:
                self.delete()
            elif chance < .94:
                self.set_up()
            else:
                self.read_back()
            if self.load.pause:
                time.sleep(self.rnd.uniform(0, 2 * self.load.pause))

    def settled(self, asked):
        return asked is not None and 200 <= asked[0] < 300

    def create(self):
        self.count += 1
        name, place = f"{self.user} {self.count}", {"lat": 50 + self.rnd.random(), "lon": self.rnd.random()}
        state = {"version": 0, "privacy": self.rnd.choice(("public", "private"))}
        entry = self.journal.begin(("story", name), dict(state))
        body = {"kind": "photo", "title": f"{name} v0", "text": "text v0 " * 40, "location": place, "privacy": state["privacy"]}
        # Without such a key a story that is sent again would be a second one.
        key = {"Idempotency-Key": str(uuid.UUID(int=self.rnd.getrandbits(128)))}
        asked = self.insist("POST", "/v1/stories", body, key)
        if self.settled(asked):
            self.journal.end(entry)
            self.stories[name] = {"id": asked[1]["id"], **state}
        self.load.judge(self, entry, asked)

    def alter(self, name, changed, method, path, body=None, fine=()):
        story = self.stories[name]
        state = {"version": story["version"], "privacy": story["privacy"]} | changed
        entry = self.journal.begin(("story", name), state)
        asked = self.insist(method, f"/v1/stories/{story['id']}{path}", body, fine=fine)
        if self.settled(asked):
            self.journal.end(entry)
            story |= changed
        self.load.judge(self, entry, asked)

    def change(self):
        name = self.rnd.choice(list(self.stories))
        version = self.stories[name]["version"] + 1
        body = {"title": f"{name} v{version}", "text": f"text v{version} " * 40}
        self.alter(name, {"version": version}, "PATCH", "", body)

    def publish(self):
        name = self.rnd.choice(list(self.stories))
        privacy = "private" if self.stories[name]["privacy"] == "public" else "public"
        self.alter(name, {"privacy": privacy}, "PUT", "/privacy", {"privacy": privacy})

    def mark(self):
        name = self.rnd.choice(list(self.stories))
        story = self.stories[name]
        wanted = not story.get("marked", False)
        entry = self.journal.begin(("favourite", name), wanted)
        asked = self.insist("PUT" if wanted else "DELETE", f"/v1/stories/{story['id']}/favourite")
        if self.settled(asked):
            self.journal.end(entry)
            story["marked"] = wanted
        self.load.judge(self, entry, asked)

    def delete(self):
        name = self.rnd.choice(list(self.stories))
        entry = self.journal.begin(("story", name), None)
        # The answer to the first attempt may have been lost with the connection.
        asked = self.insist("DELETE", f"/v1/stories/{self.stories[name]['id']}", fine=(404, 410))
        if asked is not None and (200 <= asked[0] < 300 or asked[0] in (404, 410)):
            self.journal.end(entry)
            del self.stories[name]
        self.load.judge(self, entry, asked)

    def set_up(self):
        wanted = self.rnd.choice(SETTINGS)
        entry = self.journal.begin(("settings", self.user), wanted)
        asked = self.insist("PUT", "/v1/me/notification-settings", {"enabled": True, "preview": wanted[0], "radius": wanted[1]})
        if self.settled(asked):
            self.journal.end(entry)
        self.load.judge(self, entry, asked)

    def read_back(self):
        name = self.rnd.choice(list(self.stories))
        asked = self.insist("GET", f"/v1/stories/{self.stories[name]['id']}")
        if asked and asked[0] == 200:
            found = asked[1].get("properties", asked[1]).get("title")
            if found != f"{name} v{self.stories[name]['version']}" and name not in self.load.unsure:
                self.load.problems.append(f"{name} reads {found!r}, not version {self.stories[name]['version']}")


class Driver(Worker):
    """Drives past places and reports positions in batches; what is not answered is reported again with what follows."""

    def __init__(self, load, number, seed):
        super().__init__(load, f"u{number}", seed)
        self.number, self.origin = number, time.time() - BEHIND
        self.at, self.waiting, self.passed = self.origin, [], 0

    def fix(self, at):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03}Z"
        return {"t": stamp, "lat": latitude(self.number), "lon": 20 + (at - self.origin) * SPEED * METRE, "acc": 8}

    def run(self):
        while not self.load.over.is_set():
            begun = time.time()
            while self.at + 1 < time.time() and len(self.waiting) < HASTE:
                self.at += 1
                self.waiting.append(self.fix(self.at))
            if self.waiting:
                entry = self.journal.begin("notices", ())
                asked = self.insist("POST", "/v1/fixes", {"device": "phone", "fixes": self.waiting})
                if asked is not None and asked[0] == 200:
                    entry.value = tuple(asked[1]["notifications"])
                    self.journal.end(entry)
                    self.passed, self.waiting = (self.at - self.origin) * SPEED, []
                self.load.judge(self, entry, asked)
            time.sleep(max(0.0, 1 - (time.time() - begun)))

    def owed(self):
        """The places that it drove past for certain: 250 metres ago or more."""
        return {f"p{self.number}-{place}" for place in range(int(max(0, self.passed - 250) // APART))}


class Load:
    """All workers; `port` and `key` may be set anew while they run."""

    def __init__(self, port, key, writers, drivers, seed, pause=0.0):
        self.port, self.key, self.pause = port, key, pause
        self.over, self.gives_up, self.problems, self.answers, self.unsure = threading.Event(), False, [], {}, set()
        self.writers = [Writer(self, f"w{n}", seed) for n in range(writers)]
        self.drivers = [Driver(self, n, seed) for n in range(drivers)]
        self.judge = lambda worker, entry, asked: None

    def begin(self):
        for worker in self.writers + self.drivers:
            worker.start()

    def end(self):
        self.over.set()
        for worker in self.writers + self.drivers:
            if worker.ident is not None:
                worker.join(30)

    def acknowledged(self):
        return sum(entry.acked is not None for worker in self.writers + self.drivers for entry in worker.journal.entries)
