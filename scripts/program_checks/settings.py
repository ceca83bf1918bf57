"""Settings from a file, the environment and options; TLS in the program; metrics and logs for operators."""
import json
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

from free_port import free_port
from program_checks.parts import part


@part()
def table(here):
    """Has a setting for every option of serve, with the same default, and no other."""
    dump = json.loads(here.run("serve", "--experimental-dump-help").stdout)
    options = {}
    for argument in dump["command"]["arguments"]:
        names = [name["name"] for name in argument.get("names") or [] if name["kind"] == "long"]
        # `--no-NAME` is the other half of the setting NAME.
        if names and names[0].removeprefix("no-") not in options:
            options[names[0]] = argument.get("defaultValue")
    lines = here.run("config", "show", "--all").stdout.splitlines()
    settings = dict(re.match(r"([a-z-]+): (.*)  \(default\)$", line).groups() for line in lines if "(default)" in line)
    once = {"after-old-copy", "config", "demo", "dev", "help", "quiet", "version"}
    here.check(set(options) - once == set(settings), "settings are the options of serve", (set(options) - once) ^ set(settings))
    for name, standard in options.items():
        # Sizes and times are written in another unit by the option.
        if standard is not None and name in settings and name not in ("stop-within", "warn-below", "refuse-below"):
            same = settings[name] == standard or standard.removesuffix(".0") == settings[name]
            here.check(same or settings[name] == "no", f"--{name} has the default of the table", f"{standard} {settings[name]}")


@part()
def precedence(here):
    """Takes an option before the environment, the environment before the file; refuses a wrong file whole."""
    done = here.run("config", "show")
    here.check(done.stdout == "" and "every setting has its default" in done.stderr and "--all" in done.stderr, "says that nothing is set", done)
    here.write("waymark.yaml", "# of the house\nport: 70001\nrate_limit: 5\n")
    for command in (["config", "check"], ["config", "show"], ["serve", "--port", "0"]):
        error = here.run(*command, code=2).stderr
        here.check("waymark.yaml:3: rate_limit: there is no such setting. Did you mean rate-limit?" in error, "names the line", error)
    here.check(not (here / "waymark.db").exists(), "a wrong setting makes no database")
    here.write("waymark.yaml", "rate-limit: 40\nbackup-keep: 3\nbackup-to: .\nsmtp-password-file: waymark.yaml\nlog-format: json\n")
    here.run("config", "check")
    shown = here.run("config", "show", environment={"WAYMARK_RATE_LIMIT": "50"}).stdout
    here.check("rate-limit: 50  (WAYMARK_RATE_LIMIT)" in shown, "the environment comes before the file", shown)
    here.check("hsts" not in shown, "shows no defaults", shown)
    here.check("backup-keep: 3  (waymark.yaml:2)" in shown and "smtp-password-file: <hidden>" in shown, "places, but no secrets", shown)
    here.write("waymark.yaml", "allow-embedding: [app.example]\n")
    error = here.run("config", "check", code=2).stderr
    here.check("waymark.yaml:1: allow-embedding: " in error, "check judges as serve does", error)
    for text, words in [("allow-range: [10.0.0.0/8, x/y]", "x/y"), ("smtp: ftp://x\nmail-from: nobody@example.org", "waymark.yaml:1: smtp"),
                        ("smtp: smtp://localhost:25", "waymark.yaml:1: smtp: needs mail-from"), ("vapid-subject: x", "1: vapid-subject: "), ("hsts: yes", "1: hsts: needs tls-certificate"),
                        ("fcm-account: waymark.yaml", "waymark.yaml:1: fcm-account: "), ("apns-key-id: ABCDE12345", "1: apns-key-id: needs apns-key"),
                        ("certificates: waymark.yaml", "contains no certificate in PEM"), ("issuer: https://a.example", "must be given together"),
                        ("jwks: waymark.yaml\nissuer: https://a.example\naudience: stories", "1: jwks: "),
                        ("database: missing/waymark.db", "does not exist. Make it with"), ("port: 9000\nmetrics-port: 9000", "both 9000"),
                        ("database: /dev/null", "1: database: /dev/null is a device or a pipe"), ("database: .", "1: database: . is a folder"),
                        ("warn-below: 100MB\nrefuse-below: 900000GB", "2: refuse-below: must not be more than warn-below"),
                        ("backup-every: 24h", "1: backup-every: needs backup-to"), ("backup-keep: 7", "1: backup-keep: needs backup-to"),
                        ("backup-every: 5y", "waymark.yaml:1: backup-every: must be a number with m, h or d"),
                        ("port: x\nbackup-every: 5y", "waymark.yaml:2: backup-every: must be a number with m, h or d")]:
        here.write("waymark.yaml", text + "\n")
        error = here.run("config", "check", code=2).stderr
        here.check(words in error, f"check refuses {text}", error)
        served = here.run("serve", code=2).stderr
        here.check(served == error, f"serve refuses {text} in the same words", served)
    for text in ("warn-below: 1GB\nrefuse-below: 1GB", "warn-below: 0\nrefuse-below: 2GB", "warn-below: 1GB\nrefuse-below: 0", "refuse-below: 9GB", "warn-below: 1MB"):
        here.write("waymark.yaml", text + "\n")
        here.run("config", "check")
    here.write("waymark.yaml", "apns-key: waymark.yaml\napns-key-id: a\napns-team: b\n")
    error = here.run("config", "check", code=2).stderr
    for words in ("1: apns-key: must be the content", "2: apns-key-id: must be ten letters", "3: apns-team: must be ten letters"):
        here.check(f"waymark.yaml:{words}" in error, f"check names {words}", error)
    here.write("waymark.yaml", "oidc-client-id: waymark\noidc-issuer: https://user:hunter2@login.example.org/\nallow-origin: ['https://u:hunter2@app.example']\n"
                               "public-url: https://u:hunter2@stories.example\nmedia-origin: ['https://media.example/?key=hunter2']\n")
    shown, checked = here.run("config", "show"), here.run("config", "check", code=2)
    here.check("oidc-issuer: https://<hidden>@login.example.org/  (waymark.yaml:2)" in shown.stdout, "an address without its password", shown.stdout)
    here.check("waymark.yaml:2: oidc-issuer: https://<hidden>@login.example.org/ has a user name" in checked.stderr, "an issuer has none", checked.stderr)
    served = here.run("serve", "--port", "0", code=2)
    here.check(served.stderr == checked.stderr, "nor does a service start", served.stderr)
    for said in (shown, checked, served):
        here.check("hunter2" not in said.stdout + said.stderr, "no password in an address is shown", said)
    here.write("waymark.yaml", "prot: 1\nport: x\nhost: 192.0.2.1\nsmtp: smtp://localhost:25\nallow-origin: [nothing, nowhere]\n")
    lines = here.run("config", "check", code=2).stderr.splitlines()
    here.check([line.split(":")[1] for line in lines if line.startswith("waymark.yaml:")] == ["1", "2", "3", "4", "5", "5"],
               "all problems are said at once, with their lines", lines)


@part()
def reloading(here):
    """Reads the settings again at SIGHUP: takes over the level of the log, names what needs a restart, keeps what is right."""
    here.write("waymark.yaml", "log: warning\nlog-format: json\nrate-limit: 400\n")
    port = free_port()
    server = here.start("serve", "--port", "0", "--metrics-port", str(port), text=True, stdout=subprocess.PIPE,
                        stderr=open(here / "log.txt", "w"))
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                metrics = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read().decode()
                break
            except OSError:
                time.sleep(0.3)
        here.check("waymark_ready 1" in metrics and "process_open_fds" in metrics, "the port of metrics needs no token", metrics[:300])
        request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Host": "evil.example"})
        try:
            urllib.request.urlopen(request, timeout=5)
            here.check(False, "a page cannot read the metrics through a name of its own")
        except urllib.error.HTTPError as error:
            here.check(error.code == 421, "a page cannot read the metrics through a name of its own", error.code)

        def reloaded(text):
            before = (here / "log.txt").read_text().count("\n")
            here.write("waymark.yaml", text)
            server.send_signal(signal.SIGHUP)
            until, found = time.monotonic() + 30, []
            while time.monotonic() < until:
                time.sleep(0.7)
                earlier, found = found, [line for line in (here / "log.txt").read_text().splitlines()[before:] if line.startswith("{")]
                # Nothing more comes.
                if found and found == earlier:
                    break
            return found

        lines = [json.loads(line) for line in reloaded("log: info\nlog-format: json\nrate-limit: 500\n")]
        here.check(any(line.get("changed") == "log" for line in lines), "says what changed", lines)
        here.check(any(line.get("settings") == "rate-limit" for line in lines), "says what needs a restart", lines)
        lines = [json.loads(line) for line in reloaded("log: loud\n")]
        here.check([line["level"] for line in lines] == ["error"] and "waymark.yaml:1" in lines[0]["why"], "refuses a wrong file", lines)
    finally:
        server.terminate()
        here.check(server.wait(timeout=40) == 0, "the service ends on a signal", server.returncode)


def certificate(here, name, key=("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")):
    subprocess.run(["openssl", "req", "-x509", "-newkey", *key, "-nodes", "-days", "30",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", here / f"{name}.key", "-out", here / f"{name}.pem"], check=True, capture_output=True)


def shown_certificate(port, path=None, host="localhost"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain) as secure:
        if path:
            secure.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            return b"".join(iter(lambda: secure.recv(65_536), b"")).decode()
        return ssl.DER_cert_to_PEM_cert(secure.getpeercert(True)), secure.version()


def chosen_suite(port, offered):
    """Returns the suite that the service takes of those offered in TLS 1.2, or None."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.set_ciphers(f"{offered}:@SECLEVEL=0")
        with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain) as secure:
            return secure.cipher()[0]
    except ssl.SSLError:
        return None


def check_suites(here, port, kind):
    """Offers every suite of OpenSSL by itself."""
    known = subprocess.run(["openssl", "ciphers", "-tls1_2", "-s", "ALL:@SECLEVEL=0"], check=True, capture_output=True, text=True)
    suites = known.stdout.strip().split(":")
    wanted = [f"ECDHE-{kind}-{suite}" for suite in ["AES256-GCM-SHA384", "CHACHA20-POLY1305", "AES128-GCM-SHA256"]]
    taken = [suite for suite in suites if chosen_suite(port, suite)]
    here.check(len(suites) > 20 and sorted(taken) == sorted(wanted), f"only recommended suites with a key for {kind}", taken)


@part()
def encryption(here):
    """Speaks TLS, cuts handshakes that do not go on, takes a renewed certificate and refuses a wrong one."""
    certificate(here, "a")
    certificate(here, "b", ["rsa:2048"])
    here.run("serve", "--host", "0.0.0.0", "--public-url", "https://stories.example", "--port", "0", code=2)
    here.run("serve", "--tls-certificate", "a.pem", "--port", "0", code=2)
    error = here.run("serve", "--tls-certificate", "a.pem", "--tls-key", "b.key", "--port", "0", code=2).stderr
    here.check("does not belong to the certificate" in error, "a key of another certificate is refused", error)
    with here.serving("--tls-certificate", "a.pem", "--tls-key", "a.key") as (address, server):
        here.check(address.startswith("https://"), "says https", address)
        port = int(address.rstrip("/").rsplit(":", 1)[1])
        pem, version = shown_certificate(port)
        here.check(version in ("TLSv1.2", "TLSv1.3") and pem.split() == (here / "a.pem").read_text().split(), "its own certificate", version)
        here.check("HTTP/1.1 200" in shown_certificate(port, "/healthz"), "answers over TLS")
        check_suites(here, port, "ECDSA")
        year = "strict-transport-security: max-age=31536000\r\n"
        for path, host, is_said in [("/healthz", "stories.example", True), ("/nothing", "stories.example:8443", True), ("/healthz", "localhost", False)]:
            answer = shown_certificate(port, path, host)
            here.check((year in answer.lower()) == is_said, f"a year of TLS alone is asked for: {path} of {host}", answer[:600])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as idle:
            start = time.monotonic()
            try:
                while idle.recv(1_000):
                    pass
            except ConnectionResetError:
                pass
            took = time.monotonic() - start
            here.check(5 < took < 25, "a handshake that does not begin is cut", f"after {took:.1f} s")
        (here / "a.key").write_bytes((here / "b.key").read_bytes())
        server.send_signal(signal.SIGHUP)
        time.sleep(1)
        here.check(shown_certificate(port)[0] == pem, "a wrong pair changes nothing")
        (here / "a.pem").write_bytes((here / "b.pem").read_bytes())
        server.send_signal(signal.SIGHUP)
        until = time.monotonic() + 30
        while (is_old := shown_certificate(port)[0] == pem) and time.monotonic() < until:
            time.sleep(0.2)
        here.check(not is_old, "the renewed certificate is used")
        check_suites(here, port, "RSA")
