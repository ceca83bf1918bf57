#!/usr/bin/env python3
"""Lets OpenTelemetry's own classes read the spans of a program: scripts/check_spans.py PROGRAM.

Starts `PROGRAM serve` with this script as its collector, makes requests with a traceparent, ends the program, and decodes
what came with the package opentelemetry-proto, which pip fetches into a temporary folder.
"""
import base64
import http.server
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
BODIES = []


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        BODIES.append((self.path, self.headers["content-type"], self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def spans(folder):
    """The spans that came, by OpenTelemetry's own decoder; its ids are base64 in plain JSON and hexadecimal in OTLP."""
    options = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--target", folder]
    done = subprocess.run([sys.executable, "-m", "pip", "install", *options, "opentelemetry-proto"], stdin=subprocess.DEVNULL)
    if done.returncode:
        print("left out: pip could not fetch opentelemetry-proto", file=sys.stderr)
        sys.exit(0)
    sys.path.insert(0, folder)
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    for path, kind, body in BODIES:
        assert (path, kind) == ("/v1/traces", "application/json"), (path, kind)
        document = json.loads(body)
        for resource in document["resourceSpans"]:
            for span in (span for scope in resource["scopeSpans"] for span in scope["spans"]):
                for name in {"traceId", "spanId", "parentSpanId"} & set(span):
                    span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
        # Unknown fields and wrong types are errors.
        request = json_format.ParseDict(document, ExportTraceServiceRequest())
        yield from (span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans)


def main(program):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        service = subprocess.Popen(
            [pathlib.Path(program).resolve(), "serve", "--port", "0", "--database", f"{folder}/a.db", "--otlp-endpoint",
             f"http://127.0.0.1:{server.server_port}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            address = next(line.split()[3] for line in service.stdout if line.startswith("Waymark is at"))
            for path, flags in [("v1/stories?limit=7", "01"), ("nothing/secret", "01"), ("v1/stories", "00")]:
                header = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-{flags}"}
                try:
                    urllib.request.urlopen(urllib.request.Request(address + path, headers=header)).read()
                except urllib.error.HTTPError as error:
                    assert error.code == 404, error
            # At once, so that the end of the service has to send them.
            service.send_signal(signal.SIGTERM)
            assert service.wait(timeout=20) == 0, service.returncode
        finally:
            service.kill()
        found = [span for span in spans(f"{folder}/pip") if span.trace_id.hex() == TRACE]
    named = {span.name: {item.key: item.value for item in span.attributes} for span in found}
    assert sorted(named) == ["GET", "GET /v1/stories"] and len(found) == 2, named
    assert named["GET /v1/stories"]["http.response.status_code"].int_value == 200
    assert named["GET"]["http.response.status_code"].int_value == 404
    for span in found:
        assert span.parent_span_id.hex() == "00f067aa0ba902b7" and len(span.span_id) == 8 and span.kind == span.SPAN_KIND_SERVER
        assert 1_700_000_000e9 < span.start_time_unix_nano <= span.end_time_unix_nano
    assert b"secret" not in b"".join(body for _, _, body in BODIES)
    print(f"ok   OpenTelemetry reads {len(found)} spans of one trace")


main(*sys.argv[1:])
