"""DuckDB: tables and JSON by itself; the database and the GeoPackage by its extensions, where they are installed."""
import gzip
import json
import pathlib
import site
import sys

from readers_parts import checks as common

NAME = "DuckDB"
LARGEST = 1 << 30


def extension(connection, name, folder):
    """Whether an extension could be loaded: one that is compiled in or installed, or that a package of PyPI brought."""
    try:
        connection.execute(f"LOAD {name}")
        return True
    except Exception:  # Its errors differ between versions.
        pass
    for root in [*site.getsitepackages(), *sys.path]:
        for file in sorted(pathlib.Path(root).glob(f"duckdb*/**/{name}*.duckdb_extension*")) if root and pathlib.Path(root).is_dir() else []:
            if file.suffix == ".gz":
                plain = folder / file.stem
                plain.write_bytes(gzip.decompress(file.read_bytes()))
                file = plain
            try:
                connection.execute(f"LOAD '{file}'")
                return True
            except Exception as error:
                print(f"note {NAME}: {file.name} does not load: {str(error).splitlines()[0][:200]}")
    return False


def types(connection, source):
    return {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}


def holds_types(checks, found, wanted, source):
    for name, kinds in wanted.items():
        checks.right(found.get(name) in kinds, f"{source}: {name} is {' or '.join(kinds)}", found.get(name))


def tables(world, checks, connection):
    source = f"read_csv('{world['exports']['csv']}', sample_size = -1)"
    found = connection.execute(f"SELECT title, lon, lat FROM {source}").fetchall()
    checks.stories("csv", world["ana"], [(title, None if x is None else (x, y)) for title, x, y in found])
    time = ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE")
    holds_types(checks, types(connection, source), {"lat": ["DOUBLE"], "lon": ["DOUBLE"], "created_at": time, "title": ["VARCHAR"],
                                                    "family_sees_exact": ["BOOLEAN"]}, "csv")
    text = connection.execute(f"SELECT text, city FROM {source} WHERE title = ?", [common.stories.ACCENTS]).fetchone()
    checks.equal(text, (common.stories.MARKUP, "Łódź"), "csv: texts keep their lines and signs")
    shapes = connection.execute(f"SELECT places FROM {source} WHERE places IS NOT NULL").fetchall()
    checks.shapes("csv", [places for places, in shapes])
    checks.opens("csv")


def features(world, checks, connection):
    """GeoJSON, a feature a line or all in one file; DuckDB 2 knows it by its ending and makes rows with geometries of it.

    By default it takes the columns from the first 20,480 rows. A member that only later ones have is then no column, and one that is
    null in all of those becomes null in the later ones, too. So it is asked to look at all rows, as with CSV.
    """
    for form, options in [("ndjson", "format = 'newline_delimited', "), ("geojson", "")]:
        source = f"read_json('{world['exports'][form]}', {options}sample_size = -1, maximum_object_size = {LARGEST})"
        feature = "properties."
        columns = types(connection, source)
        if "features" in columns:
            source, feature = f"(SELECT unnest(features) AS f FROM {source})", "f.properties."
        shape = "st_asgeojson(geometry)" if columns.get("geometry") == "GEOMETRY" else f"to_json({'f.' if feature[0] == 'f' else ''}geometry)"
        if columns.get("geometry") == "GEOMETRY":
            feature = ""
        found = connection.execute(f"SELECT {feature}title, {shape}, {feature}places,"
                                   f" try_cast({feature}created_at AS TIMESTAMPTZ) IS NOT NULL FROM {source}").fetchall()
        checks.stories(form, world["ana"], [(title, point(text)) for title, text, *_ in found])
        checks.right(all(is_time for *_, is_time in found), f"{form}: created_at is a time", found[0])
        places = connection.execute(f"SELECT {shapes_of(feature, connection, source)} FROM {source} WHERE {feature}places IS NOT NULL").fetchall()
        checks.shapes(form, [[{"geometry": json.loads(text)} for text in listed] for listed, in places])
        checks.opens(form)
    for form, member in [("lpf", "features"), ("navplace", "items")]:
        count = connection.execute(f"SELECT len({member}) FROM read_json('{world['exports'][form]}', maximum_object_size = {LARGEST})").fetchone()[0]
        listed = json.loads(pathlib.Path(world["exports"][form]).read_text(encoding="utf-8"))[member]
        checks.equal(count, len(listed), f"{form}: the number of {member}")
        checks.opens(form, "yes, as JSON")


def shapes_of(feature, connection, source):
    """The expression for the shapes of further places as GeoJSON, whichever type DuckDB gave them."""
    kind = connection.execute(f"SELECT typeof({feature}places) FROM {source} LIMIT 1").fetchone()[0]
    shape = "st_asgeojson(p.geometry)" if "geometry GEOMETRY" in kind else "to_json(p.geometry)"
    return f"list_transform({feature}places, lambda p: {shape})"


def point(shape):
    shape = json.loads(shape) if shape else None
    return tuple(shape["coordinates"]) if shape else None


def database(world, checks, connection):
    """The declared types are what its extension for SQLite goes by."""
    for source, path, table, count in [("database", world["database"], "stories", world["stored"]["count"]),
                                       ("gpkg", world["exports"]["gpkg"], "stories", world["ana"]["count"])]:
        scan = f"sqlite_scan('{path}', '{table}')"
        holds_types(checks, types(connection, scan), {"created_ms": ["BIGINT"], "updated_ms": ["BIGINT"], "first_day": ["DATE"], "title": ["VARCHAR"],
                                                      "accuracy": ["DOUBLE"]}, source)
        rows = connection.execute(f"SELECT title, created_ms FROM {scan}").fetchall()
        checks.equal(len(rows), count, f"{source}: the number of stories")
        checks.milliseconds([number for _, number in rows], source)
        checks.right(common.stories.ACCENTS in {title for title, _ in rows}, f"{source}: accents are intact")
        checks.opens(source, "yes, with its extension for SQLite")


def spatial(world, checks, connection):
    for form in ["gpkg", "geojson", "kml", "gpx", "database"]:
        path = world["database"] if form == "database" else world["exports"][form]
        # GDAL's own reader of KML lists the folder of places first.
        layer = {"database": "stories", "gpkg": "stories", "gpx": "waypoints", "kml": "Layer #1"}.get(form)
        which = f", layer = '{layer}'" if layer else ""
        title, shape = {"kml": "Name", "gpx": "name"}.get(form, "title"), "geom"
        try:
            known = types(connection, f"ST_Read('{path}'{which})")
        except Exception as error:
            checks.cannot(f"{form}, spatial", str(error).splitlines()[0][:120])
            continue
        shape = next(name for name, kind in known.items() if kind.startswith("GEOMETRY"))
        found = connection.execute(f'SELECT "{title}", ST_X("{shape}"), ST_Y("{shape}") FROM ST_Read(\'{path}\'{which})').fetchall()
        rows = [(name, None if x is None else (x, y)) for name, x, y in found]
        if form == "database":
            checks.equal(len(rows), world["stored"]["count"], "database, spatial: the number of stories")
        else:
            checks.stories(f"{form}, spatial", world["ana"], rows, has_all=form not in ("gpx", "kml"))
        if form in ("database", "gpkg"):
            holds_types(checks, known, {"created_ms": ["BIGINT"], "first_day": ["DATE"]}, f"{form}, spatial")
        if form not in checks.opened:
            checks.opens(form, "yes, with its extension spatial")


def read(world, checks):
    import duckdb
    checks.version = duckdb.__version__
    connection = duckdb.connect()
    # Nothing is fetched while this runs.
    connection.execute("SET autoinstall_known_extensions = false")
    built = [name for name, in connection.execute("SELECT extension_name FROM duckdb_extensions() WHERE loaded ORDER BY 1").fetchall()]
    print(f"note {NAME}: loaded at its start: {', '.join(built)}", flush=True)
    tables(world, checks, connection)
    features(world, checks, connection)
    folder = pathlib.Path(world["database"]).parent
    if extension(connection, "sqlite", folder) or extension(connection, "sqlite_scanner", folder):
        database(world, checks, connection)
    else:
        checks.cannot("database", "its extension sqlite is not installed")
        checks.cannot("gpkg", "its extensions sqlite and spatial are not installed")
    if extension(connection, "spatial", folder):
        spatial(world, checks, connection)
    else:
        for form in ["kml", "gpx"]:
            checks.cannot(form, "its extension spatial is not installed")
    for form in ["mbtiles", "pmtiles"]:
        checks.cannot(form, "it has no reader of vector tiles")


if __name__ == "__main__":
    sys.exit(common.main(NAME, read))
