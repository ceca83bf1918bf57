"""Open loop: live streams, positions, reads of the map and writes at fixed rates, and what they cost by the minute.

Users drive past a place of their own every 27 seconds, so that feeds grow all the time while the work stays the same.
A request counts from when it was due, so that a service that stalls cannot hide it. Prints for each minute the requests, the
99th percentiles, the processor's time for a thousand requests, resident memory, the log and the descriptors; at the end
whether every minute kept the limits and whether the last third cost more than the one before.

With --exports, --erasures-per-minute or --copies people take exports out slowly, accounts of thousands of stories are erased
and another program copies the database meanwhile: the limits are 250 ms then, and 64 MB for the log.

Each line ends with what the machine itself took: how late this program was to send, and how long the disk took to make one
page of another file durable, also as 99th percentiles. No answer can be faster than that.
"""
import argparse
import asyncio
import collections
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import aiohttp
import uvloop

USERS, PLACES, SPEED, APART = 600, 80, 11, 300
METRE = 1 / 111_195
SCOPES = (
    "act-as,stories:read,stories:write,fixes:write,notifications:read,notifications:manage,account:manage"
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("minutes", type=float, nargs="?", default=30)
    parser.add_argument("--streams", type=int, default=500, help="live streams of feeds")
    parser.add_argument("--positions", type=float, default=300, help="a second")
    parser.add_argument("--reads", type=float, default=100, help="of the map, a second")
    parser.add_argument("--writes", type=float, default=20, help="of stories and settings, a second")
    parser.add_argument("--stories", type=int, default=220_000, help="beside the places that are driven past")
    parser.add_argument("--world", type=pathlib.Path, help="a folder that keeps the first database for another run")
    parser.add_argument("--exports", type=int, default=0, help="how many people with long stories export, at most 4")
    parser.add_argument("--export-rate", type=float, default=16, help="how fast an export is read, in KB a second")
    parser.add_argument("--erasures-per-minute", type=float, default=0, help="of accounts made for it before")
    parser.add_argument("--erased-stories", type=int, default=5_000, help="how many stories each of them has")
    parser.add_argument("--copies", action="store_true", help="another program copies the database, over and over")
    parser.add_argument("--log", type=float, default=64, help="the limit of the log beside a churn, in MB")
    parser.add_argument("--read-p99", type=float, help="the limit of positions and reads, in milliseconds: 50, or 250")
    parser.add_argument("--write-p99", type=float, help="the limit of writes, in milliseconds: 100, or 250")
    parser.add_argument("--growth", type=float, default=0.03, help="the limit of the last third over the one before")
    options = parser.parse_args()
    options.churns = bool(options.exports or options.erasures_per_minute or options.copies)
    options.read_p99 = options.read_p99 or (250 if options.churns else 50)
    options.write_p99 = options.write_p99 or (250 if options.churns else 100)
    return options


def run(program, database, *words):
    done = subprocess.run(
        [program, *words, "--database", str(database)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        sys.exit(f"{' '.join(words[:2])} failed: {done.stderr[-500:]}")
    return done.stdout


def rows(path, lines):
    with open(path, "w") as file:
        file.write("id,title,text,lat,lon\n")
        file.writelines(lines)
    return str(path)


def make_world(options, folder):
    """Makes the first database: places on the users' roads, stories all over a country, long ones of four users."""
    rnd = random.Random(3)
    base = folder / "base.db"
    roads = (
        f"p{user}-{place},Place {user} {place},,{10 + .02 * user:.6f},{20 + APART * METRE * (place + 1):.6f}\n"
        for user in range(USERS) for place in range(PLACES)
    )
    run(options.program, base, "import", rows(folder / "roads.csv", roads), "--quiet")
    spread = (
        f"s{n},Story {n},,{25 + rnd.random() * 24:.6f},{-124 + rnd.random() * 57:.6f}\n"
        for n in range(options.stories - options.stories // 2)
    )
    run(options.program, base, "import", rows(folder / "spread.csv", spread), "--quiet")
    for big in range(4):
        run(options.program, base, "users", "add", f"big{big}")
        long = (
            f"b{big}-{n},Big {n},{rnd.randbytes(400).hex()},{-20 - rnd.random():.6f},{20 + rnd.random():.6f}\n"
            for n in range(options.stories // 8)
        )
        words = (rows(folder / "long.csv", long), "--quiet", "--owner", f"big{big}", "--privacy", "private")
        run(options.program, base, "import", *words)
    key = run(options.program, base, "tokens", "key", "--service", "load", "--scopes", SCOPES).split()[0]
    (folder / "key").write_text(key)
    service = Service(options.program, base)
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    for user in range(USERS):
        headers = {"Authorization": "Bearer " + key, "Waymark-User": f"u{user}", "Content-Type": "application/json"}
        connection.request("PUT", "/v1/me/notification-settings", b'{"enabled":true}', headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            sys.exit(f"opting in answers {answer.status}")
    service.stop()
    (folder / "made").touch()


def make_churn(options, database, folder):
    """Adds the accounts that will be erased to a copy of the world; returns a key that may erase, export and look."""
    for number in range(erased_accounts(options)):
        run(options.program, database, "users", "add", f"gone{number}")
        rnd = random.Random(number)
        lines = (
            f"g{number}-{n},Going,{rnd.randbytes(400).hex()},{25 + rnd.random() * 24:.6f},{-124 + rnd.random() * 57:.6f}\n"
            for n in range(options.erased_stories)
        )
        privacy = ("public", "private")[number % 2]
        words = (rows(folder / "going.csv", lines), "--quiet", "--owner", f"gone{number}", "--privacy", privacy)
        run(options.program, database, "import", *words)
    words = ("tokens", "key", "--service", "churn", "--scopes", "act-as,export:self,delete:self,admin:ops")
    return run(options.program, database, *words).split()[0]


def erased_accounts(options):
    return int(options.minutes * options.erasures_per_minute) if options.erasures_per_minute else 0


class Service:
    """The program under load."""

    def __init__(self, program, database):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.database = database
        self.log = open(str(database) + ".log", "ab")
        words = [program, "serve", "--database", str(database), "--port", str(self.port), "--rate-limit", "0", "--quiet"]
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 300
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the service is not ready; see {database}.log")
            time.sleep(0.1)

    def is_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def sample(self):
        base = f"/proc/{self.process.pid}"
        with open(base + "/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        memory = {}
        with open(base + "/status") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name in ("VmRSS", "RssAnon", "RssFile", "Threads"):
                    memory[name] = int(value.split()[0])
        return {
            "cpu": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
            "rss": memory["VmRSS"] / 1024,
            "anon": memory["RssAnon"] / 1024,
            "threads": memory["Threads"],
            "wal": self.log_size(),
            "fds": len(os.listdir(base + "/fd")),
        }

    def log_size(self):
        wal = pathlib.Path(str(self.database) + "-wal")
        return wal.stat().st_size / 2**20 if wal.exists() else 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


class Load:
    """What is sent, and how long each answer took, by the minute in which it was due."""

    def __init__(self, options, service, key):
        self.options, self.url = options, f"http://127.0.0.1:{service.port}"
        self.headers = {"Authorization": "Bearer " + key}
        self.rnd, self.start, self.epoch = random.Random(1), 0, 0
        self.took = collections.defaultdict(lambda: collections.defaultdict(list))
        self.codes, self.told, self.stories = collections.Counter(), collections.Counter(), []
        self.late, self.flushes = collections.defaultdict(list), collections.defaultdict(list)
        self.over = False

    async def ask(self, session, kind, due, method, path, body=None, user="u0"):
        answer = None
        try:
            headers = {**self.headers, "Waymark-User": user}
            async with session.request(method, self.url + path, json=body, headers=headers) as response:
                data = await response.read()
                self.codes[kind, response.status] += 1
                if response.status < 300 and data and kind == "write":
                    answer = json.loads(data)
        except (aiohttp.ClientError, asyncio.TimeoutError) as error:
            self.codes[kind, type(error).__name__] += 1
        self.took[int((due - self.start) // 60)][kind].append(time.monotonic() - due)
        return answer

    async def position(self, session, n, due):
        user, now = n % USERS, time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
        fix = {"t": stamp, "lat": 10 + .02 * user, "lon": 20 + (now - self.epoch) * SPEED * METRE, "acc": 8}
        await self.ask(session, "position", due, "POST", "/v1/fixes", {"device": "d", "fixes": [fix]}, f"u{user}")

    async def read(self, session, n, due):
        rnd = self.rnd
        zoom, lat, lon = rnd.choice((3, 5, 7, 9, 11, 13)), 25 + rnd.random() * 24, -124 + rnd.random() * 57
        side = 180 / 2**zoom
        south, north = max(-85, lat - side / 2), min(85, lat + side / 2)
        path = rnd.choice((
            f"/v1/clusters?bbox={lon - side:.3f},{south:.3f},{lon + side:.3f},{north:.3f}&zoom={zoom}",
            f"/v1/tiles/{zoom}/{int((lon + 180) / 360 * 2**zoom)}/{int(2**zoom * .38)}.mvt",
            f"/v1/stories?bbox={lon - .5:.3f},{lat - .5:.3f},{lon + .5:.3f},{lat + .5:.3f}&limit=20",
        ))
        await self.ask(session, "map", due, "GET", path, user=f"u{rnd.randrange(USERS)}")

    async def write(self, session, n, due):
        rnd, chance = self.rnd, self.rnd.random()
        if chance < .6 or not self.stories:
            place = {"lat": 25 + rnd.random() * 24, "lon": -124 + rnd.random() * 57}
            body = {"kind": "photo", "title": f"new {n}", "text": "w " * 300, "location": place}
            user = f"u{n % USERS}"
            made = await self.ask(session, "write", due, "POST", "/v1/stories", body, user)
            if made:
                self.stories.append((made["id"], user))
        elif chance < .8:
            story, user = rnd.choice(self.stories)
            await self.ask(session, "write", due, "PATCH", "/v1/stories/" + story, {"title": f"changed {n}"}, user)
        elif chance < .9:
            story, user = self.stories.pop(rnd.randrange(len(self.stories)))
            await self.ask(session, "write", due, "DELETE", "/v1/stories/" + story, user=user)
        else:
            body = {"preview": rnd.choice(("full", "count"))}
            path = "/v1/me/notification-settings"
            await self.ask(session, "write", due, "PUT", path, body, f"u{rnd.randrange(USERS)}")

    async def pace(self, session, rate, make):
        n, tasks, end = 0, set(), self.start + self.options.minutes * 60
        while rate > 0 and (due := self.start + n / rate) < end:
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
                self.late[int((due - self.start) // 60)].append(time.monotonic() - due)
            task = asyncio.create_task(make(session, n, due))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            n += 1
        await asyncio.gather(*tasks)

    def flush(self, folder):
        """Makes a page of a file of its own durable ten times a second, in a thread: what the disk alone takes."""
        with open(pathlib.Path(folder) / "flush", "wb") as file:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())
            page = 0
            while not self.over:
                begun = time.monotonic()
                os.pwrite(file.fileno(), os.urandom(4096), page % 256 * 4096)
                os.fdatasync(file.fileno())
                took, page = time.monotonic() - begun, page + 1
                self.flushes[int((begun - self.start) // 60)].append(took)
                time.sleep(max(0, 0.1 - took))

    async def listen(self, session, user):
        last = None
        while not self.over:
            headers = {**self.headers, "Waymark-User": f"u{user}"}
            if last:
                headers["Last-Event-ID"] = last
            try:
                async with session.get(
                    self.url + "/v1/notifications/stream", headers=headers, timeout=aiohttp.ClientTimeout(total=None)
                ) as response:
                    event = {}
                    async for line in response.content:
                        line = line.decode().rstrip("\n")
                        if not line:
                            if event.get("event") == "notification":
                                self.told[user, json.loads(event["data"])["id"]] += 1
                            last = event.get("id", last)
                            event = {}
                        elif not line.startswith(":"):
                            name, _, value = line.partition(": ")
                            event[name] = value
            except aiohttp.ClientError as error:
                self.codes["stream", type(error).__name__] += 1
                await asyncio.sleep(.5)


class Churn:
    """What goes on beside the load: slow exports, erasures, copies of the database, and how large the log becomes."""

    def __init__(self, options, service, key):
        self.options, self.service, self.key, self.over = options, service, key, False
        self.log, self.counts, self.erasures, self.copied = 0, collections.Counter(), [], []

    def begin(self):
        tasks = [self.watch()] + [self.export(number) for number in range(min(4, self.options.exports))]
        if self.options.erasures_per_minute:
            tasks.append(self.erase())
        if self.options.copies:
            tasks.append(self.copy())
        return [asyncio.create_task(task) for task in tasks]

    async def watch(self):
        while True:
            self.log = max(self.log, self.service.log_size())
            await asyncio.sleep(0.2)

    async def connect(self, method, path, user, number=0):
        """A connection with small buffers, so that what is not read is the service's to keep, from an address of its own."""
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
        link.bind((f"127.0.0.{number + 1}", 0))
        link.setblocking(False)
        await asyncio.get_running_loop().sock_connect(link, ("127.0.0.1", self.service.port))
        reader, writer = await asyncio.open_connection(sock=link, limit=8_192)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.key}\r\n"
        writer.write((head + f"Waymark-User: {user}\r\nConnection: close\r\n\r\n").encode())
        return reader, writer, (await reader.readline()).split()[1].decode()

    async def export(self, number):
        piece = int(self.options.export_rate * 1024 / 4)
        while not self.over:
            reader, writer, status = await self.connect("GET", "/v1/me/export", f"big{number}", number)
            read = 0
            while data := await reader.read(piece):
                read += len(data)
                await asyncio.sleep(len(data) / piece / 4)
            self.counts["export", status] += 1
            self.counts["exported KB"] += read // 1024
            writer.close()

    async def erase(self):
        start = time.monotonic()
        for number in range(erased_accounts(self.options)):
            await asyncio.sleep(max(0, start + (number + 0.5) * 60 / self.options.erasures_per_minute - time.monotonic()))
            begun = time.monotonic()
            reader, writer, status = await self.connect("DELETE", "/v1/me", f"gone{number}")
            await reader.read()
            writer.close()
            self.counts["erasure", status] += 1
            self.erasures.append(time.monotonic() - begun)

    async def copy(self):
        """As the program sqlite3 does it: the whole in one step, which is one transaction of a reader.

        It runs at ordinary priority even if this program was given a real-time one: a slice of that lasts 100 ms.
        """
        words = (
            "import os, sqlite3, sys; os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)); "
            "f, t = map(sqlite3.connect, sys.argv[1:]); f.backup(t)"
        )
        target = str(self.service.database) + ".copy"
        while not self.over:
            begun = time.monotonic()
            task = await asyncio.create_subprocess_exec(sys.executable, "-c", words, self.service.database, target)
            self.counts["copy", await task.wait()] += 1
            self.copied.append(time.monotonic() - begun)
            pathlib.Path(target).unlink(missing_ok=True)
            await asyncio.sleep(5)

    async def metrics(self):
        reader, writer, _ = await self.connect("GET", "/metrics", "u0")
        text = (await reader.read()).decode(errors="replace")
        writer.close()
        return [line for line in text.splitlines() if line.startswith(("waymark_writer", "waymark_log"))]

    async def end(self, tasks):
        self.over = True
        for line in await self.metrics():
            print(line)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        print(f"beside it: {dict(self.counts)}; most of the log {self.log:.1f} MB")
        for name, times in (("erasures", self.erasures), ("copies", self.copied)):
            if times:
                print(f"{name}: {len(times)}, median {sorted(times)[len(times) // 2]:.1f} s, longest {max(times):.1f} s")

    def missed(self):
        if self.log > self.options.log:
            yield f"the log grew to {self.log:.0f} MB, not {self.options.log:.0f}"
        if bad := {key: count for key, count in self.counts.items() if key[0] in ("export", "erasure") and key[1] != "200"}:
            yield f"refused: {bad}"
        if len(self.erasures) < erased_accounts(self.options):
            yield f"{len(self.erasures)} erasures ended, not {erased_accounts(self.options)}"


def p99(values):
    return sorted(values)[min(len(values) - 1, int(len(values) * .99))] * 1000 if values else 0


def line(minute, load, before, after):
    took = load.took[minute]
    requests = sum(len(values) for values in took.values())
    cost = (after["cpu"] - before["cpu"]) / max(1, requests) * 1000
    times = "  ".join(f"{kind} {p99(took[kind]):.0f}" for kind in ("position", "map", "write"))
    print(
        f"{minute:3} {requests:7} requests  p99 ms: {times}  cpu {cost:.3f} s/1000  rss {after['rss']:.0f} MB "
        f"(anonymous {after['anon']:.0f})  log {after['wal']:.0f} MB  descriptors {after['fds']}  "
        f"threads {after['threads']}  told {sum(load.told.values())}  "
        f"machine: sender {p99(load.late[minute]):.0f}  disk {p99(load.flushes[minute]):.0f}", flush=True,
    )
    return {"minute": minute, "requests": requests, "cpu": cost, "rss": after["rss"]}


async def drive(options, service, key, churn_key):
    load, minutes = Load(options, service, key), []
    churn = Churn(options, service, churn_key)
    limit = aiohttp.ClientTimeout(total=30)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as streams, aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=150), timeout=limit
    ) as session:
        live = [asyncio.create_task(load.listen(streams, user)) for user in range(options.streams)]
        await asyncio.sleep(3)
        load.start, load.epoch = time.monotonic(), time.time()
        threading.Thread(target=load.flush, args=[service.database.parent], daemon=True).start()

        async def watch():
            before = service.sample()
            for minute in range(int(options.minutes)):
                await asyncio.sleep(max(0, load.start + (minute + 1) * 60 - time.monotonic()))
                after = service.sample()
                minutes.append(line(minute, load, before, after))
                before = after

        rates = ((options.positions, load.position), (options.reads, load.read), (options.writes, load.write))
        beside = churn.begin() if options.churns else []
        await asyncio.gather(watch(), *(load.pace(session, rate, make) for rate, make in rates))
        load.over = True
        if options.churns:
            await churn.end(beside)
        for task in live:
            task.cancel()
        await asyncio.gather(*live, return_exceptions=True)
    await asyncio.sleep(30)
    after = service.sample()
    print(f"30 s after everybody left: rss {after['rss']:.0f} MB (anonymous {after['anon']:.0f})")
    return load, minutes, churn


def verdict(options, load, minutes, churn):
    """What was missed, in words."""
    missed = list(churn.missed()) if options.churns else []
    limits = (("position", options.read_p99), ("map", options.read_p99), ("write", options.write_p99))
    for minute in minutes:
        for kind, most in limits:
            found = p99(load.took[minute["minute"]][kind])
            if found > most:
                missed.append(f"minute {minute['minute']}: p99 of {kind} is {found:.0f} ms, not {most:.0f}")
    third = len(minutes) // 3
    for name in ("cpu", "rss") if third and not options.churns else ():
        mean = [sum(minute[name] for minute in part) / third for part in (minutes[-2 * third:-third], minutes[-third:])]
        growth = mean[1] / mean[0] - 1
        print(f"{name} of the last {third} minutes over the {third} before: {growth:+.1%}")
        if growth > options.growth:
            missed.append(f"{name} grows by {growth:.1%}")
    bad = {key: count for key, count in load.codes.items() if not isinstance(key[1], int) or key[1] >= 400}
    if bad:
        missed.append(f"answers that are none: {bad}")
    if twice := sum(count > 1 for count in load.told.values()):
        missed.append(f"{twice} notifications came twice on a stream")
    return missed


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as own:
        world = options.world or pathlib.Path(own) / "world"
        world.mkdir(parents=True, exist_ok=True)
        if not (world / "made").exists():
            make_world(options, world)
            print("the world is made", flush=True)
        database = pathlib.Path(own) / "load.db"
        for end in ("", "-wal"):
            if (source := pathlib.Path(str(world / "base.db") + end)).exists():
                shutil.copy(source, str(database) + end)
        shutil.copytree(str(world / "base.db") + ".keys", str(database) + ".keys")
        churn_key = make_churn(options, database, pathlib.Path(own)) if options.churns else None
        service = Service(options.program, database)
        try:
            key = (world / "key").read_text()
            load, minutes, churn = asyncio.run(drive(options, service, key, churn_key))
        finally:
            service.stop()
        missed = verdict(options, load, minutes, churn)
        print("\n".join(missed) if missed else "every limit is kept")
        sys.exit(1 if missed else 0)


uvloop.install()
main()
