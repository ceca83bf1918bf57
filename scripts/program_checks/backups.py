"""Backups beside a service that is written to: each restores what was acknowledged, and damaged ones are refused."""
import hashlib
import json
import pathlib
import random
import re
import shutil
import sqlite3
import stat
import threading
import time
import urllib.request

from program_checks.folder import get
from program_checks.parts import part
from program_checks.prepared import own_stories

WRITERS, STORIES, BATCH = 4, 500, 50
# Batches of changes are let through one at a time; the rest of a thousand writes a second are positions, which are kept.
WALKERS, FIXES = 2, 100
PASSPHRASE = "correct horse battery staple"


class Writer(threading.Thread):
    """Changes its own stories over and over, in batches, and knows what was sent and what was acknowledged."""

    def __init__(self, address, token, number, rate):
        super().__init__(daemon=True)
        self.address, self.token, self.number, self.pause = address, token, number, BATCH / rate
        self.sent, self.acknowledged = [0] * STORIES, [0] * STORIES
        self.writes, self.failure, self.ends = 0, None, threading.Event()

    def send(self, items):
        body = json.dumps({"items": items}).encode()
        request = urllib.request.Request(f"{self.address}/v1/stories/batch", body, {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            outcomes = json.load(answer)["items"]
        wrong = [outcome for outcome in outcomes if outcome["outcome"] not in ("created", "updated")]
        if wrong:
            raise RuntimeError(f"a write was refused: {wrong[0]}")

    def item(self, story, version):
        name = f"w{self.number}-{story}"
        fields = {"title": f"{name} version {version}", "text": "x" * (version * 7 % 300)}
        if version == 1:
            fields |= {"kind": "photo", "privacy": "public", "location": {"lat": story / 10, "lon": self.number}}
            return {"op": "create", "client_id": name, "story": fields}
        return {"op": "update", "client_id": name, "story": fields}

    def run(self):
        try:
            start, version = time.monotonic(), 0
            while not self.ends.is_set():
                version += 1
                for first in range(0, STORIES, BATCH):
                    part_of = range(first, first + BATCH)
                    for story in part_of:
                        self.sent[story] = version
                    self.send([self.item(story, version) for story in part_of])
                    for story in part_of:
                        self.acknowledged[story] = version
                    self.writes += BATCH
                    late = time.monotonic() - start - self.writes / BATCH * self.pause
                    if self.ends.wait(max(0, -late)):
                        return
        except Exception as error:
            self.failure = error


class Walker(threading.Thread):
    """Reports positions that the service keeps, in batches, and knows how many were sent and acknowledged."""

    def __init__(self, address, token, number, rate):
        super().__init__(daemon=True)
        self.address, self.token, self.number, self.rate = address, token, number, rate
        self.sent, self.acknowledged, self.failure, self.ends = 0, 0, None, threading.Event()

    def post(self, path, method, body):
        request = urllib.request.Request(f"{self.address}{path}", json.dumps(body).encode(), {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status

    def fix(self, start, number):
        stamp = start + number / self.rate
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp)) + f".{int(stamp % 1 * 1000):03}Z"
        return {"t": text, "lat": 30 + self.number + number * 1e-7, "lon": -80 + number % 7 * 1e-6, "acc": 8}

    def run(self):
        try:
            start, began = time.time(), time.monotonic()
            while not self.ends.is_set():
                first = self.sent
                self.sent += FIXES
                self.post("/v1/fixes", "POST", {
                    "device": f"phone{self.number}", "fixes": [self.fix(start, first + step) for step in range(FIXES)]})
                self.acknowledged += FIXES
                late = time.monotonic() - began - self.acknowledged / self.rate
                if self.ends.wait(max(0, -late)):
                    return
        except Exception as error:
            self.failure = error


def positions(database):
    """The number of positions kept in a database, by their device."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return dict(connection.execute("SELECT device, count(*) FROM fixes GROUP BY device"))
    finally:
        connection.close()


def versions(database):
    """The version of every story in a database, by its name."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT client_id, title FROM stories WHERE client_id LIKE 'w%'").fetchall()
        return {name: int(title.rsplit(" ", 1)[1]) for name, title in rows}
    finally:
        connection.close()


def damaged(original, chance):
    """An archive damaged in every way: its name, its bytes."""
    position = chance.randrange(len(original))
    flipped = bytearray(original)
    flipped[position] ^= 1 << chance.randrange(8)
    later = bytearray(original)
    later[17] = 2
    later[120:128] = hashlib.sha256(later[:120]).digest()[:8]
    yield "truncated", original[:chance.randrange(len(original))]
    yield f"flipped at {position}", bytes(flipped)
    yield "of a later version", bytes(later)
    yield "with something after it", original + b"\0"


class Round:
    """Backups of one service, numbered from 0; each is restored and compared."""

    def __init__(self, here, address, token, rate, seed):
        self.here, self.chance = here, random.Random(seed)
        here.write("passphrase", PASSPHRASE + "\n")
        here.write("wrong", PASSPHRASE + "r\n")
        for folder in ("out", "places"):
            (here / folder).mkdir()
        # A fifth of the writes change stories.
        self.writers = [Writer(address, token, number, rate / 5 / WRITERS) for number in range(WRITERS)]
        self.walkers = [Walker(address, token, number, rate * 4 / 5 / WALKERS) for number in range(WALKERS)]
        self.walkers[0].post("/v1/me/notification-settings", "PUT", {"enabled": True, "keep_fixes_days": 7})
        self.times, self.refused, self.tried = {"backup": [], "restore": []}, 0, 0
        self.bytes = 0

    def timed(self, what, *arguments):
        start = time.monotonic()
        self.here.run(*arguments)
        self.times[what].append(time.monotonic() - start)

    def wait_for_stories(self):
        deadline = time.monotonic() + 120
        while any(min(writer.acknowledged) < 1 and writer.failure is None for writer in self.writers):
            if time.monotonic() > deadline:
                raise RuntimeError("the stories are not written")
            time.sleep(0.05)

    def back_up(self, number):
        here, sealed = self.here, number % 2 == 0
        seal = ["--passphrase-file", "passphrase"] if sealed else []
        file, place = here / "out" / f"{number}.waymark-backup", here / "places" / f"{number}.db"
        before = [list(writer.acknowledged) for writer in self.writers]
        walked_before = [walker.acknowledged for walker in self.walkers]
        self.timed("backup", "backup", file, *seal)
        after = [list(writer.sent) for writer in self.writers]
        walked_after = [walker.sent for walker in self.walkers]
        self.bytes = file.stat().st_size
        if not sealed:
            # Its keys and the list of erasures are kept apart; without the list it would be refused as an old copy.
            shutil.copytree(here / "waymark.db.keys", f"{place}.keys")
        self.timed("restore", "restore", file, "--database", place, *seal)
        found = versions(place)
        right = all(
            before[writer][story] <= found.get(f"w{writer}-{story}", 0) <= after[writer][story]
            for writer in range(WRITERS) for story in range(STORIES))
        here.check(right, f"backup {number} restores what was acknowledged before it, and nothing that was never sent")
        kept = [positions(place).get(f"phone{number}", 0) for number in range(WALKERS)]
        right = all(first <= count <= last for first, count, last in zip(walked_before, kept, walked_after))
        here.check(right, f"backup {number} restores the positions", f"{walked_before} {kept} {walked_after}")
        if number % 10 == 0:
            self.damage(file, place, sealed, seal)
        for left in [file, place, *place.parent.glob(f"{number}.db*")]:
            if left.is_file():
                left.unlink()

    def damage(self, file, place, sealed, seal):
        here, kept = self.here, place.read_bytes()
        bad = here / "out" / "damaged.waymark-backup"
        attempts = [(name, data, seal) for name, data in damaged(file.read_bytes(), self.chance)]
        if sealed:
            attempts += [("without its passphrase", file.read_bytes(), []),
                         ("with a wrong passphrase", file.read_bytes(), ["--passphrase-file", "wrong"])]
        else:
            attempts += [("with a passphrase that it has not", file.read_bytes(), ["--passphrase-file", "passphrase"])]
        for name, data, options in attempts:
            bad.write_bytes(data)
            for command in (["backup", "verify", bad], ["restore", bad, "--database", place]):
                done = here.finish(*command, *options)
                self.tried += 1
                refuses = done.returncode in (1, 2) and len(done.stderr.strip()) > 0 and "rror" not in done.stderr[:6]
                self.refused += refuses
                here.check(refuses, f"{command[0]} refuses a backup {name}", f"{done.returncode} {done.stderr[-300:]}")
        here.check(place.read_bytes() == kept, "refused backups leave the database alone")
        bad.unlink()

    def figures(self, seconds):
        writes = sum(writer.writes for writer in self.writers) + sum(walker.acknowledged for walker in self.walkers)
        lines = [f"{len(self.times['backup'])} backups beside {writes / seconds:.0f} writes a second, the last of "
                 f"{self.bytes / 1e6:.1f} MB; {self.refused} of {self.tried} damaged ones refused"]
        for what, times in self.times.items():
            times = sorted(times)
            lines.append(f"{what}: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s")
        return lines


def compare(here, count, rate=1_000, seed=1):
    """Makes `count` backups while the service takes `rate` writes a second, restores each, and returns figures."""
    here.run("users", "add", "ana")
    here.run("users", "opt-in", "ana")
    token = here.run("tokens", "issue", "--user", "ana").stdout.split()[-1]
    with here.serving("--rate-limit", "0") as (address, _):
        made = Round(here, address, token, rate, seed)
        for writer in made.writers:
            writer.start()
        made.wait_for_stories()
        start, before = time.monotonic(), sum(writer.writes for writer in made.writers)
        for walker in made.walkers:
            walker.start()
        for number in range(count):
            made.back_up(number)
        seconds = time.monotonic() - start
        for writer in made.writers:
            writer.writes -= before // WRITERS
            writer.ends.set()
        for walker in made.walkers:
            walker.ends.set()
        for writer in made.writers + made.walkers:
            writer.join(timeout=60)
            here.check(writer.failure is None, "the service takes every write", writer.failure)
    left = [path.name for path in here.path.iterdir() if "work" in path.name or "partial" in path.name]
    here.check(left == [] and list((here / "out").iterdir()) == [], "nothing is left behind", left)
    return made.figures(seconds)


@part(alone=True)
def backups_under_writes(here):
    """Makes three backups beside a service that is written to, restores each, and refuses damaged ones."""
    for line in compare(here, 3):
        print(f"  {line}")


@part(own_stories)
def backup_and_restore(here):
    """Backs up and restores as an operator does, and brings nothing back that was erased since."""
    here.write("passphrase", PASSPHRASE + "\n")
    (here / "out").mkdir()
    here.run("users", "add", "ana")
    here.run("import", "own.csv", "--owner", "ana")
    made = here.run("backup", "out", "--passphrase-file", "passphrase")
    file = pathlib.Path(made.stdout.strip())
    here.check(re.fullmatch(r"waymark-\d{8}-\d{6}\.waymark-backup", file.name) is not None, "a backup has a name with its time", file.name)
    here.check(stat.S_IMODE(file.stat().st_mode) == 0o600, "only its owner reads a backup")
    plain = here.run("backup", "plain.waymark-backup").stderr
    here.check("no keys" in plain, "a backup that is not sealed says that it has no keys", plain)
    here.run("backup", "plain.waymark-backup", code=2)
    here.run("backup", "nowhere/x", code=2)
    here.check("14 stories" in here.run("backup", "verify", file, "--passphrase-file", "passphrase").stdout, "verify counts stories")
    error = here.run("backup", "verify", file, code=2).stderr
    here.check("--passphrase-file" in error, "a sealed backup asks for its passphrase", error)
    here.check("not a backup" in here.run("restore", "own.csv", code=2).stderr, "something else is no backup")

    here.run("erase", "--user", "ana", "--yes")
    with here.serving():
        error = here.run("restore", file, "--passphrase-file", "passphrase", code=1).stderr
        here.check("in use" in error, "nothing is restored under a running service", error)
    done = here.run("restore", file, "--passphrase-file", "passphrase")
    here.check("was restored" in done.stdout and "before-restore" in done.stderr, "restore says what it did", done.stdout + done.stderr)
    here.check('"ana"' not in here.run("users", "list").stdout, "an erased account does not come back")
    here.check(here.json("stories", "--owner", "ana")["numberMatched"] == 0, "stories of an erased account do not come back")
    here.check(here.json("stories")["numberMatched"] == 7, "the other stories come back")
    kept = [path for path in here.path.iterdir() if ".before-restore-" in path.name]
    here.check(len(kept) == 1 and (kept[0] / "waymark.db").exists(), "the database before is kept", kept)

    # On a machine that has only the backup.
    here.run("restore", file, "--passphrase-file", "passphrase", "--database", "new.db")
    here.check(here.json("stories", "--database", "new.db")["numberMatched"] == 14, "a new machine gets everything")
    refused = here.run("restore", "plain.waymark-backup", "--database", "bare.db", code=1).stderr
    here.check("--after-old-copy private" in refused, "a backup without its list is not restored as it is", refused)
    here.check(not (here / "bare.db").exists(), "nothing is put in place")
    bare = here.run("restore", "plain.waymark-backup", "--database", "bare.db", "--after-old-copy", "private").stderr
    here.check(here.json("stories", "--database", "bare.db")["numberMatched"] == 0, "its stories are private until they are released")
    here.check("no keys" in bare, "restoring without keys says what is lost", bare)

    (here / "service").mkdir()
    with here.serving("--backup-to", "service", "--backup-keep", "2", "--backup-every", "1m") as (address, _):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not list((here / "service").glob("waymark-*")):
            time.sleep(0.1)
        here.check(len(list((here / "service").glob("waymark-*.waymark-backup"))) == 1, "the service makes a backup at its start")
        here.check("warnings" not in get(f"{address}/readyz"), "no reminder after a backup")
