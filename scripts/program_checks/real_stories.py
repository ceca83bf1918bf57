"""New York's photographs: quick, complete, repeatable, readable by GDAL, and counted exactly at every zoom."""
import collections
import csv
import gzip
import subprocess

from program_checks import tiles
from program_checks.folder import get
from program_checks.parts import part, shared
from program_checks.prepared import VECTOR_TILE, photographs, real_archive

DATABASE = ["--database", "ny.db"]
ALL_STORIES = 49_164 + 1_042 + 3_263


def source():
    return shared("stories/new-york-street-photos.csv.gz")


def source_points():
    """Where the photographs are: latitude and longitude of every row."""
    with gzip.open(source(), "rt", encoding="utf-8") as file:
        return [(float(row["lat"]), float(row["lon"])) for row in csv.DictReader(file)]


def total(collection):
    return sum(f["properties"].get("point_count", 1) for f in collection["features"])


@part(photographs)
def real_import(here):
    """Imports the photographs again, and lets GDAL read them."""
    again = here.run("import", source(), "--kind", "photo", *DATABASE, "--quiet").stdout
    here.check("0 new, 0 changed, 49164 unchanged" in again, "a second import changes nothing", again)
    told = subprocess.run(["ogrinfo", "-ro", "-so", "ny.db", "stories"], cwd=here.path, capture_output=True, text=True).stdout
    here.check("Feature Count: 49164" in told and "Geometry: Point" in told, "GDAL sees every story", told[:300])


def boxes(width, height):
    """The world in boxes of equal size."""
    return [f"{w},{s},{w + width},{s + height}" for w in range(-180, 180, width) for s in (-85 + height * n for n in range(int(170 / height)))]


@part(real_archive)
def real_zooms(here):
    """Counts every story at every zoom, in the world and in a tiling of it."""
    for zoom in range(0, 21):
        world = here.clusters("-180,-85,180,85", zoom, *DATABASE)
        here.check(world["numberMatched"] == ALL_STORIES, f"zoom {zoom}: every story is counted", world["numberMatched"])
        here.check(total(world) == ALL_STORIES, f"zoom {zoom}: the markers' counts sum to all", total(world))
    # The command reads the whole file each time; a service does not, but refuses large boxes at zoom 9.
    far = sum(total(here.clusters(box, 9, *DATABASE)) for box in boxes(120, 85))
    here.check(far == ALL_STORIES, "zoom 9: a tiling of the world sums to all", far)
    with here.serving(*DATABASE, "--rate-limit", "0") as (address, _):
        near = sum(total(get(f"{address}/v1/clusters?bbox={box}&zoom=3")) for box in boxes(45, 42.5))
    here.check(near == ALL_STORIES, "zoom 3: a tiling of the world sums to all", near)


@part(real_archive)
def real_places(here):
    """Counts the stories of a viewport and of the fullest place as the rows of the source have them."""
    points = source_points()
    here.check(len(points) == 49164, "the source has 49,164 rows")
    box = (-74.0, 40.7, -73.95, 40.75)
    inside = sum(box[0] <= lon <= box[2] and box[1] <= lat <= box[3] for lat, lon in points)
    found = here.clusters(",".join(map(str, box)), 12, *DATABASE)["numberMatched"]
    here.check(found == inside, "a viewport's count equals counting the rows", f"{found} and {inside}")
    world = here.clusters("-180,-85,180,85", 20, *DATABASE, "--kind", "photo")
    most = max(f["properties"]["point_count"] for f in world["features"] if f["properties"].get("stacked"))
    # Two photographs' points are one place when they fall into one cell of 1e-5 degrees.
    cells = collections.Counter((round((lat + 90) * 1e5), round((lon + 180) * 1e5)) for lat, lon in points)
    here.check(most == max(cells.values()) >= 666, "the place that holds the most", most)


@part(real_archive, VECTOR_TILE)
def real_tiles(here):
    """Reads the real stories in tiles: all of a zoom together are the same stories."""
    decode = tiles.decoder(here)
    with here.serving(*DATABASE, "--rate-limit", "0") as (address, _):
        for zoom in (0, 2, 4, 5):
            tiles.compare(address, decode, zoom, here.check)
        world = get(address + "/v1/bounds")["bbox"]
        here.check(all(abs(a - b) < 2e-5 for a, b in zip(get(address + "/v1/tiles.json")["bounds"], world)), "the box of the tiles", world)
