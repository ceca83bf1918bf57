"""Runs parts side by side, each in a fresh folder that is removed afterwards, and counts what they check."""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from program_checks.folder import Folder
from program_checks.parts import PARTS, LeftOut, Preparation
from side_by_side import Job, Run, last_words, listen_for_end, processors

WIDTH = 28
# How many lines of a part that fails are repeated at the end.
REPEATED = 40
# Begun first, because they take longest: one of them that began last would keep a processor busy alone.
LONGEST = ("plausible-real-stories", "killed-services", "damaged-gazetteer", "flips", "pictures", "failing-disks", "older-copy",
           "cancelled-beside-a-service", "basemap", "killed-imports", "exports-come-back", "crashes", "backup-and-restore",
           "encryption", "deliveries", "key-rotation", "export-files", "real-zooms", "dry-runs", "locating", "killed-undoing")


class Failed(Exception):
    """Something was wrong in a part or in a preparation."""


class Unprepared(Failed):
    """A preparation failed, so that nothing that needs it can run."""


class Runner:
    def __init__(self, program, root, width):
        self.program, self.root, self.width = program, pathlib.Path(root), width
        self.passed, self.wrong = 0, 0
        # The folder of each preparation that was needed so far, or the exception with which it ended.
        self.prepared = {}
        self.failures, self.left_out, self.repeated = [], [], []
        self.jobs, self.folders = {}, {}

    def all(self, names):
        """Runs these parts and what they need; what became of them is noted in `failures` and `left_out`."""
        rank = {name: place for place, name in enumerate(LONGEST)}
        for name in sorted(names, key=lambda name: rank.get(name, len(rank))):
            self.job(PARTS[name])
        with tempfile.TemporaryDirectory(prefix="said-", dir=self.root) as folder:
            Run(self.width, folder, self.ended, is_live=self.width == 1).all(self.jobs.values())

    def job(self, what):
        """The job of a part or of a preparation, behind those of what it needs."""
        if what not in self.jobs:
            needs = tuple(self.job(need) for need in what.needs)
            self.folders[what] = self.root / str(len(self.folders) + 1)
            self.jobs[what] = Job(what.name, lambda: self.run(what), needs, getattr(what, "is_alone", False))
        return self.jobs[what]

    # In the process of a part.

    def run(self, what):
        """Does the work of a part or a preparation, and writes down what became of it."""
        found = {"passed": 0, "wrong": 0}
        path = self.folders[what]
        path.mkdir(mode=0o700)
        try:
            self.work(what, path, found)
        except LeftOut as reason:
            found["left out"] = str(reason)
            if not isinstance(what, Preparation):
                print(f"{what.name:<{WIDTH}} left out: {reason}", flush=True)
        except Failed as reason:
            found["problem"] = str(reason)
            if isinstance(reason, Unprepared) and not isinstance(what, Preparation):
                print(f"{what.name:<{WIDTH}} not run: {reason}  FAILED", flush=True)
        self.found(what).write_text(json.dumps(found), encoding="utf-8")
        return 1 if "problem" in found else 0

    def found(self, what):
        return self.root / f"{self.folders[what].name}.json"

    def work(self, what, path, found):
        """Calls a function in a folder that has what it needs, prints its line, and raises when something was wrong."""
        for need in what.needs:
            if isinstance(self.prepared[need], Exception):
                raise self.prepared[need]
        libraries = {need: self.prepared[need] for need in what.needs if need.is_library}
        here, problem, start = Folder(self.program, path, libraries), None, time.monotonic()
        try:
            for need in what.needs:
                if not need.is_library:
                    shutil.copytree(self.prepared[need], path, dirs_exist_ok=True)
            (what.make if isinstance(what, Preparation) else what.check)(here)
        except LeftOut:
            # A check that failed before is not forgotten because something is missing.
            if here.failed == 0:
                raise
        except Exception:
            traceback.print_exc(file=sys.stdout)
            problem = "it broke off"
        finally:
            found["passed"], found["wrong"] = here.passed, here.failed
        checks = here.passed + here.failed
        if here.failed:
            problem = f"{here.failed} of {checks} checks failed" + (f", and {problem}" if problem else "")
        name = "  " * isinstance(what, Preparation) + what.name
        line = f"{name:<{WIDTH}} {checks:4} checks {time.monotonic() - start:6.1f} s"
        print(line + ("  FAILED" if problem else ""), flush=True)
        if problem:
            raise Failed(problem)

    # In the process that counts.

    def ended(self, job, status, text):
        """Shows what a part or a preparation wrote, and notes what became of it."""
        what = next(what for what, other in self.jobs.items() if other is job)
        print(text, end="", flush=True)
        try:
            found = json.loads(self.found(what).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = {"passed": 0, "wrong": 0, "problem": f"it ended with {status}"}
        self.passed += found["passed"]
        self.wrong += found["wrong"]
        problem, missing = found.get("problem"), found.get("left out")
        if isinstance(what, Preparation):
            self.prepared[what] = self.folders[what]
            if missing is not None:
                self.prepared[what] = LeftOut(missing)
            elif problem is not None:
                self.prepared[what] = Unprepared(f"{what.name} could not be prepared: {problem}")
        else:
            shutil.rmtree(self.folders[what], ignore_errors=True)
            if missing is not None:
                # Continuous integration has everything: there, nothing may be missing unnoticed.
                (self.failures if os.environ.get("CI") == "true" else self.left_out).append(f"{what.name}: {missing}")
            elif problem is not None:
                self.failures.append(f"{what.name}: {problem}")
        if problem is not None and text:
            self.repeated.append(f"== {what.name}\n{last_words(text, REPEATED)}")


def listed():
    return "\n".join(f"  {part.name:<{WIDTH}} {part.purpose}" for part in PARTS.values())


def read(arguments, purpose):
    """The program, the names of the parts to run and how many at a time, or None where the parts are only to be listed."""
    parser = argparse.ArgumentParser(prog="check-program", description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="list the parts and end")
    parser.add_argument("--jobs", type=int, metavar="N", help="how many parts at a time; as many as there are processors, unless given")
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="the built program")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a part to run; without any, all run")
    given = parser.parse_args(arguments)
    if given.list:
        return None
    if given.program is None:
        parser.error("give the path of the built program")
    program = pathlib.Path(given.program).resolve()
    if not program.is_file() or not os.access(program, os.X_OK):
        parser.error(f"there is no program at {given.program}")
    unknown = [name for name in given.names if name not in PARTS]
    if unknown:
        parser.error(f"no part is called {', '.join(unknown)}; there are\n{listed()}")
    if given.jobs is not None and given.jobs < 1:
        parser.error("--jobs must be at least 1")
    names = given.names or list(PARTS)
    # A part by itself shows what it writes as it comes.
    return str(program), names, 1 if len(names) == 1 else given.jobs or processors()


def main(arguments, purpose):
    given = read(arguments, purpose)
    if given is None:
        print(listed())
        return 0
    program, names, width = given
    # Leaves neither folders nor services behind when it is ended from outside.
    listen_for_end()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="check-program-", ignore_cleanup_errors=True) as root:
        runner = Runner(program, root, width)
        runner.all(names)
    for text in runner.repeated:
        print(text)
    left_out = f", {len(runner.left_out)} left out" if runner.left_out else ""
    print(f"{runner.passed} passed, {runner.wrong} failed{left_out}, {time.monotonic() - start:.0f} s")
    for failure in runner.failures:
        print(f"Failed: {failure}")
    return 1 if runner.failures else 0
