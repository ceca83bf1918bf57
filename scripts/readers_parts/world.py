"""Makes the database and its exports in a folder, and writes down what is true of them, for the readers."""
import json
import shutil
import sqlite3
import urllib.request

from readers_parts import by_gdal, stories

DATABASE = ["--database", "stories.db"]
# Each format, and the name of its file: GDAL goes by the ending.
FORMATS = {"geojson": "geojson", "ndjson": "ndjson", "csv": "csv", "kml": "kml", "gpx": "gpx", "gpkg": "gpkg", "lpf": "lpf.json",
           "navplace": "navplace.json", "mbtiles": "mbtiles", "pmtiles": "pmtiles"}
PUBLIC_FORMATS = ["geojson", "csv", "gpkg"]
# Other reference systems: two that reach around the world, in metres.
SYSTEMS = {"gpkg": "EPSG:3395", "geojson": "EPSG:3857"}


class Failed(Exception):
    """The program did not do what the readers need."""


def run(here, *arguments):
    done = here.finish(*arguments)
    if done.returncode != 0:
        raise Failed(f"waymark {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.strip()[-800:]}")
    return done.stdout


def fill(here):
    """Makes the database: the demo's stories, then beside the running service those that are hard to read, and the real ones.

    Returns what GDAL counts beside the service, whose layer statistics are of before; None without GDAL.
    """
    here.write("area.geojson", json.dumps(stories.SENSITIVE))
    here.write("ana.geojson", stories.collection(stories.OF_ANA, text="To be corrected."))
    here.write("ben.geojson", stories.collection(stories.OF_BEN))
    with here.serving("--demo", "--rate-limit", "0", *DATABASE):
        for user in ("ana", "ben"):
            run(here, "import", f"{user}.geojson", "--owner", user, "--quiet", *DATABASE)
        run(here, "areas", "load", "area.geojson", *DATABASE)
        for path, kind in stories.real_files():
            run(here, "import", path, "--kind", kind, "--quiet", *DATABASE)
        beside = by_gdal.summary(here / "stories.db", "stories")["count"] if shutil.which("ogrinfo") else None
    if here.failed:
        raise Failed("the service did not start or end well")
    # An edit that leaves the number and the extent as they were.
    here.write("ana.geojson", stories.collection(stories.OF_ANA))
    if "1 changed" not in (said := run(here, "import", "ana.geojson", "--owner", "ana", "--quiet", *DATABASE)):
        raise Failed(f"the import of a correction says {said}")
    return beside


def export(here, viewer, form, *more, name=""):
    path = here / f"{viewer or 'public'}{name}.{FORMATS[form]}"
    of_viewer = ["--as", viewer] if viewer else []
    zoom = ["--max-zoom", "5"] if form.endswith("tiles") else []
    address = ["--url", "https://stories.example.org"] if form in ("lpf", "navplace") else []
    run(here, "export", "--format", form, "-o", path, *of_viewer, *zoom, *address, *more, "--quiet", *DATABASE)
    return str(path)


def statistics(path):
    """The layers of the database, each with the row that describes its content; read with SQLite alone."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT f_table_name, row_count, extent_min_x, extent_min_y, extent_max_x, extent_max_y"
                                  " FROM geometry_columns_statistics").fetchall()
    finally:
        connection.close()
    return {name: {"count": count, "box": box} for name, count, *box in rows}


def make(here):
    """Makes everything in a folder; what is true of it, without the service's address."""
    beside = fill(here)
    made = {
        "beside": beside,
        "ana": stories.seen_by("ana"), "public": stories.seen_by(None), "stored": stories.stored(), "box": stories.BOX,
        "exports": {form: export(here, "ana", form) for form in FORMATS},
        "public_exports": {form: export(here, None, form) for form in PUBLIC_FORMATS},
        "projected": {form: {"path": export(here, "ana", form, "--crs", system, name="-projected"), "system": system}
                      for form, system in SYSTEMS.items()},
        "live": str(here / "stories.db"), "real": stories.real_rows()[0],
        "tokens": json.loads((here / "stories.db.demo-tokens.json").read_text(encoding="utf-8")),
    }
    made["database"] = str(here / "copy.db")
    shutil.copyfile(here / "stories.db", made["database"])
    made["statistics"] = statistics(made["database"])
    # What the program itself counts, beside what was counted here.
    for viewer, of_viewer in [("ana", ["--as", "ana"]), ("public", [])]:
        world = json.loads(run(here, "clusters", "--bbox", "-180,-85,180,85", "--zoom", "0", "--format", "geojson", *of_viewer, *DATABASE))
        made[viewer]["own"] = world["numberMatched"]
    return made


def items(address, token=None, query=""):
    """The first page of features of a service."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"{address}/collections/stories/items?f=json&{query}", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)
