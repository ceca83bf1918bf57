"""The basemap: built by the program, read with programs that others wrote, and served."""
import gzip
import math
import time
import urllib.error
import urllib.request

from program_checks.folder import get, status_of
from program_checks.parts import part
from program_checks.prepared import PMTILES, VECTOR_TILE
from program_checks.tiles import decoder

MEDIA_TYPE = "application/vnd.mapbox-vector-tile"


@part(VECTOR_TILE, PMTILES)
def basemap(here):
    """Builds the basemap, reads it with others' programs, and serves it."""
    decode = decoder(here)
    built = here.run("tiles", "build")
    files = [line.rsplit(": ", 1)[0] for line in built.stdout.splitlines()]
    here.check([file.rsplit("/", 1)[1].split("-")[0] for file in files] == ["land", "names"], "tiles build names its files", built.stdout)
    for told, file in zip(here.json("tiles", "info", "--format", "json"), files):
        read_archive(here, decode, told, file)
    here.run("tiles", "info", "absent.pmtiles", code=2)
    here.write("own.pmtiles", "these are no tiles")
    here.run("tiles", "info", "own.pmtiles", code=2)
    with here.serving() as (address, _):
        sets = ready(address)
        here.check([one["name"] for one in sets] == ["land", "names"], "the service lists both basemaps", sets)
        for one in sets:
            serve(here, decode, address, one)
        for path, status in [("/none", 404), ("/land/1/2/0", 404), ("/land/0/0/00", 404), ("/land/0/0/0?x=1", 400), ("/land/20/0/0", 204)]:
            here.check(status_of(f"{address}/v1/basemaps{path}") == status, path)


def read_archive(here, decode, told, file):
    """Holds an archive to what `tiles info` says of it, and to what a map of these places must show."""
    reader = here.module(PMTILES, "pmtiles.reader")
    with open(file, "rb") as source:
        source_of = reader.MmapSource(source)
        archive = reader.Reader(source_of)
        header = archive.header()
        here.check(header["addressed_tiles_count"] == told["tiles"] and header["max_zoom"] == told["maxzoom"], "tiles info counts as others do", told)
        count = sum(1 for _ in reader.all_tiles(source_of))
        here.check(count == told["tiles"], f"{told['name']} has the tiles that it counts", count)

        def layers(latitude, longitude, zoom):
            data = archive.get(zoom, *tile_of(latitude, longitude, zoom))
            return decode(gzip.decompress(data)) if data else {}

        if told["name"] == "names":
            for latitude, longitude, zoom, name in [(32.37, -86.3, 8, "Montgomery"), (40.81, -73.95, 10, "Harlem"), (42.36, -71.06, 6, "Boston")]:
                features = layers(latitude, longitude, zoom).get("names", {}).get("features", [])
                here.check(name in {feature["properties"]["name"] for feature in features}, f"{name} is on the map at zoom {zoom}")
        else:
            harbour = layers(40.69, -74.04, 9)
            here.check({"land", "counties", "states"} <= set(harbour), "New York harbour has land and lines", set(harbour))
            here.check("lakes" in layers(41.9, -87.5, 6), "Lake Michigan is on the map")
            here.check("land" not in layers(30, -45, 6), "the Atlantic has no land")
            here.check("borders" in layers(49, -100, 4), "the border of Canada is on the map")


def ready(address):
    """The basemaps of a service once it has opened both."""
    for _ in range(300):
        sets = get(address + "/v1/basemaps")["basemaps"]
        if len(sets) == 2:
            return sets
        time.sleep(0.2)
    return sets


def serve(here, decode, address, one):
    """Fetches a tile as a map does: by the TileJSON, compressed, and again by its ETag."""
    description = get(one["tilejson"])
    template = description["tiles"][0]
    here.check(template.startswith(address) and description["attribution"] == one["attribution"], "the TileJSON names its tiles", template)
    x, y = tile_of(40.71, -74, 6)
    url = template.replace("{z}", "6").replace("{x}", str(x)).replace("{y}", str(y))
    plain, packed = fetch(url), fetch(url, **{"Accept-Encoding": "gzip"})
    here.check(packed[1]["Content-Encoding"] == "gzip" and gzip.decompress(packed[2]) == plain[2], "a tile is the same compressed or not")
    here.check(plain[1]["Content-Type"] == MEDIA_TYPE and decode(plain[2]), "a tile is a vector tile", plain[1])
    here.check("immutable" in plain[1]["Cache-Control"], "a tile of this version may be kept", plain[1]["Cache-Control"])
    here.check("immutable" not in fetch(url.split("?")[0])[1]["Cache-Control"], "a tile of any version is asked for again")
    again = fetch(url, **{"If-None-Match": plain[1]["ETag"]})
    here.check(again[0] == 304 and again[2] == b"", "an unchanged tile is 304", again[0])


def fetch(url, **headers):
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def tile_of(latitude, longitude, zoom):
    """Column and row of the tile of a position."""
    side = 2 ** zoom
    return int((longitude + 180) / 360 * side), int((1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * side)
