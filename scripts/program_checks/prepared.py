"""What several parts begin with: databases that are made once and copied, and libraries of others."""
import time

from program_checks.parts import library, preparation, shared

# Seven stories: one in every quadrant, two on both sides of the antimeridian, and one without a location.
OWN_STORIES = (
    "id,title,lat,lon,date,tags\n1,North east,52.5,13.4,1936,church\n2,South east,-33.9,18.4,1950,school\n"
    "3,North west,33.7,-84.39,1941,church\n4,South west,-34.6,-58.4,,\n5,Fiji east,-17.8,179.9,1900,\n"
    "6,Fiji west,-17.8,-179.9,1901,\n7,Nowhere,,,1999,\n")

GEOPY = library("geopy==2.4.1")
SSECLIENT = library("sseclient-py==1.8.0")
VECTOR_TILE = library("mapbox-vector-tile==2.2.0")
PMTILES = library("pmtiles==3.8.1")
PILLOW = library("pillow==11.3.0")


@preparation()
def own_stories(here):
    """`own.csv`, imported into `waymark.db`, where every command looks unless another database is named."""
    here.write("own.csv", OWN_STORIES)
    here.run("import", "own.csv")


@preparation()
def walker(here):
    """`walker.db`: one place with a story, and ben, who wants to be notified."""
    database = ["--database", "walker.db"]
    here.write("place.csv", "id,title,lat,lon\n1,Here,33.7554,-84.3736\n")
    here.run("import", "place.csv", *database)
    here.run("users", "add", "ben", *database)
    here.run("users", "opt-in", "ben", *database)


@preparation()
def photographs(here):
    """`ny.db`: 49,164 photographs of New York."""
    source = shared("stories/new-york-street-photos.csv.gz")
    start = time.monotonic()
    here.run("import", source, "--kind", "photo", "--database", "ny.db", "--quiet")
    print(f"import of 49,164 rows: {time.monotonic() - start:.1f} s", flush=True)


@preparation(photographs)
def real_archive(here):
    """`ny.db` with the life histories and the Texas markers as well."""
    for name, count in [("life-histories-1936-40.csv", 1042), ("texas-historical-markers.csv", 3263)]:
        done = here.run("import", shared("stories") / name, "--database", "ny.db", "--quiet")
        here.check(f"{count} new" in done.stdout, name)
