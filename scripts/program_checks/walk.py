"""Walks over HTTP: a recorded way past stories that lie on it, explained, repeatable, and without a trace of it."""
import json
import sqlite3

from program_checks.devices import ask
from program_checks.parts import part
from program_checks.real_traces import chosen_points, recorded_way, trace


# What a walk could leave behind; `clock` and the like are written by a service that does nothing.
KEPT = ("notices", "notice_stories", "feed_positions", "ledger", "outbox", "attempts", "feed_log", "evaluator_states", "pending_visits",
        "fixes", "devices", "viewed_stories", "stories", "notification_settings", "consents")


def rows(database):
    """Every row of those tables."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return {table: sorted(map(repr, connection.execute(f'SELECT * FROM "{table}"'))) for table in KEPT}


@part(recorded_way)
def walk(here):
    """Explains a recorded way as it is replayed, and a drawn one, and keeps nothing of either."""
    database = ["--database", "way.db"]
    here.run("users", "add", "ana", *database)
    here.run("users", "opt-in", "ana", *database)
    key = here.run("tokens", "key", "--user", "ana", *database).stdout.strip()
    with here.serving(*database, "--rate-limit", "0") as (address, _):
        compare(here, address, key)


def compare(here, address, key):
    """What a walk says, beside what a replay says."""
    recording = trace().read_text()

    def walked(query="", body=recording):
        status, answer = ask(f"{address}/v1/walk?name=way.gpx{query}", key, body, method="POST")
        here.check(status == 200, f"a walk is answered{query}", answer[:300])
        return json.loads(answer)

    walked()  # whatever the service writes on a first request is written
    before = rows(here / "way.db")
    report = walked()
    played = json.loads(ask(f"{address}/v1/traces?name=way.gpx&dry_run=true", key, recording)[1])
    here.check([n["title"] for n in report["notifications"]] == [n["title"] for n in played["notifications"]],
               "a walk announces what a replay announces", report["notifications"])
    told = {story for notice in report["notifications"] for story in notice["content_ids"]}
    here.check(len(told) == 14 and report["silences"] == [], "every story on the way is announced", report["silences"])
    changes = [d for step in report["steps"] for d in step["decisions"] if d["before"] != d["after"]]
    entered = [e for step in report["steps"] for e in step["entered"]]
    here.check(len(entered) >= 7 and all(e["why"] for e in entered), "every arrival says why", entered)
    here.check(len(changes) >= 7 and all(d["why"] and 0 <= d["p"] <= 1 for d in changes), "every change of state says why", changes[:3])
    here.check(walked() == report, "the same walk has the same answer")
    noisy = walked("&noise=15&outliers=0.02&seed=4")
    here.check(noisy != report and noisy == walked("&noise=15&outliers=0.02&seed=4"), "the same seed makes the same errors")
    line = {"type": "LineString", "coordinates": [[lon, lat] for lat, lon in chosen_points()]}
    drawn = walked("&speed=10&interval=5", json.dumps(line))
    here.check(drawn["drawn"] and len(drawn["notifications"]) > 0, "a drawn way through the stories announces some", drawn["problems"])
    here.check(rows(here / "way.db") == before, "nothing of all that is stored")
    feed = json.loads(ask(address + "/v1/notifications", key)[1])["notifications"]
    here.check(feed == [], "and nobody is notified", feed)
    for query, status in [("&radius=1", 400), ("&noise=-1", 400), ("&speed=0", 400)]:
        here.check(ask(f"{address}/v1/walk?name=a.gpx{query}", key, recording)[0] == status, f"{query} is rejected")
    here.check(ask(address + "/v1/walk", None, recording)[0] == 401, "a walk needs somebody who is signed in")
    status, page = ask(address + "/walk")
    here.check(status == 200 and b"walk.js" in page, "the page is there", status)
