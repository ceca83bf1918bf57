"""GDAL's ogrinfo: types, counts, extents, systems and layer statistics of the database, every export and the service."""
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

from readers_parts import checks as common

NAME = "GDAL"
STORED = {"created_ms": "Integer64", "updated_ms": "Integer64", "shown_updated_ms": "Integer64", "first_day": "Date", "last_day": "Date",
          "title": "String", "accuracy": "Real", "location_created_ms": "Integer64"}
PACKED = {"created_ms": "Integer64", "updated_ms": "Integer64", "created_at": "DateTime", "updated_at": "DateTime", "first_day": "Date",
          "last_day": "Date", "family_sees_exact": "Integer(Boolean)", "accuracy": "Real", "cell": "Real", "title": "String", "city": "String"}
PLACES = {"story_place": "String", "story_id": "String", "title": "String", "role": "String", "seconds": "Real", "accuracy": "Real",
          "precision": "String", "cell": "Real", "location_confirmed": "Integer(Boolean)", "place_name": "String"}
TEXT = {"created_at": "DateTime", "updated_at": "DateTime", "title": "String", "date": "String"}


def ogrinfo(*arguments, **environment):
    done = subprocess.run(["ogrinfo", "-ro", *map(str, arguments)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
                          env=os.environ | environment)
    return done.stdout, done.stderr


def summary(source, layer, *more, **environment):
    """What ogrinfo says of a layer: count, box, system, geometry and types, and its warnings."""
    said, errors = ogrinfo("-so", *more, source, layer, **environment)
    count, box = re.search(r"Feature Count: (\d+)", said), re.search(r"Extent: \((\S+), (\S+)\) - \((\S+), (\S+)\)", said)
    system = re.findall(r'ID\["(\w+)",(\d+)\]\]\n', said)
    shape = re.search(r"Geometry: (.+)", said)
    return {"count": int(count[1]) if count else None, "box": [float(edge) for edge in box.groups()] if box else None,
            "system": ":".join(system[-1]) if system else None, "shape": shape[1] if shape else None,
            "types": dict(re.findall(r"(?m)^(\w+): (\w+(?:\(\w+\))?) \(", said)), "errors": errors.strip(), "said": said}


def rows(source, layer, *more):
    """The titles and places of a layer, as ogrinfo lists them."""
    said, errors = ogrinfo("-q", *more, source, layer)
    found = []
    for block in said.split("OGRFeature(")[1:]:
        title = re.search(r"(?m)^  (?:title|Name|name) \(String\) = (.*)$", block)
        point = re.search(r"(?m)^  POINT \((\S+) (\S+)\)", block)
        found.append((title[1] if title else None, (float(point[1]), float(point[2])) if point else None))
    return found, errors.strip()


def holds_types(checks, found, wanted, source):
    for name, kind in wanted.items():
        checks.equal(found["types"].get(name), kind, f"{source}: {name} is {kind}")


def database(world, checks):
    said, _ = ogrinfo("-q", world["database"])
    # A layer of every kind of geometry is listed without one.
    layers = dict(re.findall(r"(?m)^\d+: (\w+)(?: \((.+)\))?", said))
    wanted = {"stories": "Point", "sensitive_areas": "Multi Polygon", "story_places": ""}
    checks.right(all(layers.get(name) == shape for name, shape in wanted.items()), "database: its layers with a geometry", layers)
    start = time.monotonic()
    found = summary(world["database"], "stories")
    seconds = time.monotonic() - start
    checks.equal(found["count"], world["stored"]["count"], "database: the number of stories")
    checks.equal(found["system"], "EPSG:4326", "database: the reference system")
    checks.equal(found["shape"], "Point", "database: the kind of geometry")
    checks.equal(found["errors"], "", "database: GDAL warns of nothing")
    checks.right(seconds < 5, "database: the summary comes at once", seconds)
    holds_types(checks, found, STORED, "database")
    values, _ = ogrinfo("-q", "-sql", "SELECT created_ms FROM stories", world["database"])
    checks.milliseconds(re.findall(r"created_ms \(Integer64\) = (\d+)", values), "database")
    statistics(world, checks, found)
    shapes, _ = ogrinfo("-q", world["database"], "story_places")
    for kind in ["LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"]:
        checks.equal(len(re.findall(rf"(?m)^  {kind} \(", shapes)), 1, f"database: story_places has a {kind}")
    checks.equal(summary(world["database"], "sensitive_areas")["count"], 1, "database: the sensitive area")
    checks.equal(world["beside"], world["stored"]["count"], "database beside the service that filled it: the number of stories")
    live = summary(world["live"], "stories")
    checks.equal(live["count"], world["stored"]["count"], "database beside a running service: the number of stories")
    checks.opens("database", "yes")


def statistics(world, checks, found):
    """The statistics are there, are what GDAL shows, and say no edge more precisely than a degree."""
    known = world["statistics"]["stories"]
    checks.equal(known["count"], world["stored"]["count"], "database: the statistics have the number of stories")
    checks.right(all(edge == round(edge) for edge in known["box"]), "database: the statistics are in whole degrees", known)
    exact = world["box"]
    # GDAL has the extent from the statistics or, more exactly, from the spatial index.
    checks.within(found["box"], known["box"], exact, "database")
    wide = known["box"]
    checks.right(wide[0] <= exact[0] and wide[1] <= exact[1] and wide[2] >= exact[2] and wide[3] >= exact[3], "database: all lies in its extent", wide)
    # With others in a copy GDAL shows those: it reads them, and counts nothing.
    copy = world["database"] + ".other-statistics.db"
    shutil.copyfile(world["database"], copy)
    connection = sqlite3.connect(copy)
    connection.execute("UPDATE geometry_columns_statistics SET row_count = 7 WHERE f_table_name = 'stories'")
    connection.commit()
    connection.close()
    checks.equal(summary(copy, "stories")["count"], 7, "database: GDAL takes the number from the statistics")


def exports(world, checks):
    for form, layer, types in [("gpkg", "stories", PACKED), ("geojson", None, TEXT), ("ndjson", None, TEXT), ("kml", None, {}),
                               ("gpx", "waypoints", {}), ("lpf", None, {})]:
        path = world["exports"][form]
        listed = re.findall(r"(?m)^\d+: (\S+)", ogrinfo("-q", path)[0])
        layer = layer or (listed[0] if listed else "none")
        found = summary(path, layer)
        checks.equal(found["errors"], "", f"{form}: GDAL warns of nothing")
        holds_types(checks, found, types, form)
        checks.equal(found["system"], "EPSG:4326", f"{form}: the reference system")
        if form != "lpf":
            listed, warnings = rows(path, layer)
            checks.equal(warnings[:300], "", f"{form}: GDAL warns of no value")
            checks.stories(form, world["ana"], listed, has_all=form != "gpx")
        checks.box(found["box"], world["box"], form)
        checks.opens(form)
    values, _ = ogrinfo("-q", "-sql", "SELECT created_ms FROM stories", world["exports"]["gpkg"])
    checks.milliseconds(re.findall(r"created_ms \(Integer64\) = (\d+)", values), "gpkg")
    confirmed = set(re.findall(r"location_confirmed \(\w+(?:\(\w+\))?\) = (\S+)", ogrinfo("-q", "-al", world["exports"]["kml"])[0]))
    checks.equal(confirmed - {"(null)"}, {"1"}, "kml: flags are flags")
    contents(world, checks)
    further_places(world, checks)
    table = ["-oo", "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat", "-oo", "AUTODETECT_TYPE=YES"]
    layer = re.findall(r"(?m)^\d+: (\S+)", ogrinfo("-q", *table, world["exports"]["csv"])[0])[0]
    checks.stories("csv", world["ana"], rows(world["exports"]["csv"], layer, *table)[0])
    holds_types(checks, summary(world["exports"]["csv"], layer, *table), {"created_at": "DateTime", "lat": "Real"}, "csv")
    checks.opens("csv", "yes, with `X_POSSIBLE_NAMES`")
    for form, place in world["projected"].items():
        layer = re.findall(r"(?m)^\d+: (\S+)", ogrinfo("-q", place["path"])[0])[0]
        found = summary(place["path"], layer)
        checks.equal(found["system"], place["system"], f"{form} in metres: the reference system")
        checks.right(found["box"] and max(map(abs, found["box"])) > 1e6, f"{form} in metres: the extent", found["box"])
    tiles(world, checks)


def further_places(world, checks):
    """The layer of further places in a GeoPackage, and the folder in KML, beside the stories."""
    path, kml = world["exports"]["gpkg"], world["exports"]["kml"]
    listed = re.findall(r"(?m)^\d+: (\w+)", ogrinfo("-q", path)[0])
    checks.equal(listed, ["stories", "story_places"], "gpkg: its layers, the stories first")
    found = summary(path, "story_places")
    checks.equal([found["errors"], found["count"], found["system"], found["shape"]], ["", len(common.stories.SHAPES), "EPSG:4326", "Unknown (any)"],
                 "gpkg: the layer of places")
    checks.box(found["box"], common.stories.SHAPES_BOX, "gpkg, places")
    holds_types(checks, found, PLACES, "gpkg, places")
    for source, layer in [(path, "story_places"), (kml, "Places")]:
        shapes, errors = ogrinfo("-q", source, layer)
        checks.equal(errors.strip(), "", f"{layer}: GDAL warns of nothing")
        for kind in ["LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"]:
            checks.equal(len(re.findall(rf"(?m)^  {kind} \(", shapes)), 1, f"{layer} has a {kind}")
    inside = summary(path, "story_places", "-spat", "-84.6", "33.55", "-84.45", "33.65")
    checks.equal(inside["count"], 1, "gpkg: a place is found in a box by what it covers")
    projected = summary(world["projected"]["gpkg"]["path"], "story_places")
    checks.right(projected["box"] and max(map(abs, projected["box"])) > 1e6, "gpkg in metres: the extent of places", projected["box"])


def contents(world, checks):
    """What a GeoPackage says of its layer, read with SQLite alone."""
    connection = sqlite3.connect(f"file:{world['exports']['gpkg']}?mode=ro", uri=True)
    try:
        box = connection.execute("SELECT min_x, min_y, max_x, max_y FROM gpkg_contents WHERE table_name = 'stories'").fetchone()
        count = connection.execute("SELECT feature_count FROM gpkg_ogr_contents WHERE table_name = 'stories'").fetchone()[0]
        indexed = connection.execute("SELECT count(*) FROM rtree_stories_geom").fetchone()[0]
    finally:
        connection.close()
    checks.box(box, world["box"], "gpkg, by gpkg_contents")
    checks.equal([count, indexed], [world["ana"]["count"], world["ana"]["located"]], "gpkg: its own count, and the rows of its index")


def tiles(world, checks):
    drivers, _ = ogrinfo("--formats")
    for form, driver in [("mbtiles", "MBTiles"), ("pmtiles", "PMTiles")]:
        if driver not in drivers:
            checks.cannot(form, f"this GDAL has no driver for {driver}")
            continue
        found = summary(world["exports"][form], "stories")
        checks.right((found["count"] or 0) > 10 and found["errors"] == "", f"{form}: markers of the deepest zoom", found["said"][-500:], found["errors"])
        checks.opens(form)
    checks.cannot("navplace", "GDAL does not read IIIF manifests")


def service(world, checks):
    """Anonymous, and with a token as the guide says it."""
    source = f"OAPIF:{world['address']}"
    for who, headers in [("public", {}), ("ana", {"GDAL_HTTP_HEADERS": f"Authorization: Bearer {world['tokens']['ana']}"})]:
        found = summary(source, "stories", **headers)
        checks.equal(found["count"], world[who]["count"], f"OGC API, {who}: the number of stories")
        checks.equal(found["errors"], "", f"OGC API, {who}: GDAL warns of nothing")
        holds_types(checks, found, {"created_at": "DateTime", "title": "String"}, f"OGC API, {who}")
        places = summary(source, "story_places", **headers)
        checks.equal([places["count"], places["errors"]], [len(common.stories.SHAPES), ""], f"OGC API, {who}: the further places")
        # A column without any value has no type here.
        holds_types(checks, places, {"story_place": "String", "role": "String", "location_confirmed": "Integer(Boolean)"}, f"OGC API, {who}, places")
    shapes, _ = ogrinfo("-q", source, "story_places")
    for kind in ["LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"]:
        checks.equal(len(re.findall(rf"(?m)^  {kind} \(", shapes)), 1, f"OGC API: story_places has a {kind}")
    named, _ = rows(source, "stories", "-spat", "-10", "40", "-8", "42", "-where", "kind = 'interview'")
    checks.equal([title for title, _ in named], [common.stories.ACCENTS], "OGC API: a box and a condition")
    checks.opens("OGC API")


def read(world, checks):
    if not shutil.which("ogrinfo"):
        raise common.NotInstalled("ogrinfo is missing (gdal-bin)")
    checks.version = re.search(r"GDAL (\S+),", ogrinfo("--version")[0])[1]
    database(world, checks)
    exports(world, checks)
    service(world, checks)


if __name__ == "__main__":
    sys.exit(common.main(NAME, read))
