"""Phones' apps against a running service: each in its own protocol, told once, and fences to watch by themselves."""

import base64
import json
import time
import urllib.error
import urllib.parse
import urllib.request

from program_checks.parts import part
from program_checks.prepared import walker

PLACE = (33.7554, -84.3736)


def ask(address, key=None, body=None, method=None, basic=False):
    """Status and bytes of an answer."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(address, data=data, method=method)
    if key:
        word = "Basic " + base64.b64encode(f"somebody:{key}".encode()).decode() if basic else f"Bearer {key}"
        request.add_header("Authorization", word)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@part(walker)
def devices(here):
    """Lets phones' apps report, each in its own protocol."""
    database = ["--database", "walker.db"]
    key = here.run("tokens", "key", "--user", "ben", *database).stdout.strip()
    keys = [here.run("tokens", "key", "--user", "ben", "--device", name, *database).stdout.strip() for name in ("phone", "pad", "watch")]
    with here.serving(*database, "--rate-limit", "0") as (address, _):
        compare(address, key, keys, here.check)


def compare(address, user_key, device_keys, check):
    """Each app walks into the same place; only the first is told."""
    now = int(time.time())
    own, overland, osmand = device_keys
    fences = json.loads(ask(f"{address}/v1/fences?lat={PLACE[0]}&lon={PLACE[1]}", user_key)[1])
    check(len(fences["fences"]) == 1 and fences["refresh"]["radius"] > 1_000, "a fence to watch, and a wide circle", fences)
    for seconds in (24, 18, 12, 6):
        message = {"_type": "location", "lat": PLACE[0], "lon": PLACE[1], "acc": 8, "tst": now - seconds}
        check(ask(address + "/ingest/owntracks", own, message, basic=True) == (200, b"[]"), "OwnTracks is answered")
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime(now - seconds))
        feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [PLACE[1], PLACE[0]]},
                   "properties": {"timestamp": stamp, "horizontal_accuracy": 8}}
        check(ask(address + "/ingest/overland", overland, {"locations": [feature]}) == (200, b'{"result":"ok"}'), "Overland is answered")
        query = urllib.parse.urlencode({"id": osmand, "lat": PLACE[0], "lon": PLACE[1], "timestamp": now - seconds, "accuracy": 8})
        check(ask(f"{address}/ingest/osmand?{query}") == (200, b""), "OsmAnd is answered")
        flat = {"lat": PLACE[0], "lon": PLACE[1], "acc": 8, "vel": 0.5, "tst": now - seconds}
        check(ask(address + "/ingest/osmand", osmand, flat, basic=True) == (200, b""), "Colota is answered")
    told = []
    for _ in range(120):
        told = json.loads(ask(address + "/v1/notifications", user_key)[1])["notifications"]
        if told:
            break
        time.sleep(0.25)
    check(len(told) == 1 and told[0]["count"] == 1, "three apps on three devices tell once", told)
    entered = ask(f"{address}/v1/fences/{fences['fences'][0]['id']}/entered", own, {})
    check(entered[0] == 200 and json.loads(entered[1])["notifications"] == [], "an entry seen by the phone is not told again", entered)
    left = json.loads(ask(f"{address}/v1/fences?lat={PLACE[0]}&lon={PLACE[1]}", user_key)[1])
    check(left["fences"] == [], "where nothing is left to be told there is nothing to watch", left)
    trace = "time,lat,lon,accuracy\n" + "".join(f"2020-01-01T00:00:{s:02},{PLACE[0]},{PLACE[1]},8\n" for s in range(0, 60, 5))
    played = json.loads(ask(address + "/v1/traces?dry_run=true", user_key, trace)[1])
    check(played["points"] == 12 and played["notifications"] == [], "a recording of the same walk tells nothing new", played)
    for path, body, status in [("/ingest/owntracks", "{", 400), ("/ingest/overland", "[", 400), ("/v1/traces", "no trace", 422)]:
        check(ask(address + path, user_key, body)[0] == status, f"{path} refuses what it cannot read")
    check(ask(address + "/ingest/osmand?id=guess&lat=1&lon=2")[0] == 401, "an unknown identifier is refused")
    check(ask(address + "/v1/notifications", own)[0] == 403, "a device key reads nothing")
    check(ask(address + "/ingest/owntracks", own, {"_type": "lwt"}, basic=True)[0] == 200, "what is no position is acknowledged")
    why = json.loads(ask(address + "/v1/me/devices/phone", user_key)[1])
    check(why["ignored"]["why"] == "other_type" and str(PLACE[0]) not in json.dumps(why), "and the device says why it was ignored", why)
    denied = ask(address + "/v1/me/devices/phone", user_key, {"permission": "denied"}, method="PUT")
    check(denied[0] == 200 and json.loads(denied[1])["monitoring"] == "off", "a lost permission is taken in", denied)
    kept = json.loads(ask(address + "/v1/me/location-data", user_key)[1])
    check("phone" not in [device["device"] for device in kept["devices"]], "and the device forgotten", kept)
