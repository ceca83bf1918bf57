"""geopandas with pyogrio: data frames of the database, every export and the service, with their types, systems and extents."""
import json
import pathlib
import sys

from readers_parts import checks as common

NAME = "geopandas"
SECRET = common.stories.SECRET_POINTS
WHOLE = {"created_ms": "int64", "updated_ms": "int64"}
TITLES = {"kml": "Name", "gpx": "name"}
# A file with several layers is warned about unless one is named.
LAYERS = {"gpkg": {"layer": "stories"}, "gpx": {"layer": "waypoints"}}


def rows(frame, title="title"):
    return [(name, None if shape is None or shape.is_empty else (shape.x, shape.y)) for name, shape in zip(frame[title], frame.geometry)]


def is_time(kind):
    return str(kind).startswith("datetime64")


def holds_types(checks, frame, source):
    for name, kind in WHOLE.items():
        checks.equal(str(frame[name].dtype), kind, f"{source}: {name}")
    checks.milliseconds(frame["created_ms"], source)
    checks.right(all(isinstance(title, str) for title in frame["title"]), f"{source}: titles are texts")
    checks.right(str(frame["accuracy"].dtype) == "float64", f"{source}: accuracy is a number", frame["accuracy"].dtype)


def database(world, checks, geopandas, pyogrio):
    path = world["database"]
    layers = dict(pyogrio.list_layers(path))
    checks.right({"stories", "story_places", "sensitive_areas"} <= set(layers), "database: its layers", layers)
    info = pyogrio.read_info(path, layer="stories")
    checks.equal(info["features"], world["stored"]["count"], "database: the number of stories, without reading them")
    known = world["statistics"]["stories"]["box"]
    found = pyogrio.read_info(path, layer="stories", force_total_bounds=True)["total_bounds"]
    checks.within(found, known, world["box"], "database, without reading it")
    frame = geopandas.read_file(path, layer="stories")
    checks.equal(len(frame), world["stored"]["count"], "database: the number of stories")
    checks.equal(int((~frame.geometry.isna()).sum()), world["stored"]["located"], "database: those with a place")
    checks.equal(frame.crs.to_epsg(), 4326, "database: the reference system")
    checks.box(frame.total_bounds, world["box"], "database")
    holds_types(checks, frame, "database")
    first = frame.loc[frame["title"] == common.stories.ACCENTS, "first_day"]
    checks.equal([str(day)[:10] for day in first], ["1889-03-12"], "database: days are dates")
    shapes = geopandas.read_file(path, layer="story_places")
    wanted = sorted(shape["type"] for shape in common.stories.SHAPES)
    checks.equal(sorted(shapes.geom_type), wanted, "database: lines, areas and shapes of parts")
    found = [json.loads(json.dumps(shape.__geo_interface__)) for shape in shapes.geometry]
    checks.shapes("database", [[{"geometry": shape} for shape in found]])
    area = geopandas.read_file(path, layer="sensitive_areas")
    checks.equal([tuple(area.total_bounds), len(area)], [(100, 0, 101, 1), 1], "database: the sensitive area")
    checks.opens("database")


def exports(world, checks, geopandas, pyogrio):
    for form in ["gpkg", "geojson", "ndjson", "kml", "gpx"]:
        path = world["exports"][form]
        try:
            frame = geopandas.read_file(path, **LAYERS.get(form, {}))
        except pyogrio.errors.DataSourceError as error:
            if "not recognized" not in str(error):
                raise
            checks.cannot(form, "its GDAL was built without a driver for it")
            continue
        checks.stories(form, world["ana"], rows(frame, TITLES.get(form, "title")), has_all=form != "gpx")
        checks.equal(frame.crs.to_epsg(), 4326, f"{form}: the reference system")
        checks.box(frame.total_bounds, world["box"], form)
        if form in ("gpkg", "geojson", "ndjson"):
            checks.right(is_time(frame["created_at"].dtype), f"{form}: created_at is a time", frame["created_at"].dtype)
            checks.shapes(form, [places for places in frame["places"] if isinstance(places, (str, list)) and places])
        checks.opens(form)
    package(world, checks, geopandas, pyogrio)
    for form, place in world["projected"].items():
        frame = geopandas.read_file(place["path"], **LAYERS.get(form, {}))
        checks.equal(frame.crs.to_epsg(), int(place["system"].split(":")[1]), f"{form} in metres: the reference system")
        back = rows(frame[~frame.geometry.isna()].to_crs(4326))
        checks.near(dict(back).get(common.stories.ACCENTS), (-8.61, 41.15), f"{form} in metres, brought back")
    others(world, checks, geopandas, pyogrio)


def package(world, checks, geopandas, pyogrio):
    path = world["exports"]["gpkg"]
    frame = geopandas.read_file(path, layer="stories")
    holds_types(checks, frame, "gpkg")
    first = frame.loc[frame["title"] == common.stories.ACCENTS, ["first_day", "text", "city"]].iloc[0]
    checks.equal(str(first["first_day"])[:10], "1889-03-12", "gpkg: days are dates")
    checks.equal(first["text"], common.stories.MARKUP, "gpkg: texts keep their lines and signs")
    checks.equal(first["city"], "Łódź", "gpkg: cities")
    info = pyogrio.read_info(path, layer="stories")
    kinds = dict(zip(info["fields"], info["ogr_subtypes"]))
    checks.equal([kinds["family_sees_exact"], kinds["created_ms"]], ["OFSTBoolean", "OFSTNone"], "gpkg: flags are flags")
    checks.equal(info["features"], world["ana"]["count"], "gpkg: the number of stories, without reading them")
    checks.box(info["total_bounds"], world["box"], "gpkg, by its contents")
    lodz = pyogrio.read_dataframe(path, layer="stories", bbox=(-8.7, 41.1, -8.5, 41.2))
    checks.right(common.stories.ACCENTS in set(lodz["title"]) and len(lodz) < len(frame) / 2, "gpkg: a box is found by its index", len(lodz))

    places = geopandas.read_file(path, layer="story_places")
    checks.equal(places.crs.to_epsg(), 4326, "gpkg, places: the reference system")
    checks.shapes("gpkg, places", [[{"geometry": json.loads(json.dumps(shape.__geo_interface__))} for shape in places.geometry]])
    checks.box(places.total_bounds, common.stories.SHAPES_BOX, "gpkg, places")
    checks.right(set(places["story_id"]) <= set(frame["id"]), "gpkg, places: each has its story", list(places["story_id"]))
    kinds = {name: str(places[name].dtype) for name in ["seconds", "accuracy", "location_confirmed"]}
    checks.equal(kinds, {"seconds": "float64", "accuracy": "float64", "location_confirmed": "bool"}, "gpkg, places: numbers and flags")


def others(world, checks, geopandas, pyogrio):
    table = {"X_POSSIBLE_NAMES": "lon", "Y_POSSIBLE_NAMES": "lat", "AUTODETECT_TYPE": "YES"}
    frame = geopandas.read_file(world["exports"]["csv"], **table)
    checks.stories("csv", world["ana"], rows(frame))
    checks.right(is_time(frame["created_at"].dtype), "csv: created_at is a time", frame["created_at"].dtype)
    checks.shapes("csv", [places for places in frame["places"] if isinstance(places, str) and places])
    checks.opens("csv", "yes, with `X_POSSIBLE_NAMES`")
    places = geopandas.read_file(world["exports"]["lpf"])
    listed = json.loads(pathlib.Path(world["exports"]["lpf"]).read_text(encoding="utf-8"))["features"]
    checks.equal(len(places), len(listed), "lpf: the number of places")
    checks.box(places.total_bounds, world["box"], "lpf")
    checks.opens("lpf")
    for form in ["mbtiles", "pmtiles"]:
        try:
            frame = geopandas.read_file(world["exports"][form], layer="stories")
        except pyogrio.errors.DataSourceError as error:
            checks.cannot(form, str(error).splitlines()[0][:80])
            continue
        checks.right(len(frame) > 10, f"{form}: markers of the deepest zoom", len(frame))
        checks.opens(form)
    checks.cannot("navplace", "GDAL does not read IIIF manifests")


def strangers(world, checks, geopandas):
    """What everybody may have, and no secret digits in any text that was exported."""
    for form, path in world["public_exports"].items():
        options = {"X_POSSIBLE_NAMES": "lon", "Y_POSSIBLE_NAMES": "lat"} if form == "csv" else LAYERS.get(form, {})
        checks.stories(f"public {form}", world["public"], rows(geopandas.read_file(path, **options)))
    for form, path in [*world["exports"].items(), *world["public_exports"].items()]:
        checks.secrets(form, pathlib.Path(path).read_bytes())
    frame = geopandas.read_file(world["exports"]["gpkg"], layer="stories")
    points = [(shape.x, shape.y) for shape in frame.geometry if shape is not None]
    near = [secret for secret in SECRET.values() for x, y in points if max(abs(x - secret[0]), abs(y - secret[1])) < 1e-3]
    checks.equal(near, [], "gpkg: no point lies where nobody may know one")


def service(world, checks, geopandas, pyogrio):
    if "OAPIF" not in pyogrio.list_drivers():
        return checks.cannot("OGC API", "its GDAL was built without OAPIF")
    source = f"OAPIF:{world['address']}"
    frame = geopandas.read_file(source, layer="stories")
    checks.stories("OGC API", world["public"], rows(frame))
    checks.right(is_time(frame["created_at"].dtype), "OGC API: created_at is a time", frame["created_at"].dtype)
    named = geopandas.read_file(source, layer="stories", bbox=(-10, 40, -8, 42), where="kind = 'interview'")
    checks.equal(list(named["title"]), [common.stories.ACCENTS], "OGC API: a box and a condition")
    places = geopandas.read_file(source, layer="story_places")
    kinds = sorted(shape["type"] for shape in common.stories.SHAPES)
    checks.equal(sorted(places.geometry.geom_type), kinds, "OGC API: the kinds of further places")
    checks.opens("OGC API")


def read(world, checks):
    import geopandas
    import pyogrio
    checks.version = f"{geopandas.__version__} (pyogrio {pyogrio.__version__}, GDAL {pyogrio.__gdal_version_string__})"
    database(world, checks, geopandas, pyogrio)
    exports(world, checks, geopandas, pyogrio)
    strangers(world, checks, geopandas)
    service(world, checks, geopandas, pyogrio)


if __name__ == "__main__":
    sys.exit(common.main(NAME, read))
