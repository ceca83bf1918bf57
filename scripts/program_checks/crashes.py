"""A storm of positions against a service that is killed again and again: what is told is as if nothing had happened."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request

from free_port import free_port
from program_checks.parts import part

METRES = 1 / 111_195


class Storm:
    """People in cars, each with two devices that report the same way in small batches, resent until they are answered."""

    def __init__(self, program, folder, people, seed):
        self.program, self.folder, self.seed = program, pathlib.Path(folder), seed
        # What is added to the environment and to the command line of the service.
        self.environment, self.more = {}, ["--quiet"]
        # Two places are told one by one whenever they are decided; more may be told together, so that only the stories count.
        self.people = {f"p{n}": {"latitude": 10 + n * 0.5, "places": 2 if n % 2 == 0 else 6} for n in range(people)}

    def run(self, *arguments):
        command = [self.program, *arguments, "--database", str(self.folder / "world.db")]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout

    def prepare(self):
        rows = ["id,title,lat,lon"]
        for name, person in self.people.items():
            for place in range(person["places"]):
                for story in range(1 + place % 3):
                    longitude = 20 + 500 * METRES * (place + 1)
                    rows.append(f"{name}-{place}-{story},Story {story},{person['latitude']},{longitude + story * 5e-5}")
        (self.folder / "world.csv").write_text("\n".join(rows) + "\n")
        self.run("import", str(self.folder / "world.csv"), "--quiet")
        for name in self.people:
            self.run("users", "add", name)
            self.run("users", "opt-in", name)
            # Unlike a token it does not end when the clock is set forward.
            self.people[name]["token"] = self.run("tokens", "key", "--user", name).split()[0]

    def batches(self, name, device):
        """Four seconds between fixes, eleven metres a second, along all places of the person."""
        person, moved = self.people[name], random.Random(f"{self.seed} {name} {device}")
        steps = int((person["places"] + 1) * 500 / 44)
        # Near enough to each other that both devices are believed, and not twice the same.
        shift = moved.uniform(0, 5)
        fixes = []
        for step in range(steps):
            stamp = self.start + step * 4 + (0.5 if device == "b" else 0)
            text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp)) + f".{int(stamp % 1 * 1000):03}Z"
            fixes.append({"t": text, "lat": person["latitude"], "lon": 20 + (step * 44 + shift) * METRES, "acc": 8})
        return [fixes[i:i + 3] for i in range(0, steps, 3)]

    def serve(self, path, port):
        command = [self.program, "serve", "--database", str(path), "--port", str(port), "--rate-limit", "0", *self.more]
        log = open(path.with_suffix(".log"), "a")
        process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | self.environment)
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                    return process
            except OSError:
                if process.poll() is not None:
                    raise RuntimeError(f"the service ended: {path.with_suffix('.log').read_text()[-400:]}")
                time.sleep(0.05)
        process.kill()
        raise RuntimeError("the service does not get ready")

    def ask(self, port, name, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=json.dumps(body).encode() if body else None)
        request.add_header("Authorization", "Bearer " + self.people[name]["token"])
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.loads(reply.read())

    def report(self, port, name, device, problems):
        pace = random.Random(f"{self.seed} {name} {device} pace")
        sent = []
        for batch in self.batches(name, device):
            again = [pace.choice(sent)] if sent and pace.random() < 0.2 else []
            for fixes in again + [batch]:
                deadline = time.monotonic() + 60
                while True:
                    try:
                        self.ask(port, name, "/v1/fixes", {"device": device, "fixes": fixes})
                        break
                    except (OSError, urllib.error.URLError, ValueError) as error:
                        # Refused, cut off or answered by half: an app sends it again.
                        if isinstance(error, urllib.error.HTTPError) and error.code < 500 or time.monotonic() > deadline:
                            problems.append(f"{name}: {error}")
                            return
                        time.sleep(0.05)
            sent.append(batch)
            time.sleep(pace.uniform(0.05, 0.25))

    def feeds(self, port):
        found = {}
        for name in self.people:
            items, path = [], "/v1/notifications?limit=100"
            for item in self.ask(port, name, path)["notifications"]:
                items.append((item["id"], tuple(sorted(item["content_ids"]))))
            told = self.ask(port, name, "/v1/me/location-data")
            waiting = sum(kind["rows"] for kind in told["kept"] if kind["kind"] == "visits")
            found[name] = {"items": sorted(items), "ledger": told["told_stories"], "waiting": waiting}
        return found

    def weather(self, copy, kills, disturb=None):
        """The feeds in the end, and how often the service was killed.

        `disturb` is called once in the middle with the process and a function that starts another; it returns the process
        that serves afterwards.
        """
        path = self.folder / copy / "world.db"
        shutil.copytree(self.folder / "world.db.keys", self.folder / copy / "world.db.keys")
        shutil.copy(self.folder / "world.db", path)
        port = free_port()
        self.start, problems, killed = int(time.time()) - 330, [], 0
        process = self.serve(path, port)
        try:
            clients = [threading.Thread(target=self.report, args=(port, name, device, problems))
                       for name in self.people for device in "ab"]
            for client in clients:
                client.start()
            chance = random.Random(self.seed)
            while killed < kills and any(client.is_alive() for client in clients):
                time.sleep(chance.uniform(0.05, 0.8))
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
                process = self.serve(path, port)
            if disturb is not None:
                time.sleep(chance.uniform(.5, 2))
                process = disturb(process, lambda: self.serve(path, port))
            for client in clients:
                client.join()
            feeds, deadline = None, time.monotonic() + 40
            while time.monotonic() < deadline:
                before, feeds = feeds, self.feeds(port)
                # The longest wait for another place, and the clock of candidates, and once more.
                if before == feeds and all(feed["waiting"] == 0 for feed in feeds.values()) and self.is_complete(feeds):
                    break
                time.sleep(1)
            return feeds, killed, problems
        finally:
            process.kill()
            process.wait()

    def stories(self, name):
        return sum(1 + place % 3 for place in range(self.people[name]["places"]))

    def is_complete(self, feeds):
        return all(sum(len(content) for _, content in feed["items"]) >= self.stories(name) for name, feed in feeds.items())


@part()
def crashes(here):
    """Kills a service under a storm of positions and compares it with one that is not killed."""
    compare(here.program, here.path, here.check)


def compare(program, folder, check, people=4, kills=3, seed=1):
    """Holds a storm with kills to one without."""
    storm = Storm(program, folder, people, seed)
    storm.prepare()
    for copy in ("calm", "struck"):
        (storm.folder / copy).mkdir()
    calm, _, calm_problems = storm.weather("calm", 0)
    struck, killed, struck_problems = storm.weather("struck", kills)
    check(calm_problems + struck_problems == [], "every report is answered in the end", calm_problems + struck_problems)
    check(killed >= kills * 2 // 3, "the service is killed in the middle", f"{killed} of {kills} times")
    for name, person in storm.people.items():
        for weather, feed in (("calm", calm[name]), ("killed", struck[name])):
            told = [story for _, content in feed["items"] for story in content]
            check(len(told) == len(set(told)), f"{name}, {weather}: nothing is told twice", feed["items"])
            check(len(told) == storm.stories(name) == feed["ledger"], f"{name}, {weather}: nothing is lost", (len(told), feed))
        same = {story for _, content in calm[name]["items"] for story in content} == \
            {story for _, content in struck[name]["items"] for story in content}
        check(same, f"{name}: the same stories are told whether the service is killed or not")
        if person["places"] == 2:
            check(calm[name]["items"] == struck[name]["items"], f"{name}: by the same notifications", (calm[name], struck[name]))
    with contextlib.closing(sqlite3.connect(storm.folder / "struck" / "world.db")) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
        check(found == [("ok",)], "the database is sound afterwards", found)
