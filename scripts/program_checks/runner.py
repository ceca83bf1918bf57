"""Runs parts, each in a fresh folder that is removed afterwards, and counts what they check."""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

from program_checks.folder import Folder
from program_checks.parts import PARTS, LeftOut

WIDTH = 28


class Failed(Exception):
    """Something was wrong in a part or in a preparation."""


class Unprepared(Failed):
    """A preparation failed, so that nothing that needs it can run."""


class Runner:
    def __init__(self, program, root):
        self.program, self.root = program, pathlib.Path(root)
        self.passed, self.wrong, self.folders = 0, 0, 0
        # The folder of each preparation that was needed so far, or the exception with which it ended.
        self.prepared = {}
        self.failures, self.left_out = [], []

    def fresh(self):
        self.folders += 1
        path = self.root / str(self.folders)
        path.mkdir(mode=0o700)
        return path

    def run(self, part):
        """Runs a part and notes in `failures` or `left_out` what became of it."""
        path = self.fresh()
        try:
            self.work(part.name, part.check, part.needs, path)
        except LeftOut as reason:
            print(f"{part.name:<{WIDTH}} left out: {reason}", flush=True)
            # Continuous integration has everything: there, nothing may be missing unnoticed.
            (self.failures if os.environ.get("CI") == "true" else self.left_out).append(f"{part.name}: {reason}")
        except Failed as reason:
            if isinstance(reason, Unprepared):
                print(f"{part.name:<{WIDTH}} not run: {reason}  FAILED", flush=True)
            self.failures.append(f"{part.name}: {reason}")
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def prepare(self, preparation):
        """The folder of a preparation, made when it is first needed; a failure is remembered as well."""
        if preparation not in self.prepared:
            path = self.fresh()
            try:
                self.work("  " + preparation.name, preparation.make, preparation.needs, path)
                self.prepared[preparation] = path
            except LeftOut as reason:
                self.prepared[preparation] = reason
            except Failed as reason:
                self.prepared[preparation] = Unprepared(f"{preparation.name} could not be prepared: {reason}")
        if isinstance(self.prepared[preparation], Exception):
            raise self.prepared[preparation]
        return self.prepared[preparation]

    def work(self, name, function, needs, path):
        """Calls a function in a folder that has what it needs, prints its line, and raises when something was wrong."""
        made = {need: self.prepare(need) for need in needs}
        libraries = {need: folder for need, folder in made.items() if need.is_library}
        here, problem, start = Folder(self.program, path, libraries), None, time.monotonic()
        try:
            for need, folder in made.items():
                if not need.is_library:
                    shutil.copytree(folder, path, dirs_exist_ok=True)
            function(here)
        except LeftOut:
            # A check that failed before is not forgotten because something is missing.
            if here.failed == 0:
                raise
        except Exception:
            traceback.print_exc(file=sys.stdout)
            problem = "it broke off"
        finally:
            self.passed += here.passed
            self.wrong += here.failed
        checks = here.passed + here.failed
        if here.failed:
            problem = f"{here.failed} of {checks} checks failed" + (f", and {problem}" if problem else "")
        line = f"{name:<{WIDTH}} {checks:4} checks {time.monotonic() - start:6.1f} s"
        print(line + ("  FAILED" if problem else ""), flush=True)
        if problem:
            raise Failed(problem)


def listed():
    return "\n".join(f"  {part.name:<{WIDTH}} {part.purpose}" for part in PARTS.values())


def read(arguments, purpose):
    """The program and the names of the parts to run, or None where the parts are only to be listed."""
    parser = argparse.ArgumentParser(prog="check-program", description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="list the parts and end")
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
    return str(program), given.names or list(PARTS)


def main(arguments, purpose):
    given = read(arguments, purpose)
    if given is None:
        print(listed())
        return 0
    program, names = given
    # Leaves neither folders nor services behind when it is ended from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="check-program-", ignore_cleanup_errors=True) as root:
        runner = Runner(program, root)
        for name in names:
            runner.run(PARTS[name])
    left_out = f", {len(runner.left_out)} left out" if runner.left_out else ""
    print(f"{runner.passed} passed, {runner.wrong} failed{left_out}, {time.monotonic() - start:.0f} s")
    for failure in runner.failures:
        print(f"Failed: {failure}")
    return 1 if runner.failures else 0
