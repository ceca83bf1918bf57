"""Vector tiles of a running service, read with programs that others wrote and compared with its GeoJSON map.

`compare` asks a service for whole zooms of tiles and reads them with mapbox-vector-tile, `read_by_gdal` lets GDAL read them.
"""
import gzip
import json
import math
import random
import subprocess
import urllib.error
import urllib.request

from program_checks.folder import get, status_of
from program_checks.parts import part
from program_checks.prepared import VECTOR_TILE

MEDIA_TYPE = "application/vnd.mapbox-vector-tile"


def decoder(here):
    """The function that decodes a tile, of a part that asked for its library."""
    module = here.module(VECTOR_TILE, "mapbox_vector_tile")
    return lambda data: module.decode(data, default_options={"y_coord_down": True})


@part(VECTOR_TILE)
def tiles(here):
    """Reads the vector tiles of a made-up world with others' programs."""
    decode = decoder(here)
    here.write("world.csv", "\n".join(world_rows(3_000, 7)) + "\n")
    here.run("import", "world.csv", "--database", "tiles.db", "--quiet")
    stored = here / "stored-tiles"
    with here.serving("--database", "tiles.db", "--rate-limit", "0") as (address, _):
        for zoom in range(0, 5):
            compare(address, decode, zoom, here.check, store=stored)
        compare(address, decode, 2, here.check, query="q=7&kind=interview")
        for zoom in (3, 4):
            read_by_gdal(stored, zoom, 3_000, here.check)
        geojson_by_gdal(address, here.path, 3_000, here.check)
        description = get(address + "/v1/tiles.json?kind=interview")
        template = description["tiles"][0]
        here.check(template == address + "/v1/tiles/{z}/{x}/{y}.mvt?kind=interview", "tiles.json says where the tiles are", template)
        tag = fetch(address, "/v1/tiles/0/0/0.mvt")[1]["ETag"]
        again = fetch(address, "/v1/tiles/0/0/0.mvt", **{"If-None-Match": tag})
        here.check(again[0] == 304 and again[2] == b"", "an unchanged tile is 304", again[0])
        for path, status in [("0/1/0.mvt", 404), ("21/0/0.mvt", 404), ("0/0/0.png", 404), ("0/0/0.mvt?zoom=1", 400)]:
            here.check(status_of(f"{address}/v1/tiles/{path}") == status, path)


def world_rows(count, seed):
    """Seeded points as rows of CSV: towns, stacks, noise, both sides of the antimeridian, beyond the last row of tiles."""
    draw = random.Random(seed)
    towns = [(draw.uniform(-60, 70), draw.uniform(-180, 180)) for _ in range(20)] + [(-17.8, 179.99), (66.1, -179.98)]
    yield "id,title,lat,lon"
    for number in range(count):
        kind = draw.random()
        if kind < 0.1:
            lat, lon = math.degrees(math.asin(draw.uniform(-1, 1))), draw.uniform(-180, 180)
        elif kind < 0.12:
            lat, lon = draw.choice([89.9, -90, 85.06]), draw.uniform(-180, 180)
        elif kind < 0.14:
            lat, lon = draw.uniform(-80, 80), draw.choice([-180, 180])
        else:
            lat, lon = draw.choice(towns)
            if kind > 0.3:
                spread = 10 ** draw.uniform(-4, 0.5)
                lat, lon = lat + spread * draw.uniform(-1, 1), lon + spread * draw.uniform(-1, 1)
        yield f"{number},Story {number},{lat:.6f},{(lon + 180) % 360 - 180:.6f}"


def fetch(address, path, **headers):
    """The status, the header fields and the body, unpacked."""
    request = urllib.request.Request(address + path, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            status, fields, body = answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        status, fields, body = error.code, error.headers, error.read()
    return status, fields, gzip.decompress(body) if fields["Content-Encoding"] == "gzip" else body


def square(lon, lat):
    """Where a coordinate is on the Web Mercator square, 0...1 from the west and from the north."""
    sine = min(0.9999999999, max(-0.9999999999, math.sin(math.radians(lat))))
    y = 0.5 - 0.25 * math.log((1 + sine) / (1 - sine)) / math.pi
    return (lon + 180) / 360, min(1, max(0, y))


def compare(address, decode, zoom, check, query="", store=None):
    """All tiles of a zoom against the GeoJSON map: the same markers at the same places, and every story once."""
    joint = "&" if query else ""
    whole = json.loads(fetch(address, f"/v1/clusters?bbox=-180,-90,180,90&zoom={min(zoom, 4)}{joint}{query}")[2])
    stories, found, size = 0, {}, 2 ** zoom
    for column in range(size):
        for row in range(size):
            status, fields, data = fetch(address, f"/v1/tiles/{zoom}/{column}/{row}.mvt?{query}", **{"Accept-Encoding": "gzip"})
            if status == 204 and data == b"":
                continue
            if status != 200 or fields["Content-Type"] != MEDIA_TYPE or fields["ETag"] is None:
                check(False, f"tile {zoom}/{column}/{row}", f"{status} {dict(fields)}")
                continue
            if store is not None:
                file = store / str(zoom) / str(column) / f"{row}.mvt"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            layers = decode(data)
            if list(layers) != ["stories"] or layers["stories"]["extent"] != 4096 or layers["stories"]["version"] != 2:
                check(False, f"tile {zoom}/{column}/{row} has the layer stories", list(layers))
            for feature in layers["stories"]["features"]:
                x, y = feature["geometry"]["coordinates"]
                if not (feature["geometry"]["type"] == "Point" and 0 <= x < 4096 and 0 <= y < 4096):
                    check(False, f"tile {zoom}/{column}/{row}: a point inside it", feature["geometry"])
                stories += feature["properties"].get("point_count", 1)
                name = feature["properties"].get("id", feature["id"])
                found[name] = feature["properties"], (column * 4096 + x) / (size * 4096), (row * 4096 + y) / (size * 4096)
    check(stories == whole["numberMatched"], f"all tiles of zoom {zoom} hold every story once", f"{stories} {whole['numberMatched']}")
    if zoom > 4:
        # The GeoJSON map of the world is too large for one answer here.
        return
    check(len(found) == len(whole["features"]), f"zoom {zoom} has as many markers", f"{len(found)} {len(whole['features'])}")
    for feature in whole["features"]:
        name = feature["id"]
        if name not in found:
            check(False, f"zoom {zoom} has the marker", name)
            continue
        properties, x, y = found[name]
        wanted = {key: value for key, value in feature["properties"].items() if value is not None}
        given = {key: value for key, value in properties.items() if key not in ("id", "sqrt_point_count")}
        east, south = (there - here for there, here in zip(square(*feature["geometry"]["coordinates"]), (x, y)))
        # A unit of the tile, and once round the globe.
        near = all(-0.6 <= (offset + 0.5) % 1 * size * 4096 - 0.5 * size * 4096 <= 2.1 for offset in (east, south))
        if given != wanted or not near:
            check(False, f"zoom {zoom}: the marker {name} is the same in both", f"{given} {wanted} {east} {south}")


def read_by_gdal(folder, zoom, count, check):
    """GDAL reads the stored tiles of a zoom as one layer with all stories, where they are."""
    out = folder / "gdal.geojsons"
    done = subprocess.run(
        ["ogr2ogr", "-f", "GeoJSONSeq", str(out), f"MVT:{folder}/{zoom}", "stories", "-oo", "TILE_EXTENSION=mvt",
         "-t_srs", "EPSG:4326", "-lco", "RS=NO"], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, "ogr2ogr reads the tiles", done.stderr[-400:])
    if done.returncode != 0:
        return
    features = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    stories = sum(feature["properties"].get("point_count") or 1 for feature in features)
    check(stories == count, "GDAL finds every story in the tiles", f"{stories} {count}")
    titled = [feature for feature in features if feature["properties"].get("title")]
    check(titled and all("point_count" not in f["properties"] or f["properties"]["point_count"] is None for f in titled),
          "GDAL sees single stories with a title and without a count")


def geojson_by_gdal(address, folder, count, check):
    """GDAL reads the GeoJSON map."""
    file = folder / "clusters.geojson"
    file.write_bytes(fetch(address, "/v1/clusters?bbox=-180,-90,180,90&zoom=3")[2])
    markers = len(json.loads(file.read_bytes())["features"])
    told = subprocess.run(
        ["ogrinfo", "-ro", "-q", "clusters.geojson", "-sql",
         'SELECT COUNT(*) AS markers, SUM(COALESCE(point_count, 1)) AS stories FROM "clusters"', "-dialect", "SQLite"],
        cwd=folder, capture_output=True, text=True, timeout=120)
    check(f"markers (Integer) = {markers}" in told.stdout and f"= {count}" in told.stdout, "ogrinfo reads the clusters",
          told.stdout + told.stderr)
