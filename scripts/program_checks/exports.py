"""Exports read by others' programs, brought back, and converted positions."""
import http.client
import json
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import time
import urllib.request
import xml.etree.ElementTree

from program_checks.parts import ROOT, LeftOut, library, part
from program_checks.prepared import PMTILES, own_stories

GPXPY = library("gpxpy==1.6.2")
FASTKML = library("fastkml==1.1.0")

RICH = '''id,title,date,lat,lon,precision,cell,city,tags,text,privacy
1,"Comma, and ""quote""",1936,33.75,-84.39,exact,,Atlanta,"[""a, b"",""c""]","Two
lines",public
2,Approximate,ca. 1920,51.51,-0.12,approximate,0.1,,x;y,,public
3,Hidden,1999-07-04,-33.9,151.2,hidden,,,,,family_only
4,No place,soon,,,,,,,,private
'''


def gdal(*arguments, folder):
    if not shutil.which(arguments[0]):
        raise LeftOut("GDAL's programs are missing (apt-get install gdal-bin)")
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr if done.returncode == 0 else f"failed: {done.stderr}"


@part()
def exports_by_gdal(here):
    """Reads every export with GDAL: types, counts, bounds, reference systems."""
    here.write("rich.csv", RICH)
    here.run("import", "rich.csv")
    for form, count in [("gpkg", 4), ("geojson", 4), ("kml", 4), ("gpx", 2)]:
        here.run("export", "--as", "archive", "-o", f"all.{form}")
        told = gdal("ogrinfo", "-ro", "-so", "-al", f"all.{form}", folder=here.path)
        wanted = 3 if form == "gpx" else count
        here.check(f"Feature Count: {wanted}" in told and "ERROR" not in told, f"ogrinfo reads {form}", told[-600:])
    told = gdal("ogrinfo", "-ro", "-so", "all.gpkg", "stories", folder=here.path)
    for line in ["created_ms: Integer64", "created_at: DateTime", "first_day: Date", "city: String", "accuracy: Real",
                 "family_sees_exact: Integer(Boolean)", "FID Column = fid", "Geometry: Point", "Extent: (-84.39"]:
        here.check(line in told, f"the GeoPackage has {line}", told)
    here.check("warning" not in told.lower(), "GDAL warns of nothing in the GeoPackage", told)
    row = gdal("ogrinfo", "-ro", "-q", "all.gpkg", "-sql", "SELECT created_ms, first_day FROM stories WHERE title LIKE 'Hidden'", folder=here.path)
    here.check("1999/07/04" in row and "created_ms (Integer64) = 1" in row, "numbers of 64 bits and days come out whole", row)
    here.run("export", "--as", "archive", "--crs", "EPSG:26916", "-o", "utm.gpkg")
    told = gdal("ogrinfo", "-ro", "-so", "utm.gpkg", "stories", folder=here.path)
    here.check("UTM zone 16N" in told, "--crs is in the GeoPackage", told)
    public = here.run("export", "--format", "csv").stdout
    here.check("Hidden" not in public and "51.51" not in public and "51.55" in public, "others get a cell's middle", public)


@part()
def exports_over_http(here):
    """Fetches a short export often: its only piece always comes before the end of the answer."""
    here.write("rich.csv", RICH)
    here.run("import", "rich.csv")
    here.run("users", "add", "ana")
    token = here.run("tokens", "issue", "--user", "ana").stdout.strip()
    with here.serving("--rate-limit", "0") as (address, _):
        host, port = address.removeprefix("http://").rstrip("/").rsplit(":", 1)
        for system, form in [("EPSG:26916", "csv"), ("EPSG:3857", "geojson")]:
            asked = urllib.request.Request(
                f"{address}/v1/export?format={form}&crs={system}".replace("//v1", "/v1"),
                headers={"Authorization": f"Bearer {token}"},
            )
            with urllib.request.urlopen(asked, timeout=30) as answer:
                body = answer.read()
            same = here.run("export", "--as", "ana", "--format", form, "--crs", system, "--url", address.rstrip("/")).stdout
            here.check(body.decode().replace("\r\n", "\n") == same, f"{form} in {system} is the same over HTTP as by the command", body[:200])
        bodies = set()
        for _ in range(300):
            connection = http.client.HTTPConnection(host, int(port), timeout=30)
            connection.request("GET", "/v1/export?format=csv", headers={"Authorization": f"Bearer {token}", "Connection": "close"})
            bodies.add(connection.getresponse().read())
            connection.close()
        here.check(len(bodies) == 1 and b"Approximate" in bodies.pop(), "300 answers are whole and the same", bodies)


@part()
def exports_come_back(here):
    """Brings exports back into empty databases: directly, and through GDAL."""
    here.write("rich.csv", RICH)
    here.run("import", "rich.csv", "--source", "rich")
    for form in ["geojson", "ndjson", "csv", "kml", "gpkg"]:
        here.run("export", "--as", "archive", "--format", form, "-o", f"a.{form}")
        here.run("import", f"a.{form}", "--keep-ids", "--database", f"{form}.db")
        here.run("export", "--as", "archive", "--format", form, "-o", f"b.{form}", "--database", f"{form}.db")
        here.check((here / f"a.{form}").read_bytes() == (here / f"b.{form}").read_bytes(), f"{form} comes back with the same bytes")
    here.check("ids cannot be kept" in here.run("import", "a.csv", "--keep-ids", code=2).stderr, "ids are kept in an empty database only")
    known = here.run("export", "--as", "archive", "--format", "csv").stdout
    for source, kind, name in [("a.geojson", "GPKG", "x.gpkg"), ("a.gpkg", "GeoJSON", "x.geojson"), ("a.gpkg", "CSV", "x.csv"),
                               ("a.gpkg", "GPKG", "y.gpkg"), ("a.geojson", "GeoJSONSeq", "x.ndjson"), ("a.csv", "CSV", "y.csv"),
                               ("a.ndjson", "GPKG", "z.gpkg"), ("a.ndjson", "GeoJSON", "z.geojson")]:
        told = gdal("ogr2ogr", "-f", kind, name, source, *(["-lco", "GEOMETRY=AS_XY"] if name == "x.csv" else []), folder=here.path)
        here.check("failed" not in told, f"ogr2ogr writes {name}", told)
        database = name + ".db"
        here.run("import", name, "--keep-ids", "--database", database, "--quiet")
        again = here.run("export", "--as", "archive", "--format", "csv", "--database", database).stdout
        here.check(again == known, f"{source} comes back through {kind}", f"\n{known}\n{again}")


@part()
def geocoded_tables_come_back(here):
    """Imports what geocode --batch wrote, as it is and in formats that ogr2ogr makes of it: each time the same stories."""
    here.write("named.csv", 'name,where\nMill,"Selma, AL"\nFerry,"Macon, Georgia"\nNowhere,qwxzzy\n')
    here.run("geocode", "--batch", "named.csv", "--column", "where", "--output", "found.csv")

    def stories(name):
        here.run("import", name, "--source", "found", "--database", name + ".db", "--quiet")
        everybody = here.json("export", "--database", name + ".db")["features"]
        here.check(all(not (feature["properties"].get("location") or {}).get("name") for feature in everybody), "a town is no exact place", everybody)
        features = here.json("export", "--as", "archive", "--database", name + ".db")["features"]
        return {feature["properties"]["title"]: (feature["properties"]["kind"], (feature["geometry"] or {}).get("coordinates"),
                                                 (feature["properties"].get("location") or {}).get("name")) for feature in features}

    known = stories("found.csv")
    here.check(sorted(known) == ["Ferry", "Mill", "Nowhere"], "the row's own name is the title", known)
    here.check({kind for kind, _, _ in known.values()} == {"interview"}, "the kind of the place is not the story's", known)
    here.check("Alabama" in (known["Mill"][2] or "") and known["Mill"][1] and not known["Nowhere"][1], "what was found is the place", known)
    printed = here.run("import", "found.csv", "--columns").stdout
    here.check("place_name" in printed and "ignored" in printed, "--columns says so", printed)
    points = ["-oo", "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat", "-a_srs", "EPSG:4326"]
    for kind, name, more in [("GeoJSON", "x.geojson", points), ("GPKG", "x.gpkg", points), ("GeoJSONSeq", "x.geojsons", points), ("CSV", "y.csv", []),
                             ("CSV", "x.csv", [*points, "-lco", "GEOMETRY=AS_XY"]), ("GeoJSON", "y.geojson", [])]:
        told = gdal("ogr2ogr", "-f", kind, name, "found.csv", *more, folder=here.path)
        here.check("failed" not in told, f"ogr2ogr writes {name}", told)
        again = stories(name)
        here.check(again == known, f"the geocoded table comes back through {name}", f"\n{known}\n{again}")


DRAWN = [
    {"role": "lived", "geometry": {"type": "Polygon", "coordinates": [[[-84.5, 33.6], [-84.1, 33.6], [-84.1, 33.9], [-84.5, 33.6]]]}},
    {"role": "arrived", "seconds": 12.5, "geometry": {"type": "LineString", "coordinates": [[179.5, -17], [180.25, -16]]}},
    {"role": "born", "lat": 51.512, "lon": -0.123, "precision": "approximate", "cell": 0.1},
]


@part()
def drawn_places_come_back(here):
    """Exports draw the places of stories as well; back in an empty database each is there once."""
    properties = {"title": "Drawn", "privacy": "public", "places": DRAWN}
    feature = {"type": "Feature", "id": "1", "geometry": {"type": "Point", "coordinates": [-84.39, 33.75]}, "properties": properties}
    here.write("drawn.geojson", json.dumps({"type": "FeatureCollection", "features": [feature]}))
    here.run("import", "drawn.geojson", "--source", "drawn")
    for form in ["kml", "gpkg"]:
        here.run("export", "--as", "archive", "--format", form, "-o", f"a.{form}")
        said = here.run("import", f"a.{form}", "--keep-ids", "--database", f"{form}.db").stderr
        here.check("was read, not" not in said, f"nothing is remarked on the places of {form}", said)
        here.run("export", "--as", "archive", "--format", form, "-o", f"b.{form}", "--database", f"{form}.db")
        here.check((here / f"a.{form}").read_bytes() == (here / f"b.{form}").read_bytes(), f"{form} with places comes back with the same bytes")
    known = here.run("export", "--as", "archive", "--format", "csv").stdout
    for kind, name, layer in [("GPKG", "x.gpkg", []), ("GeoJSON", "x.geojson", ["stories"])]:
        told = gdal("ogr2ogr", "-f", kind, name, "a.gpkg", *layer, folder=here.path)
        here.check("failed" not in told, f"ogr2ogr writes {name}", told)
        here.run("import", name, "--keep-ids", "--database", name + ".db", "--quiet")
        again = here.run("export", "--as", "archive", "--format", "csv", "--database", name + ".db").stdout
        here.check(again == known, f"places come back through {kind}", f"\n{known}\n{again}")
    for source, layer in [("a.gpkg", "story_places"), ("a.kml", "Places")]:
        told = gdal("ogrinfo", "-ro", "-q", source, layer, folder=here.path)
        here.check(all(f"  {shape} (" in told for shape in ["POLYGON", "LINESTRING", "POINT"]), f"GDAL draws the places of {source}", told)
    stranger = here.run("export", "--format", "kml").stdout
    here.check("Places" in stranger and "51.512" not in stranger and "-0.15,51.55" in stranger, "others get the cell of a place", stranger)


@part(own_stories, GPXPY, FASTKML, PMTILES)
def exports_by_others(here):
    """Reads exports with the libraries of others, and checks the rules of the humanities' formats."""
    here.run("export", "-o", "a.gpx")
    parsed = here.module(GPXPY, "gpxpy").parse((here / "a.gpx").read_text(encoding="utf-8"))
    here.check(sorted(p.name for p in parsed.waypoints)[0] == "Fiji east" and len(parsed.waypoints) == 6, "gpxpy reads the waypoints")
    here.run("export", "-o", "a.kml")
    kml = here.module(FASTKML, "fastkml").KML.parse(str(here / "a.kml"))
    marks = list(kml.features[0].features)
    here.check(len(marks) == 7 and any(mark.geometry is not None for mark in marks), "fastkml reads the placemarks", len(marks))
    here.check(xml.etree.ElementTree.parse(here / "a.kml").getroot().tag.endswith("kml"), "the KML is XML")
    here.run("export", "--format", "lpf", "--url", "https://stories.example.org/", "-o", "a.json")
    places = json.loads((here / "a.json").read_text(encoding="utf-8"))
    for place in places["features"]:
        right = place["@id"].startswith("https://stories.example.org/v1/places/p") and place["names"][0]["toponym"] and place["properties"]["title"]
        here.check(right and place["geometry"]["type"] == "Point", "a place of Linked Places has what it needs", place)
    here.check(len(places["features"]) == 6, "Linked Places has the stories with a place")
    here.run("export", "--format", "navplace", "--url", "https://stories.example.org", "-o", "nav.json")
    collection = json.loads((here / "nav.json").read_text(encoding="utf-8"))
    here.check(collection["type"] == "Collection" and len(collection["items"]) == 7, "the IIIF collection has every story")
    here.check(sum("navPlace" in item for item in collection["items"]) == 6, "those with a place have navPlace")
    here.run("export", "--max-zoom", "4", "-o", "map.pmtiles")
    reader = here.module(PMTILES, "pmtiles.reader")
    with open(here / "map.pmtiles", "rb") as file:
        archive = reader.Reader(reader.MmapSource(file))
        here.check(archive.get(0, 0, 0) is not None and archive.header()["max_zoom"] == 4, "pmtiles reads the tiles", archive.header())
    verify_archive(here, here / "map.pmtiles")
    here.run("export", "--max-zoom", "4", "-o", "map.mbtiles")
    count = sqlite3.connect(here / "map.mbtiles").execute("SELECT count(*), max(zoom_level) FROM tiles").fetchone()
    here.check(count[0] > 5 and count[1] == 4, "the MBTiles has tiles", count)


def verify_archive(here, path):
    """Checks an archive as 'pmtiles verify' does: its counts, its length, its zooms, and tiles in their order."""
    with open(path, "rb") as file:
        bytes_read = file.read()
    tiles = here.module(PMTILES, "pmtiles.tile")
    header = tiles.deserialize_header(bytes_read[:127])
    entries = []

    def collect(offset, length):
        for entry in tiles.deserialize_directory(bytes_read[offset : offset + length]):
            if entry.run_length == 0:
                collect(header["leaf_directory_offset"] + entry.offset, entry.length)
            else:
                entries.append(entry)

    collect(header["root_offset"], header["root_length"])
    ids = [entry.tile_id for entry in entries]
    here.check(ids == sorted(set(ids)), "the entries are in order")
    end = 0
    for entry in entries:
        # New content follows what is there; equal content lies before.
        here.check(entry.offset <= end, "the tiles are clustered", entry)
        end = max(end, entry.offset + entry.length)
    here.check(end == header["tile_data_length"], "the tiles fill their section", header)
    here.check(header["clustered"] and header["tile_entries_count"] == len(entries), "the header counts its entries", header)
    here.check(header["addressed_tiles_count"] == sum(entry.run_length for entry in entries), "the header counts its tiles", header)
    here.check(header["tile_contents_count"] == len({entry.offset for entry in entries}), "the header counts its contents", header)
    zooms = [tiles.tileid_to_zxy(tile)[0] for tile in (ids[0], ids[-1])]
    here.check(zooms == [header["min_zoom"], header["max_zoom"]], "the zooms are those of the tiles", zooms)
    length = header["metadata_length"] + header["leaf_directory_length"] + header["tile_data_length"]
    here.check(len(bytes_read) == 16_384 + length, "the sections fill the file", len(bytes_read))


@part(own_stories)
def export_files(here):
    """Files of exports are whole or absent, and refusals say what to do."""
    for form in ["gpkg", "mbtiles", "pmtiles"]:
        here.check("-o" in here.run("export", "--format", form, code=2).stderr, f"{form} wants a file")
    unknown = here.run("export", "-o", "x.exe", code=2).stderr
    here.check(".exe" in unknown and "gpkg" in unknown and not (here / "x.exe").exists(), "an unknown ending is refused with the formats", unknown)
    here.check(json.loads(here.run("export", "-o", "-").stdout)["type"] == "FeatureCollection", "- is standard output, as GeoJSON")
    error = here.run("export", "--database", "no/such/waymark.db", code=2).stderr
    here.check("mkdir -p" in error and "no/such" in error, "a missing folder of the database is said", error)
    here.write("one.csv", "title\nA\n")
    error = here.run("import", "one.csv", "--database", "no/such/waymark.db", code=2).stderr
    here.check("mkdir -p" in error, "also by commands that write", error)
    error = here.run("stories", "--from", "1950", "--to", "1940", code=2).stderr
    here.check("from is 1950, and to is 1940" in error, "reversed dates are said", error)
    here.run("export", "-o", "missing/a.csv", code=2)
    here.run("export", "-o", ".", code=2)
    here.run("export", "--format", "kml", "--crs", "EPSG:3857", code=2)
    here.run("export", "--format", "geojson", "--crs", "EPSG:1", code=2)
    here.check("three coordinates" in here.run("export", "--crs", "EPSG:4978", code=2).stderr, "geocentric positions are refused")
    here.check("is not for positions on the Earth" in here.run("export", "--crs", "EPSG:5773", code=2).stderr, "heights are refused")
    here.check("two axes" in here.run("export", "--crs", "EPSG:4979", code=2).stderr, "a third axis is refused")
    here.run("export", "--format", "geojson", "--max-zoom", "3", code=2)
    here.check("RFC 7946" in here.run("export", "--crs", "EPSG:3857", "-o", "m.geojson").stderr, "GeoJSON in metres is warned about")
    here.write("old.csv", "old")
    here.run("export", "-o", "old.csv")
    here.check("North east" in (here / "old.csv").read_text(encoding="utf-8"), "a file is replaced whole")
    (here / "link.csv").symlink_to("old.csv")
    here.run("export", "-o", "link.csv", "--tag", "no such tag")
    here.check((here / "link.csv").is_symlink() and "North east" not in (here / "old.csv").read_text(encoding="utf-8"), "behind a link as well")
    os.mkfifo(here / "pipe.csv")
    error = here.run("export", "-o", "pipe.csv", code=2).stderr
    here.check("not a regular file" in error and (here / "pipe.csv").is_fifo(), "a pipe is not replaced", error)
    rows = "".join(f"{n},Story {n},{n % 80 + 0.5},{n % 170}\n" for n in range(20_000))
    here.write("many.csv", "id,title,lat,lon\n" + rows)
    here.run("import", "many.csv", "--database", "many.db", "--quiet")
    with here.start("export", "--database", "many.db", "-o", "cut.gpkg", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(60)
    left = [file.name for file in here.path.iterdir() if file.name.endswith(".part")]
    here.check(not left and (process.returncode == 0) == (here / "cut.gpkg").exists(), "what is interrupted leaves nothing", left)


@part()
def converting(here):
    """Converts positions, tables and what lies outside."""
    out = here.run("convert", "--from", "EPSG:26918", "583960", "4507523").stdout.split()
    here.check(abs(float(out[0]) + 74.00604) < 1e-4 and abs(float(out[1]) - 40.7143) < 1e-3, "UTM becomes degrees", out)
    here.check(here.run("convert", "--from", "EPSG:4326", "--to", "EPSG:3857", "-84.39", "33.75").stdout.startswith("-9394251"), "a sign is no option")
    here.write("points.csv", "name,x,y\nA,583960,4507523\nB,,\n")
    here.run("convert", "--from", "EPSG:26918", "--file", "points.csv", "-o", "out.csv")
    lines = (here / "out.csv").read_text(encoding="utf-8").splitlines()
    here.check(lines[0] == "name,x,y,converted_x,converted_y,expected_error_m" and lines[2] == "B,,,,,", "a table keeps its rows", lines)
    here.run("convert", "--from", "EPSG:1", "1", "2", code=2)
    here.run("convert", "--from", "EPSG:26918", "1", code=2)
    here.run("convert", "--from", "EPSG:26918", "--file", "absent.csv", code=1)
    told = here.run("convert", "--from", "EPSG:4267", "--to", "EPSG:4269", "-80.5", "43.5")
    here.check("±" in told.stdout or "not installed" in told.stderr, "the error to expect is said", told.stdout + told.stderr)
    told = here.run("convert", "--from", "EPSG:4267", "--to", "EPSG:4269", "-84.39", "33.75")
    is_exact = "±0." in told.stdout
    is_said = "conus" in told.stderr and "is not installed" in told.stderr and "the expected error is" in told.stderr
    here.check(is_exact or is_said, "a missing grid is named, with the error to expect without it", told.stdout + told.stderr)


def with_exif(jpeg, latitude, longitude, day, caption):
    """A JPEG with a position, a time and a caption, as a camera writes them."""
    def entry(tag, kind, count, value):
        return struct.pack("<HHI", tag, kind, count) + value

    def text(value):
        return value.encode() + b"\0"

    def angle(value):
        degrees = int(abs(value))
        return struct.pack("<6I", degrees, 1, int(round((abs(value) - degrees) * 60 * 10_000)), 10_000, 0, 1)

    caption_at, day_at, gps_at = 200, 300, 400
    main = struct.pack("<H", 3) + entry(0x010E, 2, len(caption) + 1, struct.pack("<I", caption_at)) \
        + entry(0x0132, 2, 20, struct.pack("<I", day_at)) + entry(0x8825, 4, 1, struct.pack("<I", gps_at)) + b"\0\0\0\0"
    gps = struct.pack("<H", 4) + entry(1, 2, 2, b"N\0\0\0") + entry(2, 5, 3, struct.pack("<I", 500)) \
        + entry(3, 2, 2, b"W\0\0\0") + entry(4, 5, 3, struct.pack("<I", 524)) + b"\0\0\0\0"
    block = bytearray(600)
    block[:8] = b"II*\0" + struct.pack("<I", 8)
    block[8:8 + len(main)] = main
    for at, value in [(caption_at, text(caption)), (day_at, text(day)), (gps_at, gps), (500, angle(latitude)), (524, angle(longitude))]:
        block[at:at + len(value)] = value
    segment = b"Exif\0\0" + bytes(block)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


@part()
def photograph_folders(here):
    """Imports a folder of photographs with their positions, times, captions and small pictures."""
    sample = next((ROOT / "Tests" / "PicturesTests" / "Samples").glob("*.jpg")).read_bytes()
    folder = here / "photos"
    (folder / "1998").mkdir(parents=True)
    (folder / "1998" / "a.jpg").write_bytes(with_exif(sample, 33.75, -84.39, "1998:07:04 14:05:06", "Grandma's porch"))
    (folder / "plain.jpg").write_bytes(sample)
    (folder / "broken.jpg").write_bytes(b"no picture")
    (folder / "phone.heic").write_bytes(b"x")
    here.check("--privacy" in here.run("import", "photos", code=2).stderr, "photographs ask for their privacy")
    done = here.run("import", "photos", "--privacy", "public")
    here.check("2 new" in done.stdout and "heif-convert" in done.stderr and "broken.jpg" in done.stderr, "what is no picture is named", done.stdout + done.stderr)
    found = {f["properties"]["title"]: f for f in here.json("export")["features"]}
    porch = found.get("Grandma's porch", {"properties": {}, "geometry": None})
    here.check(porch["geometry"] == {"type": "Point", "coordinates": [-84.39, 33.75]}, "the position is the camera's", porch)
    here.check(porch["properties"].get("date", "").startswith("1998-07-04") and porch["properties"].get("collection") == "1998", "so is the day", porch)
    here.check((porch["properties"].get("thumbnail") or {}).get("width"), "it has its small picture", porch["properties"].get("thumbnail"))
    here.check("plain" in found and "2 unchanged" in here.run("import", "photos", "--privacy", "public").stdout, "a second import changes nothing")
    keywords = b"".join(b"<rdf:li>%s</rdf:li>" % word for word in (b"Jane", b"do not publish"))
    packet = b'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r" xmlns:dc="d"><rdf:Description>' \
        b"<dc:subject><rdf:Bag>" + keywords + b"</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>"
    marked = sample[:2] + b"\xff\xe1" + (len(packet) + 2).to_bytes(2, "big") + packet + sample[2:]
    (here / "marked").mkdir()
    (here / "marked" / "b.jpg").write_bytes(marked)
    done = here.run("import", "marked", "--privacy", "public")
    here.check('"do not publish" looks like a privacy setting' in done.stderr and "Jane" not in done.stderr, "a keyword that restricts is named", done.stderr)
    (here / "none").mkdir()
    here.run("import", "none", "--privacy", "public", code=2)
