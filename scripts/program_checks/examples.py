"""The examples of the guide: a receiver of webhooks, and two clients that follow the feed, held to a real service."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import threading
import time

from free_port import free_port
from program_checks.deliveries import walk
from program_checks.devices import ask
from program_checks.parts import part
from program_checks.prepared import walker

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "guide/examples"


@contextlib.contextmanager
def running(*command, environment=None):
    """A program whose lines are gathered while it runs."""
    process = subprocess.Popen(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    lines = []

    def read():
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
    threading.Thread(target=read, daemon=True).start()
    try:
        yield lines
    finally:
        process.kill()
        process.wait()


def wait(condition, seconds=40):
    end = time.time() + seconds
    while time.time() < end and not condition():
        time.sleep(0.1)
    return condition()


@part(walker)
def examples(here):
    """Runs the guide's receiver and clients: each notification arrives at each of them once."""
    database = ["--database", "walker.db"]
    key = here.run("tokens", "key", "--user", "ben", *database).stdout.strip()
    port = free_port()
    allowed = ["--allow-http", "--allow-range", "127.0.0.0/8", "--allow-port", str(port)]
    with here.serving(*database, "--rate-limit", "0", *allowed) as (address, _), contextlib.ExitStack() as stack:
        clients = {"client.py": stack.enter_context(running(
            sys.executable, EXAMPLES / "client.py", address, environment={"WAYMARK_TOKEN": key, "PATH": ""}))}
        if shutil.which("node"):
            clients["client.mjs"] = stack.enter_context(running(
                shutil.which("node"), EXAMPLES / "client.mjs", address, environment={"WAYMARK_TOKEN": key}))
        made = json.loads(ask(address + "/v1/me/channels", key, {"kind": "webhook", "target": {"url": f"http://127.0.0.1:{port}/"}})[1])
        received = stack.enter_context(running(sys.executable, EXAMPLES / "receiver.py", port, made["secret"]))
        time.sleep(1)

        def state():
            return json.loads(ask(f"{address}/v1/me/channels/{made['id']}", key)[1])["state"]
        ask(f"{address}/v1/me/channels/{made['id']}/verify", key, {})
        here.check(wait(lambda: state() == "active"), "the receiver answers the challenge", state())
        walk(address, key)
        here.check(wait(lambda: len(received) >= 2), "the receiver gets the notification", received)
        for name, lines in clients.items():
            here.check(wait(lambda lines=lines: len(lines) >= 1), f"{name} gets the notification", lines)
        time.sleep(2)
        here.check(len(received) == 2 and received[0].startswith("endpoint.verification"), "and nothing twice", received)
        for name, lines in clients.items():
            here.check(len(lines) == 1 and lines[0] in received[1], f"{name} gets it once, under the same title", lines)
