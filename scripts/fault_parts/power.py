"""Records what the service writes and syncs, and looks at the disk as it may be after the power was cut at any instant."""
import json
import os
import pathlib
import random
import shutil
import tempfile
import time

from fault_parts import contents, recording, world
from fault_parts.disk import Disk
from fault_parts.load import Load
from fault_parts.report import Ended, Report


class Power:
    def __init__(self, program, options, folder):
        self.program, self.options, self.folder = program, options, pathlib.Path(folder)
        self.rnd, self.report = random.Random(options.seed), Report("power", options.seed)
        self.work = self.folder / "work"
        self.memory = pathlib.Path("/dev/shm") if pathlib.Path("/dev/shm").is_dir() else self.folder
        self.started = 0

    def run(self):
        if not self.record():
            return False
        changes = list(recording.read(self.folder / "recording"))
        if problem := self.incomplete(changes):
            print(f"power: the recording is not complete: {problem}")
            return False
        count = min(self.options.cuts, len(changes) - 1)
        try:
            wrong = self.replay(changes, self.rnd.sample(range(1, len(changes)), count), is_weak=False)
        except Ended:
            wrong = self.report.wrong
            print("power: ended before its time, at a part of the recording")
        control = self.control(changes, max(40, count // 8))
        self.report.figures |= {
            "recorded": f"{len(changes)} changes and syncs of {len(self.touched(changes))} files, "
                        f"{self.load.acknowledged()} acknowledged requests",
            "files": ", ".join(sorted(os.path.relpath(path, self.work).replace("world.db", "DB") for path in self.touched(changes))),
            "started on": f"{self.started} images of the disk",
            "control with the log as under synchronous=NORMAL": control[1],
        }
        return self.report.close() and control[0] and not wrong

    def record(self):
        shim = world.build_shim(self.folder)
        if shim is None:
            print("power: left out: there is no C compiler")
            return False
        origin = pathlib.Path(self.options.world) if self.options.world else self.folder / "world"
        world.make(self.program, origin, self.options.stories, self.options.drivers)
        self.work.mkdir()
        world.copy(origin, self.work)
        self.before = {path: (file.stat().st_ino, file.read_bytes()) for path, file in world.files(self.work).items()}
        service = world.Service(self.program, self.work, faults={"FAULTS_RECORD": str(self.folder / "recording")}, shim=shim)
        self.load = Load(service.port, (origin / "key").read_text(), self.options.writers, self.options.drivers, self.options.seed)
        self.key = self.load.key
        try:
            service.ready()
            self.load.begin()
            time.sleep(self.options.seconds)
        finally:
            service.kill()
            self.load.end()
        return True

    def touched(self, changes):
        return {change.path for change in changes if change.what in (recording.WRITE, recording.TRUNCATE)}

    def incomplete(self, changes):
        """What the recording missed: it must lead to the very bytes that are on the disk."""
        disk = Disk(self.before)
        for change in changes:
            disk.follow(change)
        if disk.unknown:
            return f"{disk.unknown[0]} was changed in a way that is not recorded"
        replayed, found = disk.now(), {path: file.read_bytes() for path, file in world.files(self.work).items()}
        for path in sorted(set(replayed) | set(found)):
            if replayed.get(path) != found.get(path):
                return f"{path} differs"
        return None

    def replay(self, changes, cuts, is_weak):
        """Cuts the power just before each of these changes; how many images were wrong."""
        disk, ledger, wrong, number, cuts = Disk(self.before, is_weak), contents.Ledger(self.load), 0, 0, set(cuts)
        for index, change in enumerate(changes):
            if index in cuts:
                ledger.advance(change.at)
                for kind, rnd in (("least", None), ("some", self.rnd)):
                    number += 1
                    is_started = not is_weak and number % self.options.start_every == 0
                    problems = self.judge(disk, rnd, ledger, is_started)
                    wrong += bool(problems)
                    if not is_weak:
                        self.report.trial(f"cut before change {index}, {kind} of what was not certain", problems)
                        self.report.progress(2 * len(cuts), every=200)
            disk.follow(change)
        return wrong

    def judge(self, disk, rnd, ledger, is_started):
        """What is wrong with one image, and with what the program makes of it."""
        place = pathlib.Path(tempfile.mkdtemp(prefix="faults-", dir=self.memory))
        image, database = place / "image", place / "image" / "world.db"
        try:
            needed = None if is_started else (str(self.work / "world.db"), str(self.work / "world.db-wal"))
            for path, content in disk.after_cut(rnd, lambda path: needed is None or path in needed).items():
                target = image / os.path.relpath(path, self.work)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            if not database.exists():
                return ["lost: the database is not there"]
            if is_started:
                return self.start(image, place, ledger)
            return ledger.problems(database)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def start(self, image, place, ledger):
        self.started += 1
        for folder in [image, *(path for path in image.rglob("*") if path.is_dir())]:
            folder.chmod(0o700)
        for file in world.files(image).values():
            file.chmod(0o600)
        service = world.Service(self.program, image)
        try:
            if service.ready() is None:
                return [f"not started: {service.said()[-300:]}"]
            _, data = service.ask("GET", "/readyz", headers={"Authorization": "Bearer " + self.key})
            warnings = [warning.get("code") for warning in json.loads(data).get("warnings", [])] if data else []
            bad = [code for code in warnings if code and ("lost" in code or "damage" in code)]
            code = service.stop()
        finally:
            service.kill()
        problems = [f"warned: {bad}"] if bad else []
        problems += [f"end: the service ended with {code}"] if code != 0 else []
        return problems + ledger.problems(image / "world.db")

    def control(self, changes, count):
        """Whether the same cuts are noticed when less is made durable: without it, a check that sees nothing would pass."""
        count = min(count, len(changes) - 1)
        wrong = self.replay(changes, self.rnd.sample(range(1, len(changes)), count), is_weak=True)
        is_noticed = wrong > 0
        return is_noticed, f"{wrong} of {2 * count} images wrong" + ("" if is_noticed else ": the check has no teeth")
