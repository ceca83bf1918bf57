"""The gazetteer itself: mended when it is damaged, and added to."""
import gzip
import json
import os
import subprocess
import threading

from program_checks.parts import part


@part()
def gazetteer_info(here):
    """Describes the gazetteer for programs."""
    info = here.json("gazetteer", "info", "--format", "json")
    here.check(info["places"] > 200_000 and info["added"]["files"] == [], "gazetteer info has a form for programs", info)


@part()
def damaged_gazetteer(here):
    """Notices that a compiled gazetteer is damaged, and compiles it again."""
    environment = {"WAYMARK_CACHE": str(here / "cache")}
    here.run("gazetteer", "build", environment=environment)
    file = next((here / "cache").glob("gazetteer-*.bin"))
    whole = file.read_bytes()
    middle, third = len(whole) // 2 + 5, len(whole) // 3
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]
    file.write_bytes(flipped)
    # Compiling takes long, so that this one ends as soon as it has begun.
    with here.start("geocode", "Harlem", environment=environment, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        watch = threading.Timer(120, process.kill)
        watch.start()
        said = next((line for line in process.stderr if "compiled again" in line), "")
        process.kill()
        watch.cancel()
    here.check(said != "", "one flipped bit is noticed")
    here.check(file.read_bytes() == flipped, "a compilation that breaks off leaves the file as it was")
    file.write_bytes(whole[:third] + bytes(1 << 20) + whole[third + (1 << 20):])
    found = here.run("geocode", "Harlem", environment=environment)
    here.check("Harlem" in found.stdout and "compiled again" in found.stderr, "damage is noticed and mended", found.stderr)
    here.check(file.read_bytes() == whole, "the gazetteer is whole again")


@part()
def added_places(here):
    """Adds files to the gazetteer: keeps the good rows, names the bad ones, and takes little memory."""
    here.write("good.csv", "name,lat,lon\nZzyzx Hollow,33.1,-84.1\n,1,1\nQ,\"33,5\",1\n")
    (here / "bad.osm.pbf").write_bytes(os.urandom(2_000))
    here.write("later.csv", "name,lat,lon\nQwyzyx Landing,33.2,-84.2\n")
    (here / "bomb.csv.gz").write_bytes(gzip.compress(b"name,lat,lon\n" + bytes(300 << 20)))
    there = ["--database", "added.db"]
    said = here.run("gazetteer", "add", "good.csv", "bad.osm.pbf", "later.csv", *there, code=2)
    here.check("good.csv:3: it has no name" in said.stderr and "good.csv:4: lat" in said.stderr, "useless rows are reported", said.stderr)
    here.check("bad.osm.pbf" in said.stderr.splitlines()[-1] and "readosm" not in said.stderr, "the bad file is reported", said.stderr)
    for name in ("Zzyzx Hollow", "Qwyzyx Landing"):
        here.check(name in here.run("geocode", name, *there).stdout, "what could be read is there")
    process = here.start("gazetteer", "add", "bomb.csv.gz", *there, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    here.check(process.returncode == 2 and usage.ru_maxrss < 500_000, "a gzip bomb takes little memory", usage.ru_maxrss)
    info = here.json("gazetteer", "info", "--format", "json", *there)
    here.check([file["name"] for file in info["added"]["files"]][:1] == ["good.csv"], "what was added is listed", info)


@part()
def removed_places(here):
    """Adds a landmark and a village, names positions by them, and takes them out again; a running service is thought of."""
    here.write("ours.csv", "name,lat,lon,kind\nGrandmother's Porch,33.7602,-84.3702,landmark\n")
    here.write("more.csv", "name,lat,lon\nQwyzyx Landing,34.61,-90.71\n")
    here.run("users", "add", "ana")
    before = here.json("reverse", 33.7602, -84.3702)["label"]
    with here.serving():
        said = here.run("gazetteer", "add", "ours.csv", "more.csv").stderr
        here.check("from its next start" in said, "it is said when a running service uses it", said)
    named = here.json("reverse", 33.7602, -84.3702)["label"]
    here.check(named.startswith("Grandmother's Porch, "), "an operator's landmark names its door", named)
    said = here.run("gazetteer", "remove", "ours.csv")
    here.check("next start" not in said.stderr, "nothing is said of a service that does not run", said.stderr)
    here.check(here.json("reverse", 33.7602, -84.3702)["label"] == before, "what was removed names nothing")
    here.check("Qwyzyx" in here.run("geocode", "Qwyzyx Landing").stdout, "the other file stays")
    here.run("gazetteer", "remove", "ours.csv", code=2)
    here.run("gazetteer", "remove", "more.csv")
    here.check(here.json("gazetteer", "info", "--format", "json")["added"]["files"] == [], "nothing is left")


@part()
def places_by_year(here):
    """Finds former names by their year, countries and waters by their names, and the city around a landmark."""
    first = here.json("geocode", "Leningrad", "--year", "1930")[0]
    here.check(first["name"] == "Saint Petersburg" and "1924" in json.dumps(first.get("matched_years")), "--year 1930 knows Leningrad", first)
    first = here.json("geocode", "Paris", "--country", "France")[0]
    here.check(first["country_code"] == "fr", "a country is chosen by its name", first)
    for name, kind in [("Lake Superior", "water"), ("Mississippi River", "river"), ("Central Park, New York", "park")]:
        first = here.json("geocode", name)[0]
        here.check(first["kind"] == kind, f"{name} is found", first)
    found = here.json("reverse", 35.0477, -90.026)
    here.check("Graceland" in found["label"] and "Memphis" in found["label"], "Graceland lies in Memphis", found)
    names = [place["name"] for place in here.json("suggest", "san fr")]
    here.check(names[0] == "San Francisco", "san fr is San Francisco", names)
