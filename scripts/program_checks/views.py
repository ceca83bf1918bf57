"""Every view of the map on the command line, over a few stories of our own."""
from program_checks.parts import part
from program_checks.prepared import own_stories


@part(own_stories)
def map_boxes(here):
    """Counts stories in boxes of every quadrant and over the antimeridian."""
    here.check(here.clusters("-180,-85,180,85", 0)["numberMatched"] == 6, "six stories have a location")
    here.check(here.clusters("179,-20,-179,-10", 5)["numberMatched"] == 2, "a box over the antimeridian finds both sides")
    here.check(len(here.clusters("179,-20,-179,-10", 2)["features"]) == 1, "a cluster reaches over the antimeridian")
    for box in ["-180,-85,0,0", "0,-85,180,0", "-180,0,0,85", "0,0,180,85"]:
        here.check(here.clusters(box, 3)["numberMatched"] >= 1, f"--bbox {box}")
        here.check(here.json("clusters", f"--bbox={box}", "--zoom=3")["numberMatched"] >= 1, f"--bbox={box}")


@part(own_stories)
def clusters(here):
    """Opens a cluster: its stories, its children, and where it splits."""
    fiji = here.clusters("179,-20,-179,-10", 2)["features"][0]["properties"]["cluster_id"]
    inside = here.json("cluster", fiji)
    here.check(sorted(f["properties"]["title"] for f in inside["features"]) == ["Fiji east", "Fiji west"], "the stories of a cluster")
    here.run("cluster", fiji, "--tag", "church", code=3)
    zoom = here.json("cluster", fiji, "--expansion-zoom")["expansion_zoom"]
    apart = here.json("cluster", fiji, "--children")
    titles = sorted(f["properties"].get("title", "") for f in apart["features"])
    here.check(apart["zoom"] == zoom and titles == ["Fiji east", "Fiji west"],
               "a cluster splits into its children at its expansion zoom", apart)
    here.run("cluster", fiji, "--children", "--tag", "church", code=3)
    here.run("cluster", fiji, "--children", "--expansion-zoom", code=2)
    here.run("cluster", fiji, "--children", "--limit", "3", code=2)


@part(own_stories)
def lists(here):
    """Lists stories by filters, by distance, by place and over time, and the box of all."""
    found = here.json("stories", "--tag", "church", "--from", "1940")
    here.check([f["properties"]["title"] for f in found["features"]] == ["North west"], "filters combine")
    near = here.json("nearby", "-33.9", "18.5", "--limit", "2")["features"]
    here.check([f["properties"]["title"] for f in near] == ["South east", "South west"], "the nearest come first", near)
    distance = near[0]["properties"]["distance"]
    here.check(9_000 < distance < 9_500, "the distance is in metres", distance)
    place = here.json("place", near[0]["properties"]["place_id"])
    here.check([f["id"] for f in place["features"]] == [near[0]["id"]], "the list of a place", place)
    here.check(here.json("place", "p0")["numberMatched"] == 0, "an empty place is an empty list")
    times = here.json("histogram", "--from", "1900", "--to", "1999", "--bins", "10")
    here.check([b["count"] for b in times["bins"]] == [2, 0, 0, 1, 1, 1, 0, 0, 0, 1], "stories over time", times)
    here.check(times["numberMatched"] == 6 and times["undated"] == 1, "dated and undated ones are distinguished", times)
    box = here.json("bounds", "--tag", "church")["bbox"]
    here.check(box == [-84.39, 33.7, 13.4, 52.5], "the box of everything wanted", box)
    here.check(here.json("bounds", "--tag", "none") == {"bbox": None}, "of nothing there is no box")


@part(own_stories)
def trips(here):
    """Adds, lists and removes a collection."""
    trip = here.run("collections", "add", "Grand tour", "--owner", "archive", "--privacy", "public").stdout.strip()
    listed = here.json("collections", "list")["collections"]
    here.check([(c["id"], c["story_count"]) for c in listed] == [(trip, 0)], "a collection is listed", listed)
    here.run("collections", "add", "Grand tour", "--owner", "archive", code=2)
    here.run("collections", "remove", trip)
    here.run("collections", "remove", trip, code=2)


@part()
def names_of_a_place(here):
    """Names a town once that is called like its city."""
    here.write("town.csv", "title,lat,lon,place,city,state\nMusic,35.15,-90.05,Memphis,Memphis,Tennessee\n")
    here.run("import", "town.csv")
    line = here.run("stories", "--format", "text").stdout.splitlines()[0]
    here.check(line.endswith("  Music  Memphis, Tennessee"), "a name is not repeated", line)
