"""Fails writes, syncs, truncations and new names of the service, and looks that no success was answered for what is not stored."""
import collections
import os
import pathlib
import random
import shutil
import tempfile
import time

from fault_parts import contents, world
from fault_parts.load import Load
from fault_parts.report import Ended, Report

# The kind of call, its error (0: a write stops half-way), whether it lasts, until which call, and how often it is chosen.
FAULTS = (
    ("sync", 5, 0, 120, 6), ("sync", 5, 1, 120, 2), ("write", 5, 0, 600, 5), ("write", 5, 1, 600, 2), ("write", 28, 0, 600, 3),
    ("write", 28, 1, 600, 3), ("write", 0, 0, 600, 3), ("truncate", 5, 0, 3, 1), ("name", 28, 1, 3, 1), ("name", 5, 0, 3, 1),
)
ERRORS = {0: "cut", 5: "EIO", 28: "ENOSPC"}
STOPPED = "writing has stopped"


class Errors:
    def __init__(self, program, options, folder):
        self.program, self.options, self.folder = program, options, pathlib.Path(folder)
        self.rnd, self.report = random.Random(options.seed), Report("io", options.seed)
        self.memory = pathlib.Path("/dev/shm") if pathlib.Path("/dev/shm").is_dir() else self.folder
        self.hits, self.answers, self.ends = collections.Counter(), collections.Counter(), collections.Counter()
        self.acknowledged, self.attempts = 0, 0

    def run(self):
        shim = world.build_shim(self.folder)
        if shim is None:
            print("io: left out: there is no C compiler")
            return False
        self.origin = pathlib.Path(self.options.world) if self.options.world else self.folder / "world"
        world.make(self.program, self.origin, self.options.stories, self.options.drivers)
        self.key = (self.origin / "key").read_text()
        try:
            # What was not reached is no injected error.
            while sum(self.hits.values()) < self.options.errors and self.attempts < 3 * self.options.errors:
                self.attempt(shim)
        except Ended:
            print("io: ended before its time")
        self.report.figures |= {
            "injected": f"{sum(self.hits.values())} errors in {self.attempts} runs: " + self.counts(self.hits),
            "acknowledged": f"{self.acknowledged} requests; other answers by status: {dict(self.answers)}",
            "afterwards": self.counts(self.ends),
        }
        return self.report.close() and sum(self.hits.values()) > 0

    def attempt(self, shim):
        self.attempts += 1
        place = pathlib.Path(tempfile.mkdtemp(prefix="faults-", dir=self.memory))
        try:
            label, problems = self.trial(place, shim)
            self.report.trial(label, problems)
            self.report.progress(self.options.errors)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    @staticmethod
    def counts(counter):
        return ", ".join(f"{count} {name}" for name, count in counter.most_common())

    def trial(self, place, shim):
        """One service with one error; what is wrong with its answers and with what it left."""
        kind, error, lasts, most = self.rnd.choices(FAULTS, [fault[4] for fault in FAULTS])[0][:4]
        count, work, hit = self.rnd.randint(1, most), place / "work", place / "hit"
        label = f"{kind} {count} {ERRORS[error]}{' from then on' if lasts else ''}"
        work.mkdir()
        world.copy(self.origin, work)
        faults = {"FAULTS_FAIL": str(count), "FAULTS_KIND": kind, "FAULTS_ERRNO": str(error), "FAULTS_HIT": str(hit)}
        service = world.Service(self.program, work, faults=faults | ({"FAULTS_LASTING": "1"} if lasts else {}), shim=shim)
        load = Load(service.port, self.key, self.options.writers, self.options.drivers, self.rnd.random(), pause=.01)
        load.gives_up, load.judge = True, self.judge
        problems = []
        try:
            if service.ready() is None:
                self.ends["refused to start"] += 1
                problems += [] if len(service.said().strip()) > 0 and service.process.returncode > 0 else [
                    f"silent: it ended with {service.process.returncode} while starting: {service.said()[-200:]}"]
            else:
                load.begin()
                end = time.monotonic() + 2.5
                while time.monotonic() < end and not hit.exists() and service.process.poll() is None:
                    time.sleep(.02)
                time.sleep(.4)
                load.end()
                problems += self.probe(service, hit, lasts)
                if (code := service.stop(40)) is None:
                    problems.append("end: it does not end on a signal")
                elif code < 0:
                    problems.append(f"crashed: it ended with signal {-code}: {service.said()[-300:]}")
        finally:
            load.end()
            service.kill()
        if hit.exists():
            what, _, path = hit.read_text().strip().partition(" ")
            self.hits[f"{ERRORS[error]} {what} of {os.path.relpath(path, work).replace('world.db', 'DB')}"] += 1
        self.acknowledged += load.acknowledged()
        return label, problems + [f"answer: {problem}" for problem in load.problems] + self.restart(work, load)

    def judge(self, worker, entry, asked):
        """Notes what an answer other than a success says about a change."""
        if entry.acked is not None:
            return
        status = asked[0] if asked else 0
        self.answers[status] += 1
        if status == 507:
            # It says that there was no room: then nothing is stored.
            worker.journal.refuse(entry)
        else:
            entry.is_given_up = True
            if isinstance(entry.key, tuple):
                getattr(worker, "stories", {}).pop(entry.key[1], None)

    def probe(self, service, hit, lasts):
        """Whether the service says and does what follows from the error."""
        if not hit.exists() or service.process.poll() is not None:
            return []
        what, _, path = hit.read_text().strip().partition(" ")
        has_stopped = STOPPED in service.said()
        fields = {"Authorization": "Bearer " + self.key, "Waymark-User": "prober"}
        status, _ = service.ask("POST", "/v1/stories", {"kind": "photo", "title": "probe"}, fields, patience=20)
        read, _ = service.ask("GET", "/v1/stories?limit=5", None, fields, patience=20)
        problems = [] if read == 200 else [f"reading: reads are answered {read} after {what} of {path}"]
        self.ends["stopped writing" if has_stopped else "goes on"] += 1
        if what == "sync" and path.endswith(("world.db", "-wal", "erasures.log")) and not has_stopped:
            problems.append(f"going on: it does not say that writing has stopped after a failed sync of {path}")
        if has_stopped and status != 503:
            problems.append(f"going on: a write is answered {status} after writing has stopped")
        if not has_stopped and status not in ((201, 507, 503) if lasts else (201,)):
            problems.append(f"stuck: a write is answered {status} although writing has not stopped")
        return problems

    def restart(self, work, load):
        """Starts it on a disk that works again."""
        ledger = contents.Ledger(load)
        ledger.advance(time.monotonic())
        service = world.Service(self.program, work)
        try:
            if service.ready() is None:
                return [f"not started: {service.said()[-300:]}"]
            code = service.stop()
        finally:
            service.kill()
        return ([] if code == 0 else [f"end: it ended with {code}"]) + ledger.problems(work / "world.db")
