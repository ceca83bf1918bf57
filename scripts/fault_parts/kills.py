"""Kills the service at random instants and at its n-th write, and holds what is stored to what was acknowledged."""
import concurrent.futures
import json
import pathlib
import random
import shutil
import tempfile
import time

from fault_parts import contents, world
from fault_parts.load import Load
from fault_parts.report import Ended, Report, spread

# How long a service has to become ready again, in seconds, with 100,000 stories.
READY = 2.0


class Kills:
    """One service after the other on the same database, under one load that goes on."""

    def __init__(self, program, options, folder):
        self.program, self.options, self.folder = program, options, pathlib.Path(folder)
        self.rnd, self.report = random.Random(options.seed), Report("kills", options.seed)
        self.work, self.port = self.folder / "work", world.free_port()
        self.times, self.while_starting, self.unreached, self.moments = [], 0, 0, {}
        # How many of each kind: at a write, and at random.
        self.struck = [0, 0]
        self.memory = pathlib.Path("/dev/shm") if pathlib.Path("/dev/shm").is_dir() else self.folder

    def run(self):
        options = self.options
        origin = pathlib.Path(options.world) if options.world else self.folder / "world"
        world.make(self.program, origin, options.stories, options.drivers)
        self.work.mkdir()
        world.copy(origin, self.work)
        shim = world.build_shim(self.folder) if options.systematic else None
        if options.systematic and shim is None:
            print("kills: no C compiler, so the kills at the n-th write are left out")
        self.load = Load(self.port, (origin / "key").read_text(), options.writers, options.drivers, options.seed)
        self.ledger = contents.Ledger(self.load)
        plan = [None] * options.random + [n for n in range(1, options.systematic + 1) if shim]
        self.rnd.shuffle(plan)
        self.load.begin()
        try:
            with concurrent.futures.ThreadPoolExecutor(1) as checker:
                self.checks = []
                try:
                    for number, count in enumerate(plan):
                        self.strike(number, count, shim, checker)
                        self.struck[count is None] += 1
                        # Looking takes a processor of its own, which the next start would be measured without.
                        self.collect(len(plan), all_of_them=options.require_ready)
                except Ended:
                    print("kills: ended before its time")
                self.collect(len(plan), all_of_them=True)
            self.finish()
        finally:
            self.load.end()
        return self.close()

    def strike(self, number, count, shim, checker):
        """Starts the service and kills it; `count` is the write at which it dies, None for an instant by chance."""
        faults = None
        if count is not None:
            hit, armed = self.folder / "hit", self.folder / "armed"
            hit.unlink(missing_ok=True), armed.unlink(missing_ok=True)
            faults = {"FAULTS_KILL": str(count), "FAULTS_HALF": str(count // 2 % 2), "FAULTS_HIT": str(hit)}
            # Every other one counts from when it serves: before, it moves the log of the last one into the file.
            faults |= {"FAULTS_FROM": str(armed)} if count % 2 else {}
        service = world.Service(self.program, self.work, self.port, faults, shim)
        try:
            if count is None and self.rnd.random() < .15:
                time.sleep(self.rnd.uniform(0, max(.05, min(self.times[-20:], default=.5))))
                self.while_starting += 1
            elif (took := service.ready()) is not None:
                self.times.append(took)
                if count is None:
                    time.sleep(self.rnd.uniform(.05, self.options.longest))
                else:
                    armed.touch()
                    self.wait(service, hit)
            elif count is None:
                self.report.trial(f"kill {number}", [f"not ready: it ended by itself: {service.said()[-300:]}"])
            else:
                self.note(hit)
        finally:
            service.kill()
        instant = time.monotonic()
        copied = pathlib.Path(tempfile.mkdtemp(prefix="faults-", dir=self.memory))
        for end in ("", "-wal"):
            if (source := pathlib.Path(f"{self.work / 'world.db'}{end}")).exists():
                shutil.copy(source, copied)
        self.checks.append((number, checker.submit(self.check, copied, instant)))

    def wait(self, service, hit):
        end = time.monotonic() + 8
        while service.process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        if service.process.poll() is None:
            self.unreached += 1
        else:
            self.note(hit)

    def note(self, hit):
        if hit.exists():
            what, _, path = hit.read_text().strip().partition(" ")
            key = f"{what} of {path.rpartition('/')[2].replace('world.db', 'DB')}"
            self.moments[key] = self.moments.get(key, 0) + 1

    def check(self, copied, instant):
        try:
            self.ledger.advance(instant)
            return self.ledger.problems(copied / "world.db")
        finally:
            shutil.rmtree(copied, ignore_errors=True)

    def collect(self, total, all_of_them):
        # A few copies may wait to be looked at, so that looking does not hold up the next kill.
        while self.checks and (all_of_them or len(self.checks) > 2 or self.checks[0][1].done()):
            number, check = self.checks.pop(0)
            problems = check.result() + [f"answer: {problem}" for problem in self.load.problems]
            self.load.problems.clear()
            self.report.trial(f"kill {number}", problems)
            self.report.progress(total)

    def finish(self):
        """Lets the drives end on a service that is left alone, and looks whether everybody was notified of everything."""
        service = world.Service(self.program, self.work, self.port)
        try:
            self.times.append(service.ready())
            time.sleep(3)
            self.load.end()
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not all(self.is_told(service, driver) for driver in self.load.drivers):
                time.sleep(1)
            code = service.stop()
        finally:
            service.kill()
        instant, database = time.monotonic(), self.work / "world.db"
        self.ledger.advance(instant)
        problems = self.ledger.problems(database) + list(contents.owed(database, self.load))
        problems += [f"answer: {problem}" for problem in self.load.problems]
        problems += [] if code == 0 else [f"end: the service ended with {code} on a signal"]
        self.report.trial("the end", problems)
        self.notified = contents.notified(database)

    def is_told(self, service, driver):
        """Whether the feed has as many stories as places that were passed; each place has one."""
        told, path = 0, "/v1/notifications?limit=100"
        while path:
            status, data = service.ask("GET", path, headers={"Authorization": "Bearer " + self.load.key, "Waymark-User": driver.user})
            if status != 200:
                return False
            page = json.loads(data)
            told += sum(len(item["content_ids"]) for item in page["notifications"])
            path = page.get("links", {}).get("next")
        return told >= len(driver.owed())

    def close(self):
        acknowledged = self.load.acknowledged()
        slow = sum(took > READY for took in self.times)
        self.report.figures |= {
            "killed": f"{self.struck[1]} times at random ({self.while_starting} while starting), "
                      f"{sum(self.moments.values())} at a write ({self.unreached} writes were not reached in 8 s)",
            "killed at": ", ".join(f"{count} {key}" for key, count in sorted(self.moments.items(), key=lambda pair: -pair[1])) or "-",
            "acknowledged": f"{acknowledged} requests, {self.notified} notifications, answers by status {self.load.answers}",
            f"ready again with {self.options.stories} stories": f"{spread(self.times)}; {slow} above {READY:.0f} s",
        }
        is_fine = self.report.close()
        if self.options.require_ready and slow:
            print(f"kills: {slow} starts took longer than {READY} s")
            return False
        return is_fine
