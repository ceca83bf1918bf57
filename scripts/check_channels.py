#!/usr/bin/env python3
"""Lets programs that others wrote read what the channels send, and speak TLS with them.

Fetches readers with pip into a temporary folder (standardwebhooks, http_ece, PyJWT, h2), starts servers for HTTP/2 and
SMTP with a certificate of its own, and runs the two test suites that write for them. Needs a built test bundle: give its
path, or arguments for `swift test`, for instance `-c release`, which looks for it and takes longer.
"""
import base64
import email
import email.policy
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

READERS = ["standardwebhooks==1.1.0", "http_ece==1.2.1", "pyjwt==2.15.1", "cryptography", "h2==4.4.1"]
PROBLEMS = []


def check(good, what, *shown):
    print(("ok   " if good else "FAIL ") + what, *([] if good else shown))
    if not good:
        PROBLEMS.append(what)


def fetch(folder):
    """Whether pip could fetch the readers."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
         "--target", str(folder), *READERS], capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(done.stderr.strip()[-400:], file=sys.stderr)
        return False
    sys.path.insert(0, str(folder))
    return True


def certificate(folder):
    """Makes a certificate for localhost that only those trust who are given it."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")],
        check=True, capture_output=True, stdin=subprocess.DEVNULL)


def encryption(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context


def listen(serve):
    """Serves every connection on a thread of its own; the port."""
    listener = socket.create_server(("localhost", 0))

    def accept():
        number = 0
        while True:
            connection, _ = listener.accept()
            number += 1
            threading.Thread(target=quietly, args=(serve, connection, number), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def quietly(serve, connection, number):
    """A client that leaves early is no mistake of the server's."""
    try:
        serve(connection, number)
    except (OSError, ssl.SSLError, ValueError):
        pass
    finally:
        connection.close()


def http2(context):
    """A server of HTTP/2 alone; answers with the number of the connection and what it was asked."""
    import h2.config
    import h2.connection
    import h2.events
    context.set_alpn_protocols(["h2"])
    good = [0]

    def serve(connection, _):
        tls = context.wrap_socket(connection, server_side=True)
        good[0] += 1
        number, asked = good[0], {}
        state = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        state.initiate_connection()
        tls.sendall(state.data_to_send())
        while data := tls.recv(65_536):
            for event in state.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    asked[event.stream_id] = [dict(event.headers), b""]
                elif isinstance(event, h2.events.DataReceived):
                    asked[event.stream_id][1] += event.data
                    state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    fields, body = asked.pop(event.stream_id)
                    words = [str(number), fields[":method"], fields[":path"], fields.get("apns-topic", ""), body.decode()]
                    state.send_headers(event.stream_id, [(":status", "200")])
                    state.send_data(event.stream_id, " ".join(words).encode(), end_stream=True)
            tls.sendall(state.data_to_send())

    return listen(serve)


def smtp(context, at_once):
    """A mail server with AUTH PLAIN, encrypted at once or after STARTTLS; its last reply repeats what it was given."""
    def serve(connection, _):
        secret = context.wrap_socket(connection, server_side=True) if at_once else connection
        lines = secret.makefile("rb")
        user = ""

        def say(text):
            secret.sendall(text.encode() + b"\r\n")

        say("220 localhost")
        while line := lines.readline().decode().strip():
            verb = line.split()[0].upper()
            is_secret = isinstance(secret, ssl.SSLSocket)
            if verb == "EHLO":
                say("250-localhost\r\n250 " + ("AUTH PLAIN" if is_secret else "STARTTLS"))
            elif verb == "STARTTLS":
                say("220 go on")
                secret = context.wrap_socket(secret, server_side=True)
                lines = secret.makefile("rb")
            elif verb == "AUTH":
                say("334 ")
                _, user, password = base64.b64decode(lines.readline()).decode().split("\0")
                say("235 welcome" if password == "correct" else "535 no")
            elif verb == "DATA":
                say("354 go on")
                body = []
                while (text := lines.readline()) != b".\r\n":
                    body.append(text.decode().rstrip("\r\n").removeprefix("."))
                say(f"250 {user} {body[-1]}")
            elif verb == "QUIT":
                return say("221 bye")
            else:
                say("250 ok" if is_secret and user else "530 no")

    return listen(serve)


def slow_names(folder, arguments):
    """Runs the suite where the names of the system are asked of somebody who never answers; needs to be root."""
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        silent.bind(("127.0.0.99", 53))
        subprocess.run(["unshare", "-m", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("skip names that nobody answers: only root can arrange that")
        return
    (folder / "resolv.conf").write_text("nameserver 127.0.0.99\noptions timeout:15 attempts:2\n", encoding="ascii")
    words = f"mount --bind '{folder}/resolv.conf' /etc/resolv.conf && exec \"$@\""
    run("SlowNameTests", arguments, ["unshare", "-m", "sh", "-c", words, "sh"], WAYMARK_SLOW_NAMES="1")
    silent.close()


def run(suite, arguments, before=(), **environment):
    if len(arguments) == 1 and os.path.isfile(arguments[0]):
        tests = [os.path.abspath(arguments[0]), "--testing-library", "swift-testing"]
    else:
        tests = ["swift", "test", "--skip-build", *arguments]
    done = subprocess.run([*before, *tests, "--filter", suite], env=os.environ | environment,
                          capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    is_good = done.returncode == 0 and "Test run with" in said and "Test run with 0 tests" not in said
    check(is_good, f"the suite {suite} passes", said[-3_000:])


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def webhooks(sent, keys):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from standardwebhooks import Webhook, WebhookVerificationError
    body = base64.b64decode(sent["webhook"]["body"])
    for name in ("webhook_new", "webhook_old"):
        data = Webhook(keys[name]).verify(body, sent["webhook"]["headers"])
        check(data["type"] == "story.nearby", f"standardwebhooks verifies with {name}", data)
    try:
        Webhook(keys["webhook_new"]).verify(body.replace(b"nearby", b"farther"), sent["webhook"]["headers"])
        check(False, "standardwebhooks refuses another body")
    except WebhookVerificationError:
        check(True, "standardwebhooks refuses another body")
    signed = sent["webhook_ed25519"]
    headers = signed["headers"]
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + base64.b64decode(signed["body"])
    version, signature = headers["webhook-signature"].split(",")
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(keys["webhook_public"].removeprefix("whpk_")))
    key.verify(base64.b64decode(signature), text)
    check(version == "v1a", "cryptography verifies the Ed25519 signature")


def pushes(sent, keys):
    import http_ece
    import jwt
    from cryptography.hazmat.primitives.asymmetric import ec
    number = int.from_bytes(decode(keys["browser_private"]), "big")
    private = ec.derive_private_key(number, ec.SECP256R1())
    plain = http_ece.decrypt(base64.b64decode(sent["web_push"]["body"]), private_key=private,
                             auth_secret=decode(keys["browser_auth"]), version="aes128gcm")
    note = json.loads(plain)
    check(note["web_push"] == 8030 and note["notification"]["data"]["counts"]["total"] == 3, "http_ece decrypts the push", note)
    check(note["notification"]["body"].endswith("Grüße, 物語 👩‍👩‍👧‍👦"), "its words arrive", note)
    token, key = sent["web_push"]["headers"]["authorization"].removeprefix("vapid t=").split(", k=")
    check(key == keys["vapid_public"], "the push names the server's key")
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(key))
    claims = jwt.decode(token, point, algorithms=["ES256"], audience="https://push.example.net")
    check(claims["sub"] == "mailto:operator@example.org" and claims["exp"] < time.time() + 86_400, "PyJWT verifies VAPID", claims)
    apns = sent["apns"]["headers"]["authorization"].removeprefix("bearer ")
    claims = jwt.decode(apns, keys["apns_public"], algorithms=["ES256"])
    check(claims["iss"] == "TEAM123456" and jwt.get_unverified_header(apns)["kid"] == "KEY1234567", "PyJWT verifies APNs", claims)
    form = base64.b64decode(sent["fcm_token"]["body"]).decode()
    claims = jwt.decode(form.split("assertion=")[1], keys["fcm_public"], algorithms=["RS256"],
                        audience="https://oauth2.googleapis.com/token")
    check(claims["scope"].endswith("firebase.messaging"), "PyJWT verifies Google's assertion", claims)


def mail(sent):
    letter = email.message_from_bytes(base64.b64decode(sent["email"]["body"]), policy=email.policy.default)
    plain, html = letter.get_body(("plain",)).get_content(), letter.get_body(("html",)).get_content()
    check(not letter.defects and letter["subject"] == "Auburn Avenue", "Python's e-mail reads the letter", letter.defects)
    check(letter["to"].addresses[0].addr_spec == "ana@example.org" and letter["from"].addresses[0].display_name == "Waymark",
          "its addresses are right")
    check("Grüße, 物語 👩‍👩‍👧‍👦" in plain and "&lt;The mill&gt;</a><br>Q &amp; A" in html, "both its parts are right", plain, html)
    check(letter["list-unsubscribe-post"] == "List-Unsubscribe=One-Click", "one click unsubscribes")


def servers(sent):
    for kind in ("ntfy", "gotify", "apprise", "apns", "fcm"):
        json.loads(base64.b64decode(sent[kind]["body"]))
    check(True, "every other body is JSON")
    text = json.dumps({kind: sent[kind] for kind in ("ntfy", "gotify", "apprise", "apns", "fcm")})
    check("9a3f00" not in text, "no place stands in what third parties read")


def main(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not fetch(folder / "readers"):
            print("Skipped: pip could not fetch the readers of others.")
            return 0
        certificate(folder)
        ports = {"WAYMARK_HTTP2_PORT": http2(encryption(folder)), "WAYMARK_SMTP_PORT": smtp(encryption(folder), False),
                 "WAYMARK_SMTPS_PORT": smtp(encryption(folder), True)}
        run("EncryptedTests", arguments, WAYMARK_TLS_CERTIFICATES=str(folder / "certificate.pem"),
            **{key: str(port) for key, port in ports.items()})
        run("TransferTests/manyRequests", arguments, WAYMARK_ALONE="1")
        slow_names(folder, arguments)
        run("ChannelReaderTests", arguments, WAYMARK_CHANNEL_FOLDER=name)
        if PROBLEMS:
            return 1
        written = json.loads((folder / "channels.json").read_text(encoding="utf-8"))
        sent, keys = written["sent"], written["keys"]
        webhooks(sent, keys)
        pushes(sent, keys)
        mail(sent)
        servers(sent)
    print("All channels are read by others." if not PROBLEMS else f"{len(PROBLEMS)} problems")
    return 1 if PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
