"""More small files in the styles of programs, for make_samples.py: sources of field data, family trees, maps and tables.

Each entry is a name, what it is like, its content, and what differs from a file that is read without options. The readable
ones have the same two stories as those of make_samples.py.
"""
import io
import json
import zipfile


def table(*rows, delimiter=",", end="\r\n"):
    return "".join(delimiter.join(row) + end for row in rows)


def features(*properties, **more):
    places = ((-84.39, 33.75), (-84.25, 33.5))
    return json.dumps({"type": "FeatureCollection", **more, "features": [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": list(place)}, "properties": known}
        for place, known in zip(places, properties)]})


def word_document():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("[Content_Types].xml", "word/document.xml"):
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), "<x/>")
    return buffer.getvalue()


TOPOLOGY = {"type": "Topology", "objects": {"stories": {"type": "GeometryCollection", "geometries": [
    {"type": "Point", "coordinates": [-84.39, 33.75], "properties": {"title": "Mill", "date": "1936"}},
    {"type": "Point", "coordinates": [-84.25, 33.5], "properties": {"title": "Ferry", "date": "1940"}}]}}, "arcs": []}

PLAIN = (("title", "lat", "lon", "date"), ("Mill", "33.75", "-84.39", "1936"), ("Ferry", "33.5", "-84.25", "1940"))
GEORSS = """<?xml version="1.0" encoding="UTF-8"?>
<kml:kml xmlns:kml="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><kml:Document>
<kml:Style id="pin"><kml:IconStyle><kml:scale>1.1</kml:scale></kml:IconStyle></kml:Style>
<kml:Folder><kml:name>Walks</kml:name><kml:Folder><kml:name>River</kml:name>
<kml:Placemark><kml:name>Mill</kml:name><kml:LookAt><kml:longitude>-84.3</kml:longitude><kml:latitude>33.7</kml:latitude></kml:LookAt>
<kml:TimeStamp><kml:when>1936-07-04</kml:when></kml:TimeStamp><kml:styleUrl>#pin</kml:styleUrl>
<kml:Point><gx:drawOrder>1</gx:drawOrder><kml:coordinates> -84.39,33.75 </kml:coordinates></kml:Point></kml:Placemark>
</kml:Folder>
<kml:Placemark><kml:name>Ferry</kml:name><kml:TimeSpan><kml:begin>1940</kml:begin><kml:end>1941</kml:end></kml:TimeSpan>
<kml:Point><kml:coordinates>-84.25,33.5,212.4</kml:coordinates></kml:Point></kml:Placemark>
</kml:Folder></kml:Document></kml:kml>
"""
OLD_GPX = """<?xml version="1.0" encoding="ISO-8859-1"?><gpx version="1.0" creator="MapSource" xmlns="http://www.topografix.com/GPX/1/0">
<wpt lat="33.75" lon="-84.39"><ele>310</ele><name>Mill</name><cmt>M\xfchle</cmt><sym>Flag, Blue</sym></wpt>
<wpt lat="33.5" lon="-84.25"><ele>240</ele><name>Ferry</name></wpt></gpx>
"""
GARMIN = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="GPSMAP" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxx="http://www.garmin.com/xmlschemas/GpxExtensions/v3">
<metadata><time>2026-01-01T00:00:00Z</time></metadata>
<wpt lat="33.75" lon="-84.39"><name>Mill</name><desc>By the river</desc><extensions><gpxx:WaypointExtension><gpxx:Proximity>50</gpxx:Proximity>
</gpxx:WaypointExtension></extensions></wpt>
<wpt lat="33.5" lon="-84.25"><name>Ferry</name></wpt>
<trk><name>A walk</name><trkseg><trkpt lat="33.7" lon="-84.3"/><trkpt lat="33.6" lon="-84.3"/></trkseg></trk></gpx>
"""
BASECAMP = """<?xml version="1.0" encoding="utf-8"?><gpx creator="Garmin Desktop App" version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="33.75" lon="-84.39"><ele>310.2</ele><time>1998-07-04T14:30:00Z</time><name>Mill</name><cmt>Closed in 1936</cmt><desc>By the river</desc>
<link href="https://example.org/mill.mp3"><text>Ida Reed on the mill</text><type>audio/mpeg</type></link>
<link href="https://example.org/mill.jpg"><text>The wheel</text></link><sym>Flag, Blue</sym><type>user</type></wpt>
<wpt lat="33.5" lon="-84.25"><name>Ferry</name><sym>Flag, Blue</sym></wpt></gpx>
"""
OSMAND = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<gpx version="1.1" creator="OsmAnd" xmlns="http://www.topografix.com/GPX/1/1" xmlns:osmand="https://osmand.net"><metadata><name>favorites</name></metadata>
<wpt lat="33.75" lon="-84.39"><time>2021-05-03T18:02:11Z</time><name>Mill</name><desc>By the river</desc><link href="https://example.org/mill" /><type>Work</type>
<extensions><osmand:icon>special_star</osmand:icon><osmand:background>circle</osmand:background><osmand:color>#eecc22</osmand:color></extensions></wpt>
<wpt lat="33.5" lon="-84.25"><name>Ferry</name><type>River crossings</type></wpt></gpx>
"""
GEOCACHING = """<?xml version="1.0" encoding="utf-8"?><gpx version="1.0" creator="Groundspeak Pocket Query" xmlns="http://www.topografix.com/GPX/1/0">
<wpt lat="33.75" lon="-84.39"><time>2001-05-03T00:00:00</time><name>Mill</name><desc>By the river</desc><url>https://example.org/mill</url>
<urlname>Mill</urlname><sym>Geocache</sym><type>Geocache|Traditional Cache</type></wpt>
<wpt lat="33.5" lon="-84.25"><name>Ferry</name></wpt></gpx>
"""
MEDIA = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>River</name><Placemark><name>Mill</name>
<description><![CDATA[<img src="https://example.org/hosted/1" height="200" width="auto" /><br><br>By the river, see <a href="https://example.org/mill">its page</a>]]></description>
<styleUrl>#icon-1899-0288D1</styleUrl><ExtendedData><Data name="gx_media_links"><value>https://example.org/hosted/1</value></Data></ExtendedData>
<Point><coordinates>-84.39,33.75,0</coordinates></Point></Placemark>
<Placemark><name>Ferry</name><Point><coordinates>-84.25,33.5,0</coordinates></Point></Placemark></Document></kml>
"""
BALLOONS = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2" xmlns:atom="http://www.w3.org/2005/Atom"><Document><name>River.kml</name>
<Placemark><name>Mill</name><atom:link href="https://example.org/mill" /><Snippet maxLines="2">Ground corn until 1936</Snippet>
<description><![CDATA[<a href="https://example.org/mill.mp3">Ida Reed on the mill</a><br><img src="files/mill.jpg">]]></description>
<LookAt><gx:TimeStamp><when>2019-01-01</when></gx:TimeStamp><longitude>-84.39</longitude><latitude>33.75</latitude></LookAt>
<TimeStamp><when>2001-05-03T02:30:00Z</when></TimeStamp><Point><coordinates>-84.39,33.75,0</coordinates></Point></Placemark>
<Placemark><name>Ferry</name><Point><coordinates>-84.25,33.5,0</coordinates></Point></Placemark></Document></kml>
"""
GRAMPS = """\ufeff0 HEAD\r
1 SOUR Gramps\r
1 GEDC\r
2 VERS 5.5.1\r
1 CHAR UTF-8\r
0 @I0001@ INDI\r
1 NAME Ada /Mill/\r
1 BIRT\r
2 DATE ABT 1880\r
2 PLAC Atlanta, Fulton County, Georgia\r
3 MAP\r
4 LATI N33.75\r
4 LONG W84.39\r
0 @I0002@ INDI\r
1 NAME Bo /Ferry/\r
1 DEAT\r
2 DATE BET 1940 AND 1942\r
2 PLAC Jonesboro\r
3 MAP\r
4 LATI 33.5\r
4 LONG -84.25\r
0 TRLR\r
"""
OHMS_GPS = """<?xml version="1.0" encoding="UTF-8"?>
<ROOT xmlns="https://www.weareavp.com/nunncenter/ohms"><record id="1"><title>Interview</title><duration>3600</duration><index>
<point><time>10</time><title>Mill</title><synopsis>Work</synopsis><gps>33.75,-84.39</gps><gps_zoom>17</gps_zoom></point>
<point><time>760</time><title>Ferry</title><keywords>river;boats</keywords><gps>33.5, -84.25</gps><gps_zoom>12</gps_zoom></point>
</index></record></ROOT>
"""
LINKED = json.dumps({"type": "FeatureCollection", "@context": "https://linkedpasts.org/assets/linkedplaces-context-v1.1.jsonld", "features": [
    {"@id": f"https://example.org/{name}", "type": "Feature", "properties": {"title": name, "ccodes": ["US"]},
     "when": {"timespans": [{"start": {"in": year}}]}, "names": [{"toponym": name}],
     "geometry": {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": place}]}}
    for name, year, place in [("Mill", "1936", [-84.39, 33.75]), ("Ferry", "1940", [-84.25, 33.5])]]})

# The name, what it is like, the content, the options, what is to happen, and with which words.
SAMPLES = [
    ("excel-utf8.csv", "Excel's CSV UTF-8: with a byte order mark", "\ufeff" + table(*PLAIN)),
    ("utf16be.csv", "UTF-16, big end first", b"\xfe\xff" + table(*PLAIN, delimiter="\t").encode("utf-16-be")),
    ("old-mac.csv", "CSV of an old Mac: lines end with CR", table(*PLAIN, end="\r")),
    ("quoted.csv", "Quotation marks, commas and lines in cells",
     'title,text,lat,lon\n"Mill","He said ""stay"",\nand I did",33.75,-84.39\n"Ferry",,33.5,-84.25\n'),
    ("cyrillic.csv", "CSV in Windows-1251, said by an option", table(*((*row, word) for row, word in zip(PLAIN, ("place", "\u041c\u043e\u0441\u043a\u0432\u0430", "")))).encode("cp1251"),
     ("--encoding", "windows-1251")),
    ("cyrillic-unsaid.csv", "CSV in Windows-1251, not said", table(*((*row, word) for row, word in zip(PLAIN, ("place", "\u041c\u043e\u0441\u043a\u0432\u0430", "")))).encode("cp1251"),
     (), "refused", "the encoding of the text was not recognised"),
    ("latin1.csv", "CSV in Latin-1, said by an option", table(*((*row, word) for row, word in zip(PLAIN, ("place", "Caf\xe9", "")))).encode("latin-1"),
     ("--encoding", "iso-8859-1")),
    ("gbif.csv", "GBIF: simple download",
     table(("gbifID", "scientificName", "eventDate", "decimalLatitude", "decimalLongitude", "coordinateUncertaintyInMeters"),
           ("1", "Mill", "1936-07-04T10:00", "33.75", "-84.39", "30"), ("2", "Ferry", "1940", "33.5", "-84.25", ""), delimiter="\t")),
    ("inaturalist.csv", "iNaturalist export",
     table(("id", "observed_on", "url", "image_url", "description", "latitude", "longitude", "positional_accuracy", "place_guess", "scientific_name", "common_name"),
           ("1", "1936-07-04", "https://example.org/1", "", "", "33.75", "-84.39", "5", "Atlanta", "Mill", "A mill"),
           ("2", "1940-07-04", "https://example.org/2", "", "", "33.5", "-84.25", "", "", "Ferry", ""))),
    ("omeka-import.csv", "Omeka: CSV Import+ with Dublin Core terms",
     table(("dcterms:title", "dcterms:date", "dcterms:spatial", "dcterms:subject", "geolocation:latitude", "geolocation:longitude"),
           ("Mill", "1936", "Atlanta", "work|river", "33.75", "-84.39"), ("Ferry", "1940", "", "", "33.5", "-84.25"))),
    ("storymap.csv", "StoryMapJS and TimelineJS tables",
     table(("Headline", "Text", "Media", "Latitude", "Longitude", "Year"), ("Mill", "A mill", "https://example.org/1.jpg", "33.75", "-84.39", "1936"),
           ("Ferry", "", "", "33.5", "-84.25", "1940"))),
    ("historypin.csv", "Historypin: bulk upload",
     table(("Title", "Description", "Date", "Tags", "Latitude", "Longitude", "Link"), ("Mill", "A mill", "1936", "work;river", "33.75", "-84.39", ""),
           ("Ferry", "", "1940", "", "33.5", "-84.25", ""))),
    ("contentdm.txt", "CONTENTdm: tab-delimited export",
     table(("Title", "Date", "Description", "Subject", "Latitude", "Longitude", "CONTENTdm number"), ("Mill", "1936", "A mill", "Work; River", "33.75", "-84.39", "1"),
           ("Ferry", "1940", "", "", "33.5", "-84.25", "2"), delimiter="\t")),
    ("airtable.csv", "Airtable: a view as CSV", 'Name,Notes,Coordinates,Tags\nMill,A mill,"33.75, -84.39","work,river"\nFerry,,"33.5, -84.25",\n'),
    ("wikidata.csv", "Wikidata query: CSV",
     table(("item", "itemLabel", "coord"), ("http://www.wikidata.org/entity/Q1", "Mill", "Point(-84.39 33.75)"),
           ("http://www.wikidata.org/entity/Q2", "Ferry", "Point(-84.25 33.5)")), ("--map", "title=itemLabel", "--map", "coordinates=coord")),
    ("epicollect.csv", "Epicollect5 entries",
     table(("ec5_uuid", "created_at", "title", "lat_1_Where", "long_1_Where", "accuracy_1_Where"),
           ("a", "2026-01-01T00:00:00.000Z", "Mill", "33.75", "-84.39", "5"), ("b", "2026-01-01T00:00:00.000Z", "Ferry", "33.5", "-84.25", "9")),
     ("--map", "lat=lat_1_Where", "--map", "lon=long_1_Where")),
    ("postgis.csv", "PostGIS: EWKT", table(("name", "geom"), ("Mill", "SRID=4326;POINT(-84.39 33.75)"), ("Ferry", "SRID=4326;POINT(-84.25 33.5)"))),
    ("minutes.csv", "Degrees and decimal minutes", table(("title", "lat", "lon"), ("Mill", "33° 45.000' N", "84° 23.400' W"), ("Ferry", "33° 30.000' N", "84° 15.000' W"))),
    ("references.csv", "Numbers without a sign, with N and W beside them",
     table(("title", "GPSLatitude", "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef"), ("Mill", "33.75", "N", "84.39", "W"), ("Ferry", "33.5", "North", "84.25", "West"))),
    ("overpass.geojson", "Overpass turbo: GeoJSON",
     features({"@id": "node/1", "name": "Mill", "historic": "mill"}, {"@id": "node/2", "name": "Ferry", "amenity": "ferry_terminal"},
              generator="overpass-turbo", timestamp="2026-01-01T00:00:00Z")),
    ("umap.geojson", "uMap: GeoJSON", features({"name": "Mill", "description": "A mill", "_umap_options": {"color": "Red"}}, {"name": "Ferry"}, _umap_options={"name": "Layer"})),
    ("sequence.geojsons", "GeoJSON text sequence (RFC 8142)",
     "".join("\x1e" + json.dumps(feature) + "\n" for feature in json.loads(features({"title": "Mill"}, {"title": "Ferry"}))["features"])),
    ("whg.jsonld", "Linked Places of the World Historical Gazetteer", LINKED),
    ("earth.kml", "Google Earth: folders, times, prefixes", GEORSS),
    ("mapsource.gpx", "GPX 1.0 in Latin-1", OLD_GPX.encode("latin-1")),
    ("garmin.gpx", "GPX of a Garmin device, with a track", GARMIN),
    ("basecamp.gpx", "GPX of Garmin BaseCamp: comments, links and times", BASECAMP),
    ("osmand.gpx", "GPX of OsmAnd: favorites in groups", OSMAND),
    ("geocaching.gpx", "GPX 1.0 of Geocaching: links", GEOCACHING),
    ("my-maps-media.kml", "Google My Maps: pictures and links", MEDIA),
    ("balloons.kml", "Google Earth: recordings, summaries and times", BALLOONS),
    ("gramps.ged", "GEDCOM of Gramps", GRAMPS, ("--privacy", "private")),
    ("ohms-gps.xml", "OHMS index of earlier versions", OHMS_GPS),
    ("topology.json", "TopoJSON", json.dumps(TOPOLOGY), (), "converted", "ogr2ogr"),
    ("letter.docx", "Word document", word_document, (), "refused", "spreadsheet"),
]
