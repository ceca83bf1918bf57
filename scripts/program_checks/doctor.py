"""'waymark doctor': what it says of a healthy place, a broken one and a running service, and that it leaves everything alone."""
import json
import os
import socket

from free_port import free_port
from program_checks.parts import part
from program_checks.prepared import own_stories
from program_checks.settings import certificate


def look(here, *arguments, code=0):
    """What doctor found, as (subject, state) to the words about it."""
    report = json.loads(here.run("doctor", "--format", "json", *arguments, code=code).stdout)
    here.check(report["outcome"] == ("attention" if code else "healthy"), "the outcome fits the exit code", report["outcome"])
    found = {}
    for finding in report["findings"]:
        words = finding["detail"] + " " + (finding.get("remedy") or "")
        found.setdefault((finding["subject"], finding["state"]), []).append(words)
    return {key: " ".join(words) for key, words in found.items()}


def contents(here):
    return {str(file): (file.stat().st_mtime_ns, file.stat().st_mode, file.stat().st_size) for file in here.path.rglob("*")}


@part()
def doctor_without_database(here):
    """Finds the program's libraries and data in an empty folder, and makes nothing there."""
    port = free_port()
    here.write("waymark.yaml", f"port: {port}\n")
    found = look(here, "--offline", "--database", "new.db")
    for library in ("libfido2", "libmosquitto", "librsvg-2", "libturbojpeg"):
        here.check(".so" in found.get((library, "ok"), ""), f"{library} is where it says", found)
    for subject in ("program", "SpatiaLite", "PROJ", "libcurl", "pages", "place names", "map under the stories", "settings"):
        here.check((subject, "ok") in found, f"{subject} is found", found)
    here.check(any(key[0] == "SQLite" for key in found), "the version of SQLite is said", found)
    here.check("new.db yet" in found.get(("database", "note"), ""), "there is no database yet", found)
    here.check([file.name for file in here.path.iterdir()] == ["waymark.yaml"], "nothing is made")
    text = here.run("doctor", "--format", "text", "--offline", "--database", "new.db").stdout.splitlines()
    here.check(all(line.split()[0] in ("ok", "note", "problem") for line in text) and len(text) > 15, "one line each", text)
    found = look(here, "--offline", "--database", "nowhere/new.db", code=1)
    here.check("mkdir -p" in found.get(("database", "problem"), ""), "a missing folder is a problem", found)
    here.write("waymark.yaml", f"port: {port}\nprot: 1\n")
    found = look(here, "--offline", code=1)
    here.check("waymark.yaml:2: prot: there is no such setting. Did you mean port?" in found.get(("settings", "problem"), ""), "names the line", found)
    here.check(f"127.0.0.1:{port} is free" in found.get(("address", "ok"), ""), "what is right is used nevertheless", found)


@part(own_stories)
def doctor_of_a_database(here):
    """Says how a database is kept, without a change to any file."""
    port = f"port: {free_port()}\n"
    here.write("waymark.yaml", port)
    before = contents(here)
    found = look(here, "--offline")
    for subject in ("database", "version of the database", "keys", "disk", "file system"):
        here.check((subject, "ok") in found, f"{subject} is fine", found)
    here.check(contents(here) == before, "no file is made or touched", set(contents(here)) ^ set(before))
    os.chmod(here / "waymark.db", 0o644)
    found = look(here, "--offline", code=1)
    here.check("can read the database" in found.get(("rights", "problem"), ""), "what others may read is a problem", found)
    here.check((here / "waymark.db").stat().st_mode & 0o777 == 0o644, "it corrects nothing")
    os.chmod(here / "waymark.db", 0o600)
    (here / "waymark.db.keys").rename(here / "away")
    here.check("is missing" in look(here, "--offline", code=1).get(("keys", "problem"), ""), "missing keys are a problem")
    (here / "away").rename(here / "waymark.db.keys")
    for name, change, words in [("tokens.key", lambda file: file.unlink(), "tokens.key is missing"),
                                ("channels.key", lambda file: file.write_bytes(os.urandom(32)), "is not the key that it was")]:
        key = here / "waymark.db.keys" / name
        was = key.read_bytes()
        change(key)
        there = key.exists()
        found = look(here, "--offline", code=1)
        here.check(words in found.get(("keys", "problem"), ""), f"a key is looked at: {words}", found)
        here.check(key.exists() == there, "no key is made")
        key.write_bytes(was)
        key.chmod(0o600)
    for place, mode, usual, subject in [("waymark.db", 0o400, 0o600, "database"), ("waymark.db.keys", 0, 0o700, "keys"), (".", 0o500, 0o700, "folder of the database")]:
        # The superuser reads what nobody may.
        if mode or os.geteuid():
            os.chmod(here / place, mode)
            found = look(here, "--offline", code=1)
            os.chmod(here / place, usual)
            here.check("chmod" in found.get((subject, "problem"), ""), f"{place} with the mode {mode:o} is a problem", found)
    here.write("waymark.yaml", port + "refuse-below: 1000TB\nwarn-below: 1000TB\n")
    here.check("--refuse-below" in look(here, "--offline", code=1).get(("disk", "problem"), ""), "the limits are the operator's")
    here.write("other.db", "no database")
    here.check(("database", "problem") in look(here, "--offline", "--database", "other.db", code=1), "another file is none")


@part(own_stories)
def check_of_a_cut_database(here):
    """Says of a database that was cut off what helps, and of a device that it is none."""
    half = (here / "waymark.db").read_bytes()
    half = half[:len(half) // 2]
    (here / "waymark.db").write_bytes(half)
    for options in ([], ["--repair"]):
        finding = json.loads(here.run("check", "--format", "json", *options, code=1).stdout)["findings"][0]
        here.check("was cut off" in finding["detail"] and "waymark restore" in finding["remedy"], f"check {options} says what helps", finding)
    error = here.run("check", "--accept", code=1).stderr
    here.check("is not accepted" in error and "waymark restore" in error, "nor is it accepted", error)
    here.check((here / "waymark.db").read_bytes() == half, "nothing is changed")
    error = here.run("check", "--database", "/dev/null", code=1).stderr
    here.check("is a device" in error and "delete" not in error, "a device is refused", error)


@part(own_stories)
def doctor_beside_a_service(here):
    """Asks the service that holds the database, with TLS and without, and tells another program from it."""
    port = free_port()
    for encrypted in (False, True):
        if encrypted:
            certificate(here, "a")
        options = ["--tls-certificate", "a.pem", "--tls-key", "a.key"] if encrypted else []
        here.write("waymark.yaml", f"port: {port}\n" + ("tls-certificate: a.pem\ntls-key: a.key\n" if encrypted else ""))
        with here.serving("--port", str(port), *options):
            found = look(here, "--offline")
            here.check("the service answers" in found.get(("address", "ok"), ""), "asks the service", found)
            here.check("in use by a service" in found.get(("database", "ok"), ""), "knows who holds the database", found)
            here.check((("certificate", "ok") in found) == encrypted, "says until when the certificate is valid", found)
            found = look(here, "--offline", "--database", "other.db", code=1)
            words = found.get(("address", "problem"), "")
            here.check("another database" in words and "give another --port" in words, "another service is in the way of this one", found)
    elsewhere = free_port()
    here.write("waymark.yaml", f"port: {port}\n")
    with here.serving("--port", str(elsewhere)):
        found = look(here, "--offline")
        here.check("--port" in found.get(("address", "note"), ""), "says how to find a service that has another port", found)
        found = look(here, "--offline", "--port", str(elsewhere))
        here.check(f"answers at 127.0.0.1:{elsewhere}" in found.get(("address", "ok"), ""), "asks at the port that it is given", found)
    here.run("doctor", "--port", "65536", code=2)
    with socket.create_server(("127.0.0.1", port)):
        found = look(here, "--offline", code=1)
        here.check("another program" in found.get(("address", "problem"), ""), "another program has the port", found)


@part()
def doctor_of_other_machines(here):
    """Connects to what the settings name, shows no secret, and leaves them out with --offline."""
    port = free_port()
    here.write("secret.txt", "hunter2-secret\n")
    here.write("waymark.yaml", f"port: {free_port()}\nsmtp: smtp://localhost:{port}\nmail-from: waymark@example.org\nsmtp-user: waymark\n"
                               "smtp-password-file: secret.txt\n")
    found = look(here, code=1)
    here.check(f"localhost:{port}" in found.get(("mail server", "problem"), ""), "a mail server that is away is a problem", found)
    here.check(not any("hunter2" in words for words in found.values()), "no secret is shown", found)
    here.check(not any(key[0] == "mail server" for key in look(here, "--offline")), "--offline leaves it out")
    with socket.create_server(("127.0.0.1", port)):
        here.check(("mail server", "ok") in look(here), "a mail server that answers is fine")
    client = f"port: {free_port()}\noidc-client-id: waymark\n"
    with socket.create_server(("127.0.0.1", port)):
        here.write("waymark.yaml", f"{client}oidc-issuer: http://user:hunter2@127.0.0.1:{port}/\n")
        found = look(here, code=1)
        here.check("OpenID Connect forbids" in found.get(("settings", "problem"), ""), "an issuer has no user", found)
        here.check(not any("hunter2" in words for words in found.values()), "nor is a password in an address shown", found)
        here.check(not any(key[0] == "provider for signing in" for key in found), "what is refused is not asked", found)
        here.write("waymark.yaml", f"{client}oidc-issuer: http://127.0.0.1:{port}/\n")
        here.check(("provider for signing in", "ok") in look(here), "a provider on this machine answers")
    here.write("waymark.yaml", f"{client}oidc-issuer: https://169.254.169.254/\n")
    found = look(here, code=1)
    here.check("does not connect to such an address" in found.get(("provider for signing in", "problem"), ""), "nor dials it what the service does not", found)
