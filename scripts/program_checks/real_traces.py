"""Recorded ways, replayed past stories that lie on them."""
import json
import xml.etree.ElementTree

from program_checks.parts import part, preparation, shared

DATABASE = ["--database", "way.db"]


def trace():
    return shared("traces/movingpandas__304_to_UL_2019-02-18_0745.gpx")


def chosen_points():
    """Seven points of the recorded way, far from each other."""
    tree = xml.etree.ElementTree.parse(trace())
    points = [(float(p.get("lat")), float(p.get("lon"))) for p in tree.iter() if p.tag.endswith("trkpt")]
    return [points[len(points) * n // 8] for n in range(1, 8)]


@preparation()
def recorded_way(here):
    """`way.db`: two stories at each of the seven points."""
    rows = "".join(f"{i}-{j},Story {i}-{j},{lat},{lon}\n" for i, (lat, lon) in enumerate(chosen_points()) for j in range(2))
    here.write("way.csv", "id,title,lat,lon\n" + rows)
    here.run("import", "way.csv", *DATABASE)


def replayed(here, *who):
    return here.run("replay", trace(), *who, "--format", "ndjson", *DATABASE).stdout


@part(recorded_way)
def real_trace(here):
    """Announces each place of a way once, and only to those who wish it."""
    here.run("users", "add", "ana", *DATABASE)
    denied = here.run("replay", trace(), "--user", "ana", *DATABASE)
    here.check(denied.stdout == "" and "opted in" in denied.stderr, "nothing is announced without consent")
    here.run("users", "opt-in", "ana", *DATABASE)
    first = [json.loads(line) for line in replayed(here, "--user", "ana").splitlines()]
    told = [source for notice in first for source in notice["source_ids"]]
    here.check(sorted(told) == sorted(f"{i}-{j}" for i in range(7) for j in range(2)), "every place is announced once", told)
    here.check(all(notice["count"] == len(notice["content_ids"]) >= 2 for notice in first), "stories of one place come together")
    here.check(replayed(here, "--user", "ana") == "", "the second time nothing")
    anonymous = [replayed(here) for _ in range(2)]
    here.check(anonymous[0] == anonymous[1] and anonymous[0].count("\n") == len(first), "without a user both runs are the same bytes")


@part(recorded_way)
def replays_beside_a_service(here):
    """Replays for a user while a service holds the database: into the same feed and ledger."""
    here.run("users", "add", "ben", *DATABASE)
    here.run("users", "opt-in", "ben", *DATABASE)
    with here.serving(*DATABASE):
        here.run("replay", "absent.gpx", "--user", "ben", *DATABASE, code=2)
        rehearsed = replayed(here, "--user", "ben", "--dry-run")
        lines = replayed(here, "--user", "ben").splitlines()
        here.check(len(lines) == rehearsed.count("\n") > 3, "every place is announced", lines)
        here.check(replayed(here, "--user", "ben") == "", "the second time nothing")
    here.check(replayed(here, "--user", "ben") == "", "nor once the service has ended")


@part(recorded_way)
def named_places(here):
    """Gathers the stories in a circle that somebody drew under its name, for those who may know of it."""
    point, before = chosen_points()[3], replayed(here)

    def add(level):
        options = ["--radius", "60", "--owner", "archive", "--privacy", level]
        return here.run("places", "add", "Old lock", *point, *options, *DATABASE).stdout.strip()

    private = add("private")
    here.check(replayed(here) == before, "a private place changes nothing for others")
    public = add("public")
    names = [json.loads(line)["place"]["name"] for line in replayed(here).splitlines()]
    here.check(names.count("Old lock") == 1, "a story in a public place is announced under its name", names)
    listed = [here.json("places", "list", *eyes, *DATABASE)["named_places"] for eyes in ([], ["--as", "archive"])]
    here.check([[p["id"] for p in places] for places in listed] in ([[public], [public, private]], [[public], [private, public]]),
               "a list has what its viewer may know of", listed)
    here.run("places", "remove", public, *DATABASE)
    here.check(replayed(here) == before, "with the place its name is gone")
    here.run("places", "remove", public, *DATABASE, code=2)


@part(recorded_way)
def trace_files(here):
    """Replays every recorded file, or says why it cannot."""
    for file in sorted(shared("traces").glob("*.[gt][pc]x")):
        done = here.finish("replay", file, *DATABASE)
        code, errors = done.returncode, done.stderr
        here.check(code in (0, 2, 3), f"replay {file.name}", f"ended with {code}")
        here.check(code == 0 or len(errors.strip()) > 0, f"replay {file.name} says why")
        here.check(code != 3 or "no timed points" in errors, f"replay {file.name}", errors)
