"""Follows a user's notifications: each once, also after the connection or the service was gone.

usage: WAYMARK_TOKEN=… client.py http://127.0.0.1:8080
"""
import json
import os
import sys
import time
import urllib.request

last, headers = None, {"Authorization": "Bearer " + os.environ["WAYMARK_TOKEN"]}
while True:
    try:
        asked = headers | ({"Last-Event-ID": last} if last else {})
        request = urllib.request.Request(sys.argv[1] + "/v1/notifications/stream", headers=asked)
        with urllib.request.urlopen(request, timeout=120) as stream:
            event = {}
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                    continue
                # An empty line ends an event; comments, which keep the connection open, have no name.
                if event.get("event") == "notification":
                    print(json.loads(event["data"])["title"], flush=True)
                last, event = event.get("id", last), {}
    except OSError as error:
        print(f"again in two seconds: {error}", file=sys.stderr)
        time.sleep(2)
