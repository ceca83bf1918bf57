"""Streets and tiles that an operator adds: made by the program, read with programs that others wrote, and served."""
import gzip
import sqlite3
import struct
import subprocess
import time
import zlib

from program_checks.basemap import fetch, tile_of
from program_checks.folder import get, status_of
from program_checks.parts import part, shared
from program_checks.prepared import PMTILES, VECTOR_TILE
from program_checks.tiles import decoder

CREDIT = "© OpenStreetMap contributors, ODbL"


@part(VECTOR_TILE, PMTILES)
def streets(here):
    """Draws the streets of a real extract, adds tiles that exist, reads and serves them."""
    decode = decoder(here)
    extract = shared("osm/queens_village_ny.osm.pbf")
    added = here.run("tiles", "add", extract, "--name", "queens", "--quiet")
    here.check("queens: " in added.stdout and " buildings" in added.stdout, "tiles add says what it drew", added.stdout)
    read_streets(here, decode, here / "waymark.db.tiles" / "queens.pmtiles")
    old_map(here / "harlem.mbtiles")
    here.run("tiles", "add", "harlem.mbtiles", "--attribution", "A library", "--quiet")
    here.run("tiles", "add", "waymark.db.tiles/queens.pmtiles", "--name", "copy", "--attribution", "<b>Mine</b> &copy; me", "--quiet")
    told = {one["name"]: one for one in here.json("tiles", "list", "--format", "json")}
    here.check(sorted(told) == ["copy", "harlem", "queens"], "tiles list names all three", told)
    here.check(told["harlem"]["tiles"] == 4 and told["harlem"]["media_type"] == "image/png", "the old map has its four tiles", told["harlem"])
    refusals(here)
    with here.serving() as (address, _):
        sets = {one["name"]: one for one in ready(address, {"copy", "harlem", "queens"})}
        here.check(sets["queens"]["attribution"] == CREDIT and sets["copy"]["attribution"] == "Mine © me", "the sources are named", sets)
        here.check([sets[name]["kind"] for name in ("queens", "harlem")] == ["vector", "raster"], "the list tells lines from images", sets)
        serve(here, decode, address, sets)
        ranges(here, address, (here / "waymark.db.tiles" / "queens.pmtiles").read_bytes())
        # Without a restart.
        here.run("tiles", "remove", "copy")
        here.check({one["name"] for one in ready(address, {"harlem", "queens"})} & {"copy"} == set(), "removed tiles are gone")
        here.check(status_of(f"{address}/v1/basemaps/copy") == 404, "and their address is 404")


def read_streets(here, decode, file):
    """Holds the street tiles to what is in the extract."""
    reader = here.module(PMTILES, "pmtiles.reader")
    with open(file, "rb") as source:
        source_of = reader.MmapSource(source)
        header = reader.Reader(source_of).header()
        here.check((header["min_zoom"], header["max_zoom"]) == (9, 14), "street tiles have zoom 9 to 14", header)
        names, classes, buildings = set(), set(), 0
        stored = here / "queens.mvt"
        for (zoom, x, y), data in reader.all_tiles(source_of):
            plain = gzip.decompress(data)
            layers = decode(plain)
            names |= {feature["properties"]["name"] for feature in layers.get("transportation_name", {}).get("features", [])}
            if zoom == 14:
                classes |= {feature["properties"]["class"] for feature in layers.get("transportation", {}).get("features", [])}
                buildings += len(layers.get("building", {}).get("features", []))
            if (zoom, x, y) == (14, *tile_of(40.7183, -73.7413, 14)):
                stored.write_bytes(plain)
    here.check({"Jamaica Avenue", "Hempstead Avenue", "212th Street"} <= names, "streets of Queens Village have their names", len(names))
    here.check({"motorway", "primary", "minor", "path", "rail"} <= classes, "roads have their classes", classes)
    here.check(buildings > 45_000, "houses are drawn", buildings)
    told = subprocess.run(["ogrinfo", "-ro", "-so", "-al", str(stored)], capture_output=True, text=True)
    layers = [line.split(": ")[1] for line in told.stdout.splitlines() if line.startswith("Layer name: ")]
    here.check(told.returncode == 0 and {"transportation", "building", "transportation_name"} <= set(layers), "GDAL reads a street tile", told.stdout + told.stderr)


def old_map(path):
    """An image over the middle of Queens Village at zoom 15, as MBTiles; and rows that are no tiles."""
    x, y = tile_of(40.718, -73.742, 15)
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE metadata (name TEXT, value TEXT);"
            "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", [("name", "Old"), ("format", "png"), ("bounds", "-73.76,40.70,-73.72,40.73")])
        for column, row in [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]:
            database.execute("INSERT INTO tiles VALUES (15, ?, ?, ?)", (column, 2 ** 15 - 1 - row, image(column % 200, row % 200)))
        database.execute("INSERT INTO tiles VALUES (15, -4, 'x', 'no tile')")
        database.execute("INSERT INTO tiles VALUES (3, 1, 1, ?)", (b"no image",))
    database.close()


def image(red, green):
    """A PNG of 256 by 256 pixels in one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([red, green, 90]) * 256) * 256
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def refusals(here):
    """Files that are no tiles, and names that cannot be used, change nothing."""
    before = sorted((here / "waymark.db.tiles").iterdir())
    here.write("text.mbtiles", "these are no tiles")
    here.write("text.pmtiles", "these are no tiles")
    here.write("text.osm.pbf", "this is no extract")
    whole = (here / "waymark.db.tiles" / "queens.pmtiles").read_bytes()
    (here / "cut.pmtiles").write_bytes(whole[: len(whole) // 2])
    sqlite3.connect(here / "empty.mbtiles").execute("CREATE TABLE other (a)").connection.close()
    for file in ["text.mbtiles", "text.pmtiles", "text.osm.pbf", "cut.pmtiles", "empty.mbtiles", "absent.mbtiles", "waymark.db"]:
        here.run("tiles", "add", file, code=2)
    for name in ["land", "names", "Queens", "../up", "", "a" * 41]:
        here.run("tiles", "add", "harlem.mbtiles", "--name", name, code=2)
    here.run("tiles", "remove", "absent", code=2)
    here.check(sorted((here / "waymark.db.tiles").iterdir()) == before, "refused files leave nothing behind")


def ready(address, wanted):
    """The basemaps of a service once those added are exactly the wanted ones."""
    for _ in range(300):
        sets = get(address + "/v1/basemaps")["basemaps"]
        if {one["name"] for one in sets} - {"land", "names"} == wanted:
            return sets
        time.sleep(0.2)
    return sets


def serve(here, decode, address, sets):
    """Fetches a tile of each kind by its TileJSON."""
    description = get(sets["queens"]["tilejson"])
    here.check(description["attribution"] == CREDIT and description["maxzoom"] == 14, "the TileJSON names source and zooms", description)
    here.check("transportation" in {layer["id"] for layer in description["vector_layers"]}, "and its layers", description)
    west, south, east, north = description["bounds"]
    here.check(-74 < west < -73.74 < east < -73 and 40 < south < 40.72 < north < 41, "and its box", description["bounds"])
    x, y = tile_of(40.718, -73.742, 14)
    tile = fetch(description["tiles"][0].replace("{z}", "14").replace("{x}", str(x)).replace("{y}", str(y)))
    here.check(tile[0] == 200 and "transportation" in decode(tile[2]), "a street tile is served", tile[0])
    x, y = tile_of(40.718, -73.742, 15)
    old = fetch(get(sets["harlem"]["tilejson"])["tiles"][0].replace("{z}", "15").replace("{x}", str(x)).replace("{y}", str(y)))
    here.check(old[1]["Content-Type"] == "image/png" and old[2] == image(x % 200, y % 200), "an image is served as it was", old[1])


def ranges(here, address, whole):
    """Asks for parts of an archive, as readers of PMTiles do over HTTP."""
    url = f"{address}/v1/basemaps/queens/archive.pmtiles"
    size = len(whole)
    full = fetch(url)
    tag = full[1]["ETag"]
    here.check(full[0] == 200 and full[2] == whole and full[1]["Accept-Ranges"] == "bytes", "a small archive is served whole", full[0])
    for header, start, end in [("bytes=0-126", 0, 127), (f"bytes={size - 5}-", size - 5, size), ("bytes=-10", size - 10, size), (f"bytes=7-{size * 9}", 7, size)]:
        answer = fetch(url, Range=header, **{"Accept-Encoding": "gzip"})
        here.check(answer[0] == 206 and answer[2] == whole[start:end], f"{header} is answered exactly", answer[0])
        here.check(answer[1]["Content-Range"] == f"bytes {start}-{end - 1}/{size}" and "Content-Encoding" not in answer[1], f"{header} says which part", answer[1])
    for header in ["bytes=5-2", "bytes=a-b", "bytes=0-1,4-5", "lines=1-2", "bytes=-"]:
        here.check(fetch(url, Range=header)[0] == 200, f"{header} is ignored")
    beyond = fetch(url, Range=f"bytes={size}-")
    here.check(beyond[0] == 416 and beyond[1]["Content-Range"] == f"bytes */{size}", "a part beyond the end is 416", beyond[0])
    here.check(fetch(url, Range="bytes=0-9", **{"If-Range": tag})[0] == 206, "If-Range with the tag gives the part")
    here.check(fetch(url, Range="bytes=0-9", **{"If-Range": '"other"'})[0] == 200, "If-Range with another gives the whole")
    here.check(fetch(url, Range="bytes=0-9", **{"If-None-Match": tag})[0] == 304, "an unchanged archive is 304")
    reader = here.module(PMTILES, "pmtiles.reader").Reader(lambda offset, length: fetch(url, Range=f"bytes={offset}-{offset + length - 1}")[2])
    x, y = tile_of(40.718, -73.742, 14)
    here.check(reader.get(14, x, y) is not None, "a reader of PMTiles finds a tile over HTTP")
    here.check(fetch(f"{address}/v1/basemaps/none/archive.pmtiles")[0] == 404, "no archive is 404")
