"""What the scripts that look at the pages share: a service to look at, and a browser to look with."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CHROMIUM = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync",
            "--disable-component-update", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
START = 600  # seconds until a service has to be there; a million stories take a while


def browser_path():
    """Debian's or another Chromium; None without one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def launch(playwright):
    return playwright.chromium.launch(executable_path=browser_path(), args=CHROMIUM)


def program_path(given):
    """The built program: the one given, else the newest of this checkout."""
    if given:
        return str(pathlib.Path(given).resolve())
    here = pathlib.Path(__file__).resolve().parent.parent / ".build"
    built = [here / kind / "waymark" for kind in ("release", "debug")]
    found = sorted((path for path in built if path.exists()), key=lambda path: path.stat().st_mtime)
    if not found:
        sys.exit("There is no built program: run `swift build` first, or name one.")
    return str(found[-1])


def run(program, *arguments, data=None):
    """Runs the program to its end and returns what it prints."""
    done = subprocess.run([program, *map(str, arguments)], input=data, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"waymark {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


@contextlib.contextmanager
def serving(program, database, *options, environment=None):
    """A service on a free port, without limits for visitors: its address."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [program, "serve", "--database", str(database), "--port", "0", "--rate-limit", "0", *map(str, options)],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=os.environ | (environment or {}))
        try:
            yield address_of(process, said)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def address_of(process, said):
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        said.seek(0)
        text = said.read()
        found = re.search(r"Waymark is at (http://[^ ]*?)/ ", text)
        if found:
            return found[1]
        if process.poll() is not None:
            sys.exit(f"The service did not start: {text[-800:]}")
        time.sleep(0.1)
    sys.exit("The service did not start in time.")
