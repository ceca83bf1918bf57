"""A fresh folder in which a part uses the program, and what it checked there."""
import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request

from program_checks.parts import LeftOut

# A database named in the environment would be one that all parts share.
NOT_INHERITED = ("WAYMARK_DATABASE",)


class Folder:
    """Runs the program in the folder `path`, and counts what is right and what is wrong."""

    def __init__(self, program, path, libraries=None):
        self.program, self.path, self.libraries = program, path, libraries or {}
        self.passed, self.failed = 0, 0

    def __truediv__(self, name):
        return self.path / name

    def write(self, name, text):
        (self / name).write_text(text, encoding="utf-8")

    def check(self, is_right, what, more=""):
        if is_right:
            self.passed += 1
        else:
            self.failed += 1
            print(f"WRONG: {what} {more}", flush=True)

    def start(self, *arguments, environment=None, **options):
        """Starts the program in this folder, with nothing to read."""
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        return subprocess.Popen([self.program, *map(str, arguments)], cwd=self.path, env=inherited | (environment or {}),
                                stdin=subprocess.DEVNULL, **options)

    def finish(self, *arguments, environment=None):
        """Runs the program to its end; nothing is checked."""
        with self.start(*arguments, environment=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=300)
            except BaseException:
                process.kill()
                raise
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def run(self, *arguments, code=0, environment=None):
        """Runs the program to its end; its exit code and that it did not crash are checked."""
        done = self.finish(*arguments, environment=environment)
        shown = "waymark " + " ".join(map(str, arguments))
        self.check(done.returncode == code, shown, f"ended with {done.returncode}, not {code}: {done.stderr[-400:]}")
        if code != 0:
            self.check(0 < len(done.stderr.strip()), shown, "says nothing about why")
        return done

    def json(self, *arguments):
        """Runs the program; what it prints, read as JSON."""
        return json.loads(self.run(*arguments).stdout)

    def clusters(self, box, zoom, *more):
        return self.json("clusters", "--bbox", box, "--zoom", zoom, *more)

    @contextlib.contextmanager
    def serving(self, *arguments):
        """A service on a free port: its address and its process."""
        server = self.start("serve", "--port", "0", *arguments, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            address, said = address_of(server)
            self.check(address is not None, "serve says where it is", said)
            if address is None:
                raise RuntimeError("the service does not start")
            # It says a line for every request, and would wait for somebody to read them.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            yield address, server
        finally:
            server.terminate()
            try:
                self.check(server.wait(timeout=30) == 0, "the service ends on a signal", server.returncode)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
                self.check(False, "the service ends on a signal", "and not after 30 seconds")
            server.stdout.close()

    def fetch(self, requirement):
        """Fetches a library of Python into this folder."""
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
             "--only-binary=:all:", "--target", str(self.path), requirement],
            capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            print(done.stderr.strip()[-400:], file=sys.stderr)
            raise LeftOut(f"pip could not fetch {requirement}")

    def module(self, library, name):
        """A module of a library that the part asked for."""
        folder = str(self.libraries[library])
        if folder not in sys.path:
            sys.path.insert(0, folder)
        return importlib.import_module(name)


def address_of(server, patience=120):
    """Where a service says that it is, or None if it does not within some seconds, and its last lines until then."""
    watch = threading.Timer(patience, server.kill)
    watch.start()
    said = []
    try:
        for line in server.stderr:
            said.append(line)
            if "Waymark is at " in line:
                return line.split("Waymark is at ")[1].split("/ ")[0], said[-5:]
        return None, said[-5:]
    finally:
        watch.cancel()


def get(address, headers=None):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers or {})) as answer:
        return json.load(answer)


def status_of(address, headers=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers or {})) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
