"""A webhook's receiver: answers the challenge, checks signatures, and prints each notification once.

usage: receiver.py PORT SECRET          SECRET is what the channel's answer said, whsec_…
"""
import base64
import hashlib
import hmac
import http.server
import json
import sys
import time

port, key, seen = int(sys.argv[1]), base64.b64decode(sys.argv[2].removeprefix("whsec_")), set()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1_000_000))
        identity, stamp = self.headers.get("webhook-id", ""), self.headers.get("webhook-timestamp", "")
        code = hmac.new(key, f"{identity}.{stamp}.".encode() + body, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(code).decode()
        is_old = not stamp.isdigit() or abs(time.time() - int(stamp)) > 300
        if is_old or not any(hmac.compare_digest(expected, each) for each in self.headers.get("webhook-signature", "").split()):
            return self.send_error(401)
        message = json.loads(body)
        if identity not in seen:
            seen.add(identity)
            print(message["type"], message["data"].get("title", ""), flush=True)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(message["data"].get("challenge", "")).encode())


http.server.HTTPServer(("127.0.0.1", port), Receiver).serve_forever()
