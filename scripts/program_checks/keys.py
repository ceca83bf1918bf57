"""Keys beside the database: listed, replaced with an overlap, killed meanwhile, and known by backup, restore and check."""
import json
import os
import shutil
import signal
import stat
import subprocess
import time

from program_checks.folder import get, status_of
from program_checks.parts import part
from program_checks.prepared import own_stories

ROTATED = ("tokens", "cursors", "versions", "channels", "sealing", "vapid")
FIXED = ("story-ids", "ledger", "erasures")


def contents(here):
    """The files in the folder of keys."""
    return {path.name: path.read_bytes() for path in (here / "waymark.db.keys").iterdir() if path.is_file()}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@part(own_stories)
def key_rotation(here):
    """Lists and rotates keys as an operator does; old tokens work in the overlap, and a backup brings both keys back."""
    here.write("passphrase", "correct horse battery staple\n")
    here.run("users", "add", "ana")
    token = here.run("tokens", "issue", "--user", "ana").stdout.strip()
    before = contents(here)
    listed = here.json("keys", "list")
    here.check({key["kind"] for key in listed} == {*ROTATED, *FIXED}, "all kinds are listed", listed)
    here.check({key["kind"] for key in listed if key["can_rotate"]} == {*ROTATED}, "it says which can be rotated", listed)
    here.check(all(key["reason"] for key in listed if not key["can_rotate"]), "it says why others cannot", listed)
    text = here.run("keys", "--format", "text").stdout
    here.check(not any(key.hex() in text or json.dumps(text).encode().find(key[:8]) >= 0
                       for name, key in before.items() if name.endswith(".key")), "no key is shown")
    for kind in FIXED:
        error = here.run("keys", "rotate", kind, code=2).stderr
        here.check("cannot be rotated" in error, f"{kind} says why it stays", error)
    here.run("keys", "rotate", "nothing", code=2)
    here.run("keys", "rotate", "tokens", "--overlap", "-1", code=2)
    here.run("keys", "rotate", "tokens", "--overlap", "367", code=2)
    here.run("keys", "rotate", "versions", "--overlap", "9", code=2)
    here.run("keys", "rotate", "tokens", "--database", "none.db", code=2)
    with here.serving() as (address, _):
        error = here.run("keys", "rotate", "tokens", code=1).stderr
        here.check("in use" in error, "nothing is rotated under a running service", error)
        here.check(status_of(f"{address}/v1/me", bearer(token)) == 200, "the token is valid")
    here.check(contents(here) == before, "what was refused changed no key")

    for kind in ROTATED:
        done = here.run("keys", "rotate", kind)
        here.check(f"The key {kind} was replaced" in done.stdout, "rotate says what it did", done.stdout)
        here.check("Backups from before contain the old key" in done.stderr, "it reminds of backups", done.stderr)
    here.check("add these browsers again" in here.run("keys", "rotate", "vapid").stderr, "it says that browsers are lost")
    after = contents(here)
    for kind in ROTATED:
        here.check(after[f"{kind}.key"] != before[f"{kind}.key"], f"{kind} has a new key")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (here / "waymark.db.keys").iterdir() if path.is_file()}
    here.check(modes == {0o600}, "only the owner reads keys", modes)
    former = {key["kind"]: len(key["former"]) for key in here.json("keys", "list")}
    here.check([former[kind] for kind in ROTATED] == [1, 1, 0, 1, 1, 2], "the former keys are listed", former)
    checked = here.json("check")
    here.check(checked["outcome"] == "healthy" and checked["figures"]["former_keys"] == 6, "check knows them", checked)

    file = here.run("backup", "sealed.waymark-backup", "--passphrase-file", "passphrase").stdout.strip()
    here.run("restore", file, "--passphrase-file", "passphrase", "--database", "new.db")
    with here.serving("--database", "new.db") as (address, _):
        here.check(status_of(f"{address}/v1/me", bearer(token)) == 200, "a token of the former key is valid on a new machine")
    here.run("keys", "rotate", "tokens", "--overlap", "0")
    with here.serving() as (address, _):
        here.check(status_of(f"{address}/v1/me", bearer(token)) == 200, "the key before the last has its own time")
    newest = here.run("tokens", "issue", "--user", "ana").stdout.strip()
    here.run("keys", "rotate", "tokens", "--overlap", "0")
    with here.serving() as (address, _):
        here.check(status_of(f"{address}/v1/me", bearer(newest)) == 401, "without an overlap a token ends at once")
        os.chmod(here / "waymark.db.keys" / "tokens.key", 0o644)
        codes = [warning["code"] for warning in get(f"{address}/readyz")["warnings"]]
        here.check("files-open" in codes, "readiness warns of a key that others can read", codes)
    with here.serving():
        mode = stat.S_IMODE((here / "waymark.db.keys" / "tokens.key").stat().st_mode)
        here.check(mode == 0o600, "a start closes it", oct(mode))


@part(own_stories)
def killed_key_rotation(here):
    """Kills a rotation at every write: the old key stays known, and a repetition completes it."""
    here.run("users", "add", "ana")
    token = here.run("tokens", "issue", "--user", "ana").stdout.strip()
    kills = 0
    strace = shutil.which("strace")
    for number in range(1, 9):
        if strace:
            order = [strace, "-f", "-qq", "-o", os.devnull, "-e", "trace=rename,renameat,renameat2",
                     "-e", f"inject=rename,renameat,renameat2:signal=SIGKILL:when={number}"]
            done = subprocess.run([*order, here.program, "keys", "rotate", "tokens"], cwd=here.path, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
            code = done.returncode
        else:
            process = here.start("keys", "rotate", "tokens", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.04 * number)
            process.kill()
            code = process.wait()
        kills += code in (-signal.SIGKILL, 128 + signal.SIGKILL)
        here.run("keys", "list")
    here.check(kills >= 3 or not strace, "the rotation was killed", kills)
    here.run("keys", "rotate", "tokens")
    here.check(here.json("check")["outcome"] == "healthy", "the database is healthy")
    with here.serving() as (address, _):
        here.check(status_of(f"{address}/v1/me", bearer(token)) == 200, "the first token is valid after every kill")
