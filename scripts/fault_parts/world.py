"""A database with stories on roads and elsewhere, and a service that runs on a copy of it with faults switched on."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

from free_port import free_port

METRE = 1 / 111_195
# Along a road at one latitude: a place every 300 metres, of which a car passes one every 27 seconds.
APART, SPEED, PLACES = 300, 11, 400
SCOPES = "act-as,stories:read,stories:write,fixes:write,notifications:read,notifications:manage,account:manage,admin:ops"
# A database named in the environment is not the one under test.
INHERITED = {name: value for name, value in os.environ.items() if name != "WAYMARK_DATABASE"}


class Broken(Exception):
    """The program did not do what every trial needs before it begins."""


def latitude(driver):
    return 10 + .02 * driver


def run(program, database, *words):
    done = subprocess.run([program, *words, "--database", str(database)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=INHERITED, timeout=1800)
    if done.returncode:
        raise Broken(f"waymark {' '.join(words[:2])} ended with {done.returncode}: {done.stderr[-400:]}")
    return done.stdout


def make(program, folder, stories, drivers):
    """Makes the world of a number of stories in a folder, once; a second run finds it there."""
    folder = pathlib.Path(folder)
    if (folder / "made").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rnd, database = random.Random(3), folder / "world.db"
    rows = ["id,title,lat,lon"]
    for driver in range(drivers):
        rows += [f"p{driver}-{place},Place {driver} {place},{latitude(driver):.6f},{20 + APART * METRE * (place + 1):.6f}"
                 for place in range(PLACES)]
    rows += [f"s{n},Story {n},{25 + rnd.random() * 24:.6f},{-124 + rnd.random() * 57:.6f}"
             for n in range(max(0, stories - drivers * PLACES))]
    (folder / "world.csv").write_text("\n".join(rows) + "\n")
    run(program, database, "import", str(folder / "world.csv"), "--quiet")
    for driver in range(drivers):
        run(program, database, "users", "add", f"u{driver}")
        run(program, database, "users", "opt-in", f"u{driver}")
    key = run(program, database, "tokens", "key", "--service", "faults", "--scopes", SCOPES).split()[0]
    (folder / "key").write_text(key)
    (folder / "made").touch()


def files(folder):
    """Everything that belongs to the database of a folder, by its path; shared memory does not."""
    folder = pathlib.Path(folder)
    return {str(path): path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm")}


def copy(source, target):
    """Copies a database with all that lies beside it. The shared memory is not copied: it does not outlive a machine."""
    target = pathlib.Path(target)
    for path in pathlib.Path(source).rglob("*"):
        place = path.relative_to(source)
        if not place.parts[0].startswith("world.db") or place.name.endswith("-shm"):
            continue
        if path.is_dir():
            (target / place).mkdir(parents=True, exist_ok=True)
        else:
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / place)
    shutil.copystat(source, target)
    for path in pathlib.Path(source).rglob("*.keys"):
        shutil.copystat(path, target / path.relative_to(source))


def build_shim(folder):
    """Builds the library that makes faults happen; needs a C compiler."""
    compiler = next((name for name in ("cc", "clang", "gcc") if shutil.which(name)), None)
    if compiler is None:
        return None
    built = pathlib.Path(folder) / "shim.so"
    source = pathlib.Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", built, source, "-ldl", "-lpthread"], check=True)
    return built


class Service:
    """The program under test, on the database of a folder."""

    def __init__(self, program, folder, port=None, faults=None, shim=None):
        self.folder, self.port = pathlib.Path(folder), port or free_port()
        # Not in the folder: what is logged is no change of the database.
        self.log_path = self.folder.with_name(self.folder.name + ".log")
        self.log = open(self.log_path, "ab")
        self.log_start = self.log_path.stat().st_size
        environment = dict(INHERITED)
        if faults:
            environment |= {"LD_PRELOAD": str(shim), "FAULTS_PATH": str(self.folder)} | faults
        words = [program, "serve", "--database", str(self.folder / "world.db"), "--port", str(self.port), "--rate-limit", "0"]
        self.began = time.monotonic()
        self.process = subprocess.Popen([*words, "--quiet"], stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, env=environment)

    def ready(self, patience=120):
        """How many seconds it took to get ready; None if it ended before."""
        while time.monotonic() < self.began + patience:
            status, _ = self.ask("GET", "/readyz")
            if status == 200:
                return time.monotonic() - self.began
            if self.process.poll() is not None:
                return None
            time.sleep(0.01)
        raise Broken(f"the service does not get ready: {self.said()[-400:]}")

    def ask(self, method, path, body=None, headers=None, patience=5):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"} | (headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def said(self):
        """What it logged since it was started."""
        with open(self.log_path, "rb") as file:
            file.seek(self.log_start)
            return file.read().decode(errors="replace")

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self, patience=60):
        """Ends it with a signal; its exit code, or None if it had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill()
