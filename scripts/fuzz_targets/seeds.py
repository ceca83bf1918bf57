"""Writes a first corpus for each target: small real data where they are, and what these formats look like.

usage: seeds.py FOLDER [SHARED-DATA]
"""
import gzip
import io
import json
import pathlib
import struct
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
shared = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path("/nonexistent")


def seed(target, *contents):
    (folder / target).mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(contents):
        content = content.encode() if isinstance(content, str) else bytes(content)
        (folder / target / f"seed{number}").write_bytes(content)


def varint(number):
    out = bytearray()
    while True:
        out.append(number & 127 | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(out)


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


# A vector tile: a layer with a line, a key and a value.
geometry = b"".join(map(varint, [9, 50, 34, 18, 20, 0, 0, 20]))
tile = field(3, field(1, b"roads") + field(2, field(2, bytes([0, 0])) + varint(3 << 3) + varint(2) + field(4, geometry))
             + field(3, b"name") + field(4, field(1, "Weg".encode())) + varint(5 << 3) + varint(4096) + varint(15 << 3) + varint(2))
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
    pack.writestr("a.csv", "LON,LAT,NUMBER,STREET\n-122.2,37.8,1,Main St\n" * 8)
    pack.writestr("b/stored.txt", "hello", zipfile.ZIP_STORED)
# PMTiles 3: header, a directory of one tile, metadata and the tile, nothing compressed.
directory, metadata = varint(1) + varint(0) + varint(1) + varint(len(tile)) + varint(1), b"{}"
place = [127, len(directory), 127 + len(directory), len(metadata), 127 + len(directory) + 2, 0, 127 + len(directory) + 2, len(tile)]
pmtiles = b"PMTiles\x03" + struct.pack("<8Q", *place) + struct.pack("<3Q", 1, 1, 1) + bytes([1, 1, 1, 1, 0, 0])
pmtiles += struct.pack("<4i", -1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000) + bytes([0]) + struct.pack("<2i", 0, 0)
feature = {"type": "Feature", "id": 1, "properties": {"title": "x"}, "geometry": {"type": "Point", "coordinates": [1.5, 2.5]}}
polygon = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
gpx = '<?xml version="1.0"?><gpx version="1.1"><trk><name>a&amp;b</name><trkseg><trkpt lat="1" lon="2"><ele>3</ele>' \
      '<time>2026-01-02T03:04:05Z</time></trkpt></trkseg></trk></gpx>'
nmea = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\n$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\n"
owntracks = {"_type": "location", "lat": 1.5, "lon": 2.5, "tst": 1_750_000_000, "acc": 5, "topic": "owntracks/a/phone"}

seed("json", json.dumps(feature), '{"a":[1,-2.5e10,true,null,"\\u00e9\\ud83d\\ude00"]}', "[[[[[]]]]]", '"x"')
seed("geojson", json.dumps({"type": "FeatureCollection", "features": [feature, feature | {"geometry": polygon}]}),
     json.dumps(feature) + "\n" + json.dumps(feature), "\x1e" + json.dumps(feature) + "\n", json.dumps(feature | {"geometry": None}))
seed("csv", 'id,title,lat,lon\n1,"a ""b"", c",1,2\n', "a\tb\n1\t2\r\n", "a;b\n\"x\ny\";2")
seed("trace", gpx, nmea, "time,lat,lon\n2026-01-02T03:04:05Z,1,2\n", json.dumps(owntracks), gzip.compress(gpx.encode()),
     json.dumps({"locations": [{"latitudeE7": 1, "longitudeE7": 2, "timestamp": "2026-01-02T03:04:05Z"}]}),
     '<TrainingCenterDatabase><Activities><Activity><Lap><Track><Trackpoint><Time>2026-01-02T03:04:05Z</Time><Position><LatitudeDegrees>1'
     '</LatitudeDegrees><LongitudeDegrees>2</LongitudeDegrees></Position></Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>',
     *(path.read_bytes()[:4_000] for path in sorted((shared / "traces").glob("*.gpx"))[:12]))
seed("tracker", json.dumps(owntracks), json.dumps({"locations": [feature | {"properties": {"timestamp": "2026-01-02T03:04:05Z"}}]}),
     json.dumps({"device_id": "a", "location": {"timestamp": "2026-01-02T03:04:05Z", "coords": {"latitude": 1, "longitude": 2}}}),
     "id=a&lat=1.5&lon=2.5&timestamp=1750000000&hdop=1&speed=3&batt=50", "deviceid=a&location=1,2&timestamp=2026-01-02T03:04:05Z")
seed("date", "1911", "1911-05-03", "1911-05/1912", "ca. 1920", "1920s", "192X", "1911?", "between 1900 and 1910", "5/3/1911", "May 3, 1911",
     "spring 1930", "1911-05-03T10:00Z", "[n.d.]", "../1950", "1984~", "Y17000", "19th century")
seed("instant", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+01:30", "1969-12-31t23:59:60z", "2026-02-29T00:00:00Z")
seed("base64", "AAECAw", "_-8", "aGVsbG8=", "")
seed("gzip", gzip.compress(b"hello " * 50), gzip.compress(b"a") + gzip.compress(b"b"), gzip.compress(b"") + bytes(8))
seed("zip", archive.getvalue())
seed("vectortile", tile, gzip.compress(tile), tile + tile)
seed("pmtiles", pmtiles + directory + metadata + tile)
seed("outline", b"WMLINE1\n" + bytes([1, 4, 1, 3, 2, 65, 66, 1, 4, 2, 2, 4, 4, 6, 6]), b"WMLINE1\n" + bytes([0, 2, 1, 1, 0, 1, 2, 0, 0, 2, 2]))
seed("position", "41.88, -87.63", "41°52'55\"N 87°37'40\"W", "geo:41.88,-87.63;u=5", "86HJV9J9+2X", "N 41.88 W 87.63", "POINT(-87.6 41.8)",
     "https://www.openstreetmap.org/#map=12/41.8/-87.6", "41,88 / -87,63", "８７．６, ４１", "41 52 55 N, 87 37 40 W")
seed("name", "Saint-Étienne", "St. Paul, MN", "MÜNCHEN", "北京", "İstanbul", "ﬁ ligature ½", "a\u0301\u0302")
auth = bytes(37)
seed("cbor", b"\xa3cfmtdnonegattStmt\xa0hauthDataX" + bytes([len(auth)]) + auth, bytes([0x9b] + [255] * 8), bytes([0x82, 1, 0x61, 0x41]))
token = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImEiLCJ0eXAiOiJhdCtqd3QifQ.eyJzdWIiOiJhIiwiZXhwIjoxfQ.AAAA"
seed("token", token, token.replace(".", ".."))
placemark = '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder><name>a</name><Placemark id="p"><name>b</name>%s<ExtendedData><Data ' \
            'name="k"><value>v</value></Data></ExtendedData></Placemark></Folder></Document></kml>'
seed("kml", placemark % "<Point><coordinates>1,2,3</coordinates></Point>",
     placemark % "<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing></outerBoundaryIs></Polygon>",
     placemark % "<TimeSpan><begin>1911</begin><end>1912-05</end></TimeSpan><description><![CDATA[<b>x</b>&amp;]]></description>")
seed("ohms", '<ROOT><record id="1"><title>a</title><date value="1970-01-02" format="yyyy-mm-dd"/><index><point><time>75</time><title>b</title>'
     '<gpspoints><gps>38.0, -84.5</gps><gps_text>Lexington</gps_text></gpspoints></point></index></record></ROOT>')
seed("gedcom", "0 HEAD\n1 SOUR RootsMagic\n0 @I1@ INDI\n1 BIRT {x}\n2 PLAC [[C]] D\n2 NOTE A {b\n")
seed("geojson", '{"title":"A","lat":1}\n\n{"title":"B","type":"photo"}\n')
seed("gedcom", "0 HEAD\n1 CHAR UTF-8\n0 @I1@ INDI\n1 NAME A /B/\n1 BIRT\n2 DATE ABT 1850\n2 PLAC C, D\n3 MAP\n4 LATI N18.150944\n4 LONG W66.5\n"
     "2 PLAC F\n3 RESN confidential\n3 MAP\n4 LATI S1.5\n4 LONG E2\n2 PLAC G\n1 RESN privacy\n0 @F1@ FAM\n1 HUSB @I1@\n1 MARR\n2 DATE BET 1870 AND 1880\n2 PLAC E\n0 TRLR\n")
sheets = {
    "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>title</t></is></c><c r="C1"><v>44197.5</v></c></row>'
                                '</sheetData></worksheet>'}
table = '<office:document-content><office:body><office:spreadsheet><table:table table:name="a"><table:table-row table:number-rows-repeated="2">' \
        '<table:table-cell office:value-type="string" table:number-columns-repeated="3"><text:p>x</text:p></table:table-cell></table:table-row>' \
        '</table:table></office:spreadsheet></office:body></office:document-content>'
workbooks = []
for parts in [sheets, {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": table}]:
    pack_bytes = io.BytesIO()
    with zipfile.ZipFile(pack_bytes, "w", zipfile.ZIP_STORED) as pack:
        for name, content in parts.items():
            pack.writestr(name, content)
    workbooks.append(pack_bytes.getvalue())
seed("workbook", *workbooks)
seed("encoding", "Zürich, naïve", "Zürich".encode("utf-16"), "Zürich".encode("utf-16-be"), "Zürich – “x”".encode("cp1252"), b"\xef\xbb\xbfa", b"a\xffb")
seed("wkt", "POINT(1 2)", "SRID=4326;MULTIPOLYGON Z (((0 0 1,1 0 1,1 1 1,0 0 1)))", "LINESTRING EMPTY", "POLYGON((0 0,1 0,1 1,0 0),(0.1 0.1,0.2 0.1,0.2 0.2,0.1 0.1))")
seed("grid", "18N 583960 4507523", "583960mE 4507523mN 18T", "18TWL8396007523", "18T WL 83960 07523", "zone 18 south 583960 4507523")
seed("cookie", "waymark_session=abc; other=1", "__Host-waymark_session=x\nwaymark_session=y", "a=b;;=;c", "waymark_provider=1")
point = struct.pack(">ii", 1, 10) + struct.pack("<idd", 1, -84.39, 33.75)
rings = struct.pack("<i4dii2i", 5, 0, 0, 4, 4, 2, 8, 0, 4) + struct.pack("<16d", 0, 0, 0, 4, 4, 4, 0, 0, 1, 1, 2, 1, 2, 2, 1, 1)
shapes = struct.pack(">i", 9994) + bytes(96) + point + struct.pack(">ii", 2, len(rings) // 2) + rings
table = bytes([3, 120, 1, 1]) + struct.pack("<IHH", 2, 65, 11) + bytes(20) + b"NAME" + bytes(7) + b"C" + bytes(4) + bytes([10]) \
    + bytes(15) + b"\r" + b" Mill      " + b" Ferry     "
seed("shapefile", struct.pack("<H", len(shapes)) + shapes + table, struct.pack("<H", len(shapes)) + shapes)
seed("wellknownbinary", struct.pack("<BIdd", 1, 1, 1.5, 2), struct.pack(">BIdd", 0, 1, 1.5, 2), struct.pack("<BII4d", 1, 2, 2, 1, 2, 3, 4),
     struct.pack("<BIIIIdd", 1, 6, 1, 1, 3, 1, 1) + struct.pack("<BIII2d", 1, 7, 0, 1, 1, 2), struct.pack("<BIddd", 1, 1001, 1, 2, 3))
seed("foreignjson", '[{"title":"A","lat":1,"dcterms:title":[{"@value":"B"}]}]', '{"items":[{"a":1}]}',
     '{"spatialReference":{"wkid":102100},"fields":[{"name":"d","type":"esriFieldTypeDate"}],'
     '"features":[{"attributes":{"d":-1057104000000},"geometry":{"rings":[[[0,0],[0,4],[4,4],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]}}]}')
directory = struct.pack("<H", 3) + struct.pack("<HHI4s", 0x010E, 2, 4, b"Mill") + struct.pack("<HHII", 0x8825, 4, 1, 80) \
    + struct.pack("<HHII", 0x0132, 2, 20, 150) + bytes(4)
place = struct.pack("<H", 4) + struct.pack("<HHI4s", 1, 2, 2, b"N") + struct.pack("<HHII", 2, 5, 3, 180) + struct.pack("<HHI4s", 3, 2, 2, b"W") \
    + struct.pack("<HHII", 4, 5, 3, 204) + bytes(4)
block = bytearray(230)
for at, part in [(0, b"II*\0" + struct.pack("<I", 8)), (8, directory), (80, place), (150, b"1998:07:04 14:05:06\0"),
                 (180, struct.pack("<6I", 33, 1, 45, 1, 0, 1)), (204, struct.pack("<6I", 84, 1, 23, 1, 24, 1))]:
    block[at:at + len(part)] = part
segment = b"Exif\0\0" + bytes(block)
seed("photo", b"\xff\xd8\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment, bytes(block), b"MM\0*" + bytes(8),
     b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", len(block), b"eXIf") + bytes(block) + bytes(4),
     b"RIFF" + struct.pack("<I", len(block) + 12) + b"WEBPEXIF" + struct.pack("<I", len(block)) + bytes(block))
holed = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], [[1, 1], [2, 1], [2, 2], [1, 1]]]}
seed("shape", json.dumps(polygon), json.dumps(holed), json.dumps({"type": "LineString", "coordinates": [[179, 1], [-179, 2, 3]]}),
     json.dumps({"type": "MultiPolygon", "coordinates": [polygon["coordinates"], [[[5, 5], [6, 5], [6, 6], [5, 5]]]]}),
     json.dumps({"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]}), '{"type":"Point","coordinates":[1e9,2]}')
packet = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description %s><dc:subject><rdf:Bag><rdf:li>a</rdf:li></rdf:Bag></dc:subject>' \
         '<dc:description><rdf:Alt><rdf:li xml:lang="x-default">b</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>'
seed("packet", packet % "", packet % 'photoshop:Instructions="private" xmpRights:UsageTerms="c"')
seed("iptc", b"\x1c\x02\x19\0\x07private\x1c\x02\x78\0\x01a", b"\x1c\x01\x5a\0\x03\x1b%G\x1c\x02\x28\x80\x04\0\0\0\x01x")
seed("privacy", "Do not publish", "closed until 2050", "RESTRICTED \u2013 family only", "Access: open", "not to be released before 1 May 2040")
