"""QGIS without a screen: the providers that its users choose, for the database, every export and the running service."""
import json
import os
import pathlib
import shutil
import sqlite3
import sys

from readers_parts import checks as common

NAME = "QGIS"
# The kinds that QGIS lists a layer of every kind of geometry by; each has shapes of one part and of several.
KINDS = ["Point", "LineString", "Polygon"]
CATALOGUE = {"created_ms": "LongLong", "updated_ms": "LongLong", "first_day": "QDate", "title": "QString", "accuracy": "double"}


def start(profile):
    """QGIS with a profile of its own, in a folder that is removed with the rest."""
    profile.mkdir(exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = str(profile)
    os.environ.setdefault("XDG_RUNTIME_DIR", os.environ["HOME"])
    from qgis.core import QgsApplication
    QgsApplication.setPrefixPath(os.environ.get("QGIS_PREFIX_PATH", "/usr"), True)
    application = QgsApplication([], False)
    application.initQgis()
    return application


class Reader:
    """Opens layers, and holds them to the world."""

    def __init__(self, world, checks):
        self.world, self.checks = world, checks

    def layer(self, uri, provider, source):
        from qgis.core import QgsVectorLayer
        options = QgsVectorLayer.LayerOptions()
        options.loadDefaultStyle = False
        opened = QgsVectorLayer(uri, "stories", provider, options)
        # Asking a valid layer for the summary of its errors ends the process.
        if not self.checks.right(opened.isValid(), f"{source}: a valid layer", "" if opened.isValid() else opened.error().summary()):
            return None
        return opened

    def rows(self, layer, title="title", request=None):
        names = [field.name() for field in layer.fields()]
        column = next(name for name in names if name.lower() == title.lower())
        found = []
        for feature in layer.getFeatures(request) if request else layer.getFeatures():
            shape = feature.geometry()
            place = None if shape.isNull() or shape.isEmpty() else (shape.asPoint().x(), shape.asPoint().y())
            found.append((str(feature[column]), place))
        return found

    def types(self, layer, wanted, source):
        from qgis.PyQt.QtCore import QVariant
        named = {QVariant.LongLong: "LongLong", QVariant.Int: "int", QVariant.Date: "QDate", QVariant.DateTime: "QDateTime",
                 QVariant.String: "QString", QVariant.Double: "double", QVariant.Bool: "bool", QVariant.Map: "map"}
        found = {field.name(): named.get(field.type(), str(field.type())) for field in layer.fields()}
        for name, kind in wanted.items():
            self.checks.equal(found.get(name), kind, f"{source}: {name} is {kind}")

    def system(self, layer, source, wanted="EPSG:4326"):
        self.checks.equal(layer.crs().authid(), wanted, f"{source}: the reference system")

    def box(self, layer, source, wanted=None, within=1e-6):
        self.checks.box(edges(layer), wanted or self.world["box"], source, within)

    def milliseconds(self, layer, source):
        self.checks.milliseconds([feature["created_ms"] for feature in layer.getFeatures()], source)

    def places(self, path, source):
        """Holds the layer of further places, of every kind of geometry, to its shapes.

        QGIS has it as a layer for each kind. As one layer it takes its kind from the first row: if that has several parts,
        it makes several parts of all others, too.
        """
        layers = [self.layer(f"{path}|layername=story_places|geometrytype={kind}", "ogr", f"{source} ({kind})") for kind in KINDS]
        shapes = [json.loads(feature.geometry().asJson(9)) for layer in layers if layer is not None for feature in layer.getFeatures()]
        self.checks.shapes(source, [[{"geometry": shape} for shape in shapes]])

    def shapes(self, layer, source):
        texts = [value for feature in layer.getFeatures() if isinstance(value := feature["places"], (str, list)) and value]
        self.checks.shapes(source, texts)


def edges(layer):
    extent = layer.extent()
    return extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum()


def uri_of(path, table):
    from qgis.core import QgsDataSourceUri
    uri = QgsDataSourceUri()
    uri.setDatabase(path)
    uri.setDataSource("", table, "geom")
    return uri.uri()


def database(reader):
    world, checks = reader.world, reader.checks
    # QGIS opens what it reads for writing as well, so it gets a copy.
    path = world["database"] + ".qgis.db"
    shutil.copyfile(world["database"], path)
    for provider, uri in [("ogr", f"{path}|layername=stories"), ("spatialite", uri_of(path, "stories"))]:
        source = f"database by {provider}"
        layer = reader.layer(uri, provider, source)
        if layer is None:
            continue
        checks.equal(layer.featureCount(), world["stored"]["count"], f"{source}: the number of stories")
        reader.system(layer, source)
        reader.types(layer, CATALOGUE if provider == "ogr" else {"created_ms": "LongLong", "title": "QString", "accuracy": "double"}, source)
        reader.milliseconds(layer, source)
        rows = reader.rows(layer)
        checks.equal([len(rows), sum(place is not None for _, place in rows)], [world["stored"]["count"], world["stored"]["located"]],
                     f"{source}: the stories and those with a place")
        checks.within(edges(layer), world["statistics"]["stories"]["box"], world["box"], source)
    reader.places(path, "database, places")
    checks.equal(reader.layer(f"{path}|layername=sensitive_areas", "ogr", "database, areas").featureCount(), 1, "database: the sensitive area")
    connection = sqlite3.connect(path)
    checks.equal(connection.execute("PRAGMA integrity_check").fetchone()[0], "ok", "database: whole after QGIS had it open")
    connection.close()
    checks.opens("database")


def exports(reader):
    world, checks = reader.world, reader.checks
    package(reader)
    for form, layer_name, title in [("geojson", "", "title"), ("ndjson", "", "title"), ("kml", "", "Name"), ("gpx", "|layername=waypoints", "name")]:
        layer = reader.layer(world["exports"][form] + layer_name, "ogr", form)
        if layer is None:
            continue
        reader.system(layer, form)
        checks.stories(form, world["ana"], reader.rows(layer, title), has_all=form != "gpx")
        reader.box(layer, form)
        if form in ("geojson", "ndjson"):
            reader.types(layer, {"created_at": "QDateTime", "title": "QString"}, form)
            reader.shapes(layer, form)
        checks.opens(form)
    path = pathlib.Path(world["exports"]["csv"]).as_uri()
    layer = reader.layer(f"{path}?type=csv&xField=lon&yField=lat&crs=EPSG:4326&detectTypes=yes&spatialIndex=no", "delimitedtext", "csv")
    if layer is not None:
        checks.stories("csv", world["ana"], reader.rows(layer))
        reader.box(layer, "csv")
        reader.types(layer, {"created_at": "QDateTime", "title": "QString", "lat": "double"}, "csv")
        checks.opens("csv", "yes, as delimited text")
    places = reader.layer(world["exports"]["lpf"], "ogr", "lpf")
    if places is not None:
        reader.box(places, "lpf")
        checks.opens("lpf")
    for form, place in world["projected"].items():
        layer = reader.layer(place["path"], "ogr", f"{form} in metres")
        if layer is not None:
            reader.system(layer, f"{form} in metres", place["system"])
    tiles(reader)
    checks.cannot("navplace", "QGIS does not read IIIF manifests")


def package(reader):
    world, checks = reader.world, reader.checks
    path = world["exports"]["gpkg"] + ".qgis.gpkg"
    shutil.copyfile(world["exports"]["gpkg"], path)
    layer = reader.layer(f"{path}|layername=stories", "ogr", "gpkg")
    if layer is None:
        return
    reader.system(layer, "gpkg")
    reader.types(layer, {**CATALOGUE, "created_at": "QDateTime", "family_sees_exact": "bool"}, "gpkg")
    reader.milliseconds(layer, "gpkg")
    checks.stories("gpkg", world["ana"], reader.rows(layer))
    reader.box(layer, "gpkg")
    reader.shapes(layer, "gpkg")
    reader.places(path, "gpkg, places")
    places = reader.layer(f"{path}|layername=story_places", "ogr", "gpkg, places")
    checks.equal(places.featureCount(), len(common.stories.SHAPES), "gpkg, places: their number")
    reader.box(places, "gpkg, places", common.stories.SHAPES_BOX)
    reader.system(places, "gpkg, places")
    del places
    from qgis.core import QgsFeature, QgsFeatureRequest, QgsGeometry, QgsPointXY, QgsRectangle
    inside = reader.rows(layer, request=QgsFeatureRequest().setFilterRect(QgsRectangle(-10, 40, -8, 42)))
    checks.equal([title for title, _ in inside], [common.stories.ACCENTS], "gpkg: a box")
    # Its triggers are those that other programs need to add to it.
    added = QgsFeature(layer.fields())
    added.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(50, 10)))
    added["title"] = "Added by QGIS"
    checks.right(layer.dataProvider().addFeatures([added])[0], "gpkg: QGIS adds a feature", layer.dataProvider().lastError())
    del layer
    layer = reader.layer(f"{path}|layername=stories", "ogr", "gpkg, again")
    checks.equal(layer.featureCount(), world["ana"]["count"] + 1, "gpkg: the count follows what QGIS added")
    inside = reader.rows(layer, request=QgsFeatureRequest().setFilterRect(QgsRectangle(49, 9, 51, 11)))
    checks.equal([title for title, _ in inside], ["Added by QGIS"], "gpkg: the spatial index follows what QGIS added")
    checks.opens("gpkg", "yes, also to edit")


def tiles(reader):
    from qgis.core import QgsTileXYZ, QgsVectorLayer, QgsVectorTileLayer
    world, checks = reader.world, reader.checks
    layer = QgsVectorTileLayer(f"type=mbtiles&url={world['exports']['mbtiles']}", "tiles")
    if checks.right(layer.isValid(), "mbtiles: a valid layer"):
        checks.equal([layer.sourceMinZoom(), layer.sourceMaxZoom()], [0, 5], "mbtiles: its zooms")
        # Python has the tiles themselves from 3.26 on.
        if hasattr(layer, "getRawTile"):
            checks.right(len(layer.getRawTile(QgsTileXYZ(0, 0, 0))) > 100, "mbtiles: the tile of the world")
        checks.opens("mbtiles")
    if QgsVectorLayer(world["exports"]["pmtiles"], "tiles", "ogr").isValid():
        checks.opens("pmtiles")
    else:
        checks.cannot("pmtiles", "this QGIS has no reader for it")


def service(reader):
    """The service, by the address of its landing page."""
    from qgis.core import QgsFeatureRequest, QgsRectangle
    world, checks = reader.world, reader.checks
    source = f"url='{world['address']}/' typename='stories'"
    layer = reader.layer(source, "OAPIF", "OGC API")
    if layer is None:
        return
    rows = reader.rows(layer)
    checks.stories("OGC API", world["public"], rows)
    checks.equal(layer.featureCount(), world["public"]["count"], "OGC API: the number of stories")
    checks.right(layer.crs().authid() in ("OGC:CRS84", "EPSG:4326"), "OGC API: the reference system", layer.crs().authid())
    reader.box(layer, "OGC API", within=1e-4)
    reader.types(layer, {"title": "QString", "created_at": "QDateTime"}, "OGC API")
    boxed = reader.layer(source + " restrictToRequestBBOX='1'", "OAPIF", "OGC API, by boxes")
    inside = reader.rows(boxed, request=QgsFeatureRequest().setFilterRect(QgsRectangle(-10, 40, -8, 42)))
    # The service also answers with what has no geometry, as the standard asks.
    checks.equal([title for title, place in inside if place is not None], [common.stories.ACCENTS], "OGC API: a box")
    chosen = reader.layer(source, "OAPIF", "OGC API, with a filter")
    checks.right(chosen.setSubsetString(f"\"title\" = '{common.stories.SCRIPTS}'"), "OGC API: a filter is taken")
    checks.equal([title for title, _ in reader.rows(chosen)], [common.stories.SCRIPTS], "OGC API: a filter")
    checks.opens("OGC API")


def read(world, checks):
    application = start(pathlib.Path(world["database"]).parent / "qgis-profile")
    from qgis.core import Qgis, QgsProviderRegistry
    checks.version = Qgis.QGIS_VERSION.split("-")[0]
    missing = {"ogr", "spatialite", "delimitedtext", "OAPIF"} - set(QgsProviderRegistry.instance().providerList())
    if missing:
        raise common.NotInstalled(f"QGIS is without {', '.join(sorted(missing))} (qgis-providers)")
    reader = Reader(world, checks)
    database(reader)
    exports(reader)
    service(reader)
    return application


if __name__ == "__main__":
    code = common.main(NAME, read)
    sys.stdout.flush()
    # The interpreter takes QGIS apart in an order that crashes some versions.
    os._exit(code)
