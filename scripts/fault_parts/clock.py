"""Sets the wall clock of the service forward and back, and holds what it announces to a run with a clock that is right."""
import contextlib
import pathlib
import signal
import sqlite3
import struct
import tempfile
import time

from fault_parts import world
from fault_parts.report import Ended, Report
from program_checks.crashes import Storm

DAY, HOUR = 86_400, 3_600
# By how much, whether while it runs, and what its log has to say.
CHANGES = (
    ("a day forward while running", DAY, True, ("the clock jumped",)),
    ("an hour back while running", -HOUR, True, ("the clock jumped",)),
    ("a day forward across a start", DAY, False, ("the clock is far ahead", "the clock jumped", "the new time of the clock")),
    ("an hour back across a start", -HOUR, False, ("the clock was set back", "the clock jumped", "the new time of the clock")),
)
# After so many seconds a service believes a clock that was set.
ADOPTED = 35


class Clocks:
    def __init__(self, program, options, folder):
        self.program, self.options, self.folder = program, options, pathlib.Path(folder)
        self.report, self.notified, self.said = Report("clock", options.seed), 0, {}

    def run(self):
        shim = world.build_shim(self.folder)
        if shim is None:
            print("clock: left out: there is no C compiler")
            return False
        try:
            for turn in range(self.options.rounds):
                with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                    self.turn(pathlib.Path(folder), shim, self.options.seed + turn)
        except Ended:
            print("clock: ended before its time")
        self.report.figures |= {
            "notifications": f"{self.notified} under a clock that was set",
            "said": "; ".join(f"{count} times {line!r}" for line, count in sorted(self.said.items())),
        }
        return self.report.close()

    def turn(self, folder, shim, seed):
        storm = Storm(self.program, folder, self.options.people, seed)
        # Warnings are remarks: a quiet service says only what is an error.
        storm.more = []
        storm.prepare()
        (folder / "calm").mkdir()
        calm, _, problems = storm.weather("calm", 0)
        self.report.trial(f"seed {seed}, no change", [f"answer: {problem}" for problem in problems] + list(self.wrong(storm, calm, calm)))
        for number, (name, seconds, is_running, lines) in enumerate(CHANGES):
            place, lie = folder / f"set{number}", folder / f"clock{number}"
            place.mkdir()
            lie.write_bytes(struct.pack("q", 0))
            storm.environment = {"LD_PRELOAD": str(shim), "FAULTS_CLOCK": str(lie)}

            def disturb(process, serve):
                if not is_running:
                    process.send_signal(signal.SIGTERM)
                    process.wait(60)
                # Written in place: the service has mapped the file.
                with open(lie, "r+b") as file:
                    file.write(struct.pack("q", seconds))
                process = process if is_running else serve()
                time.sleep(self.options.hold)
                return process

            feeds, _, problems = storm.weather(f"set{number}", 0, disturb)
            storm.environment = {}
            self.notified += sum(len(feed["items"]) for feed in feeds.values())
            log = (place / "world.log").read_text()
            found = [f"answer: {problem}" for problem in problems] + list(self.wrong(storm, feeds, calm))
            heard = [line for line in lines if line in log]
            for line in heard:
                self.said[line] = self.said.get(line, 0) + 1
            if is_running and self.options.hold > ADOPTED and "the new time of the clock was adopted" not in log:
                found.append("silent: the log does not say that the new time was adopted")
            if not heard:
                found.append(f"silent: the log does not say that the clock was set: {log[-200:]}")
            with contextlib.closing(sqlite3.connect(place / "world.db")) as database:
                if (sound := database.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
                    found.append(f"integrity: {sound[:2]}")
            self.report.trial(f"seed {seed}, {name}", found)

    def wrong(self, storm, feeds, calm):
        """What somebody was notified of too often or not at all."""
        for name in storm.people:
            told = [story for _, content in feeds[name]["items"] for story in content]
            if len(told) != len(set(told)):
                yield f"doubled: {name} was notified twice"
            if len(set(told)) != storm.stories(name) or feeds[name]["ledger"] != storm.stories(name):
                yield f"lost: {name} was notified of {len(set(told))} stories, not {storm.stories(name)}"
            if set(told) != {story for _, content in calm[name]["items"] for story in content}:
                yield f"lost: {name} was notified of other stories than with a clock that is right"
