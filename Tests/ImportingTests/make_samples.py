"""Small files in the styles of programs that archives use, and the habits of their tables: scripts/check-formats imports each.

Every readable file has the same two stories: "Mill" at 33.75, -84.39 and "Ferry" at 33.5, -84.25. `python3 make_samples.py`
writes the files anew; those of GDAL need ogr2ogr.
"""
import dataclasses
import gzip
import io
import json
import pathlib
import subprocess
import tempfile
import zipfile

from program_samples import SAMPLES as OF_PROGRAMS

FOLDER = pathlib.Path(__file__).resolve().parent / "Samples"
MILL, FERRY = (33.75, -84.39), (33.5, -84.25)


@dataclasses.dataclass(frozen=True)
class Sample:
    """A file, what it is like, the options it needs, and what is to happen: `read`, `titles` (no places), or `refused`.

    One that is `converted` is read where GDAL is installed, and refused with these words elsewhere.
    With `shapes`, both stories are areas: "Mill" with a hole, "Ferry" of two parts.
    """
    name: str
    like: str
    content: object = None
    options: tuple = ()
    result: str = "read"
    words: str = ""
    shapes: bool = False


def table(*rows, delimiter=","):
    return "".join(delimiter.join(row) + "\r\n" for row in rows)


def simple(header, mill, ferry, delimiter=","):
    return table(header, mill, ferry, delimiter=delimiter)


def sheet_xml(rows):
    cells = lambda row: "".join(f'<c t="inlineStr"><is><t>{value}</t></is></c>' for value in row)
    return ('<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            + "".join(f"<row>{cells(row)}</row>" for row in rows) + "</sheetData></worksheet>")


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


ROWS = (("title", "lat", "lon", "date"), ("Mill", "33.75", "-84.39", "1936"), ("Ferry", "33.5", "-84.25", "1940"))


def xlsx():
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    link = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = "http://schemas.openxmlformats.org/package/2006/content-types"
    parts = "http://schemas.openxmlformats.org/package/2006/relationships"
    return packed([
        ("[Content_Types].xml", f'<Types xmlns="{kinds}"><Default Extension="xml" ContentType="application/xml"/></Types>'),
        ("_rels/.rels", f'<Relationships xmlns="{parts}"><Relationship Id="r1" Type="{link}/officeDocument" Target="xl/workbook.xml"/></Relationships>'),
        ("xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{link}"><sheets><sheet name="Stories" sheetId="1" r:id="r1"/></sheets></workbook>'),
        ("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{parts}"><Relationship Id="r1" Type="{link}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'),
        ("xl/worksheets/sheet1.xml", sheet_xml(ROWS)),
    ])


def ods():
    space = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
             ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"')
    cell = lambda value: f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
    rows = "".join("<table:table-row>" + "".join(map(cell, row)) + "</table:table-row>" for row in ROWS)
    content = (f"<office:document-content {space}><office:body><office:spreadsheet><table:table table:name=\"Stories\">{rows}"
               "</table:table></office:spreadsheet></office:body></office:document-content>")
    return packed([("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", content)])


def geojson(**more):
    feature = lambda title, place, date: {
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [place[1], place[0]]},
        "properties": {"title": title, "date": date}}
    return {"type": "FeatureCollection", **more, "features": [feature("Mill", MILL, "1936"), feature("Ferry", FERRY, "1940")]}


SQUARE = lambda lon, lat: [[lon + x, lat + y] for x, y in ((-.01, -.01), (.01, -.01), (.01, .01), (-.01, .01), (-.01, -.01))]
TRIANGLE = lambda lon, lat: [[lon, lat], [lon, lat + .002], [lon + .002, lat + .002], [lon, lat]]


def areas():
    def feature(title, kind, coordinates):
        rounded = json.loads(json.dumps(coordinates), parse_float=lambda text: round(float(text), 6))
        return {"type": "Feature", "geometry": {"type": kind, "coordinates": rounded}, "properties": {"title": title}}
    return {"type": "FeatureCollection", "features": [
        feature("Mill", "Polygon", [SQUARE(-84.39, 33.75), TRIANGLE(-84.399, 33.741)]),
        feature("Ferry", "MultiPolygon", [[SQUARE(-84.25, 33.5)], [TRIANGLE(-84.2, 33.5)[::-1]]])]}


KML = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Untitled map</name><Folder><name>Layer 1</name>
<Placemark><name>Mill</name><description><![CDATA[A mill<br>by the river]]></description><Point><coordinates>-84.39,33.75,0</coordinates></Point></Placemark>
<Placemark><name>Ferry</name><ExtendedData><Data name="date"><value>1940</value></Data></ExtendedData><Point><coordinates>-84.25,33.5,0</coordinates></Point></Placemark>
</Folder></Document></kml>
"""
GPX = """<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="33.75" lon="-84.39"><time>1936-07-04T12:00:00Z</time><name>Mill</name></wpt><wpt lat="33.5" lon="-84.25"><name>Ferry</name></wpt></gpx>
"""
GEDCOM = """0 HEAD
1 CHAR UTF-8
0 @I1@ INDI
1 NAME Ada /Mill/
1 BIRT
2 DATE 1880
2 PLAC Atlanta
3 MAP
4 LATI N33.75
4 LONG W84.39
1 DEAT
2 DATE 1940
2 PLAC Jonesboro
3 MAP
4 LATI N33.5
4 LONG W84.25
0 TRLR
"""
OHMS = """<?xml version="1.0" encoding="UTF-8"?>
<ROOT xmlns="https://www.weareavp.com/nunncenter/ohms"><record><title>Interview</title><index>
<point><time>10</time><title>Mill</title><gpspoints><gps>33.75,-84.39</gps></gpspoints></point>
<point><time>760</time><title>Ferry</title><gpspoints><gps>33.5,-84.25</gps></gpspoints></point>
</index></record></ROOT>
"""
ESRI = {"geometryType": "esriGeometryPoint", "spatialReference": {"wkid": 4326},
        "features": [{"attributes": {"Name": "Mill"}, "geometry": {"x": -84.39, "y": 33.75}},
                     {"attributes": {"Name": "Ferry"}, "geometry": {"x": -84.25, "y": 33.5}}]}
CROWD = [{"title": "Mill", "lat": 33.75, "lon": -84.39, "tags": ["work", "river, wide"]}, {"title": "Ferry", "lat": 33.5, "lon": -84.25}]
OMEKA_S = [{"dcterms:title": [{"@value": "Mill"}], "coordinates": "33.75, -84.39"},
           {"dcterms:title": [{"@value": "Ferry"}], "coordinates": "33.5, -84.25"}]

SAMPLES = [
    Sample("plain.csv", "CSV, UTF-8", table(*ROWS)),
    Sample("semicolons.csv", "CSV of a German Excel: semicolons, decimal commas",
           simple(("title", "lat", "lon"), ("Mill", "33,75", "-84,39"), ("Ferry", "33,5", "-84,25"), ";")),
    Sample("sep-line.csv", "CSV with Excel's line sep=;", "sep=;\r\n" + table(*ROWS, delimiter=";")),
    Sample("utf16.csv", "Excel's Unicode text: UTF-16, tabs", table(*ROWS, delimiter="\t").encode("utf-16")),
    Sample("windows1252.csv", "CSV in Windows-1252", table(ROWS[0] + ("place",), ROWS[1] + ("Café Zürich",), ROWS[2] + ("",)).encode("cp1252")),
    Sample("table.tsv", "TSV", table(*ROWS, delimiter="\t")),
    Sample("packed.csv.gz", "CSV, gzipped", gzip.compress(table(*ROWS).encode(), mtime=0)),
    Sample("book.xlsx", "Excel workbook", xlsx),
    Sample("sheet.ods", "LibreOffice spreadsheet", ods),
    Sample("omeka.csv", "Omeka Classic: CSV Export, Geolocation",
           simple(("Dublin Core:Title", "Dublin Core:Date", "geolocation:latitude", "geolocation:longitude", "public"),
                  ("Mill", "1936", "33.75", "-84.39", "1"), ("Ferry", "1940", "33.5", "-84.25", "0"))),
    Sample("omeka-s.json", "Omeka S: answer of its API", json.dumps(OMEKA_S)),
    Sample("collectionbuilder.csv", "CollectionBuilder metadata",
           simple(("objectid", "title", "date", "latitude", "longitude", "object_location"),
                  ("c1", "Mill", "1936", "33.75", "-84.39", "https://example.org/1.jpg"), ("c2", "Ferry", "1940", "33.5", "-84.25", ""))),
    Sample("darwin-core.csv", "Darwin Core occurrences",
           simple(("occurrenceID", "scientificName", "eventDate", "decimalLatitude", "decimalLongitude", "geodeticDatum"),
                  ("o1", "Mill", "1936-07-04", "33.75", "-84.39", "WGS84"), ("o2", "Ferry", "1940", "33.5", "-84.25", "WGS84"))),
    Sample("pastperfect.csv", "PastPerfect report",
           simple(("Accession Number", "Object Name", "Date", "Descrip", "Lat", "Long"),
                  ("1999.1.1", "Mill", "c. 1936", "A mill", "33.75", "-84.39"), ("1999.1.2", "Ferry", "1940s", "", "33.5", "-84.25"))),
    Sample("arcgis.csv", "ArcGIS Online: CSV", simple(("OBJECTID", "Name", "x", "y"), ("1", "Mill", "-84.39", "33.75"), ("2", "Ferry", "-84.25", "33.5"))),
    Sample("exiftool.csv", "exiftool -csv", simple(
        ("SourceFile", "Title", "DateTimeOriginal", "GPSLatitude", "GPSLongitude"),
        ("a.jpg", "Mill", "1936:07:04 10:00:00", "33 deg 45' 0.00\" N", "84 deg 23' 24.00\" W"),
        ("b.jpg", "Ferry", "1940:07:04 10:00:00", "33 deg 30' 0.00\" N", "84 deg 15' 0.00\" W"))),
    Sample("one-column.csv", "Position in one column", 'title,coordinates\r\nMill,"33.75, -84.39"\r\nFerry,"33.5, -84.25"\r\n'),
    Sample("wkt.csv", "Google My Maps: WKT", 'WKT,name\r\nPOINT (-84.39 33.75),Mill\r\nPOINT (-84.25 33.5),Ferry\r\n'),
    Sample("degrees.csv", "Degrees, minutes, seconds", "title,lat,lon\r\nMill,33°45′0″N,84°23′24″W\r\nFerry,33°30′0″N,84°15′0″W\r\n"),
    Sample("utm.csv", "UTM: easting, northing, zone",
           simple(("title", "easting", "northing", "utm_zone"), ("Mill", "741764", "3737498", "16N"), ("Ferry", "755473", "3710105", "16N"))),
    Sample("mgrs.csv", "MGRS", simple(("title", "mgrs"), ("Mill", "16SGC4176437498"), ("Ferry", "16SGC5547310105"))),
    Sample("crs.csv", "Web Mercator in metres", simple(("title", "x", "y"), ("Mill", "-9394252", "3995282"), ("Ferry", "-9378667", "3961860")),
           options=("--crs", "EPSG:3857")),
    Sample("named.csv", "Own column names", simple(("Titel", "Breite", "Länge"), ("Mill", "33.75", "-84.39"), ("Ferry", "33.5", "-84.25")),
           options=("--map", "title=Titel", "--map", "lat=Breite", "--map", "lon=Länge")),
    Sample("collection.geojson", "GeoJSON", json.dumps(geojson())),
    Sample("old-crs.geojson", "GeoJSON of 2008 with crs (ogr2ogr)",
           json.dumps(geojson(crs={"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}))),
    Sample("lines.ndjson", "NDJSON: a feature a line", "".join(json.dumps(f) + "\n" for f in geojson()["features"])),
    Sample("records.json", "JSON: a plain array of objects", json.dumps(CROWD)),
    Sample("featureset.json", "Esri JSON (ArcGIS REST)", json.dumps(ESRI)),
    Sample("my-maps.kml", "Google My Maps: KML", KML),
    Sample("my-maps.kmz", "Google Earth: KMZ", lambda: packed([("doc.kml", KML)])),
    Sample("waypoints.gpx", "GPX waypoints", GPX),
    Sample("family.ged", "GEDCOM of a family-tree program", GEDCOM, options=("--privacy", "private")),
    Sample("interview.xml", "OHMS index", OHMS),
    Sample("layer.gpkg.gz", "GeoPackage of QGIS, gzipped", ("GPKG", "gz")),
    Sample("projected.gpkg.gz", "GeoPackage in UTM, gzipped", ("GPKG", "gz", "-t_srs", "EPSG:26916")),
    Sample("shapes.zip", "Shapefile, zipped", ("ESRI Shapefile", "zip")),
    Sample("areas.geojson", "Areas: GeoJSON", lambda: json.dumps(areas()), shapes=True),
    Sample("areas.geojsons", "Areas: GeoJSON text sequence (ogr2ogr)", ("GeoJSONSeq", "", "areas", "-lco", "RS=YES"), shapes=True),
    Sample("areas.gpkg.gz", "Areas: GeoPackage of QGIS, gzipped", ("GPKG", "gz", "areas", "-nlt", "PROMOTE_TO_MULTI"), shapes=True),
    Sample("areas-utm.gpkg.gz", "Areas: GeoPackage in UTM, gzipped", ("GPKG", "gz", "areas", "-t_srs", "EPSG:26916"), shapes=True),
    Sample("areas.zip", "Areas: Shapefile, zipped", ("ESRI Shapefile", "zip", "areas"), shapes=True),
    Sample("areas.kml", "Areas: KML (ogr2ogr)", ("KML", "", "areas", "-dsco", "NameField=title"), shapes=True),
    Sample("areas.csv", "Areas: WKT (ogr2ogr)", ("CSV", "", "areas", "-lco", "GEOMETRY=AS_WKT"), shapes=True),
    Sample("layer.fgb", "FlatGeobuf", ("FlatGeobuf", ""), result="converted", words="ogr2ogr"),
    Sample("areas.fgb", "Areas: FlatGeobuf in UTM", ("FlatGeobuf", "", "areas", "-t_srs", "EPSG:26916"), result="converted", words="ogr2ogr", shapes=True),
    Sample("map.pdf", "PDF", "%PDF-1.4\n", result="refused", words="pdftotext"),
    Sample("old.xls", "Excel workbook of 1997", bytes([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) + bytes(504), result="refused", words="libreoffice"),
    Sample("table.parquet", "Parquet", b"PAR1" + bytes(100) + b"PAR1", result="refused", words="ogr2ogr"),
    Sample("geometry.shp", "Shapefile without its other files", bytes([0, 0, 0x27, 0x0A]) + bytes(96), result="refused", words="no stories"),
    Sample("title-row.csv", "A title, a date and an empty row above the column names",
           "The river collection,,,\r\nListed 2026-01-05,,,\r\n,,,\r\n" + table(*ROWS)),
    Sample("pipes.txt", "Vertical lines between the values", table(*ROWS, delimiter="|")),
    Sample("mac-roman.csv", "CSV of Excel for Mac: Mac Roman", table(ROWS[0] + ("place",), ROWS[1] + ("Café Zürich",), ROWS[2] + ("",)).encode("mac_roman")),
    Sample("blank-rows.csv", "Rows of separators alone, and an error of a formula", table(ROWS[0] + ("city",), ROWS[1] + ("#N/A",), ("", "", "", "", ""), ROWS[2] + ("",))),
    Sample("objects.jsonl", "JSON Lines: a plain object a line", "".join(json.dumps(dict(zip(ROWS[0], row))) + "\n" for row in ROWS[1:])),
    Sample("shelves.csv", "A catalogue with the shelf of each object", table(ROWS[0] + ("Location",), ROWS[1] + ("Shelf B-12",), ROWS[2] + ("Vault 2",)),
           result="refused", words="--ignore"),
    Sample("password.xlsx", "Excel workbook with a password",
           bytes([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) + bytes(504) + "EncryptedPackage".encode("utf-16-le"), result="refused", words="password"),
    Sample("untitled.csv", "No column for the title", "lat,lon\r\n1,2\r\n", result="refused", words="--map title=COLUMN"),
    Sample("restricted.csv", "A column that seems to say who may see", "title,Access restrictions\r\nMill,private\r\nFerry,public\r\n",
           result="refused", words="--ignore"),
    Sample("swapped.csv", "Latitude and longitude exchanged", "title,lat,lon\r\nMill,-184.39,33.75\r\n", result="refused", words="not between"),
    *(Sample(*parts) for parts in OF_PROGRAMS),
]


def by_gdal(kind, packing, *options):
    made_of = areas if options[:1] == ("areas",) else geojson
    options = options[1:] if made_of is areas else options
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "stories.geojson")
        source.write_text(json.dumps(made_of()), encoding="utf-8")
        ending = {"GPKG": "gpkg", "ESRI Shapefile": "shp", "FlatGeobuf": "fgb", "GeoJSONSeq": "geojsons", "KML": "kml", "CSV": "csv"}[kind]
        made = pathlib.Path(folder, f"stories.{ending}")
        subprocess.run(["ogr2ogr", "-f", kind, str(made), str(source), *options], check=True)
        if packing == "gz":
            return gzip.compress(made.read_bytes(), mtime=0)
        if packing == "zip":
            return packed([(f"stories.{part}", made.with_suffix("." + part).read_bytes()) for part in ("shp", "shx", "dbf", "prj", "cpg")
                           if made.with_suffix("." + part).exists()])
        return made.read_bytes()


def main():
    FOLDER.mkdir(exist_ok=True)
    for sample in SAMPLES:
        content = sample.content
        if callable(content):
            content = content()
        elif isinstance(content, tuple):
            content = by_gdal(*content)
        (FOLDER / sample.name).write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    main()
