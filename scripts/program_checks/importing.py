"""Files of stories: imported, imported again, exported, and refused when they are wrong."""
import concurrent.futures
import csv
import json
import os
import subprocess
import time

from program_checks.parts import part
from program_checks.prepared import OWN_STORIES, own_stories


@part()
def importing(here):
    """Imports a file for the first time and again."""
    here.write("own.csv", OWN_STORIES)
    here.run("stories", code=2)
    here.run("import", "own.csv", "--dry-run")
    left = [file.name for file in here.path.glob("waymark.db*")]
    here.check(not left, "a dry run leaves no database behind, nor a file beside one", left)
    here.run("import", "own.csv")
    here.check("0 new, 0 changed, 7 unchanged" in here.run("import", "own.csv").stdout, "importing again changes nothing")
    here.check(here.json("stories")["numberMatched"] == 7, "the list has the story without a location")


@part()
def killed_imports(here):
    """Kills imports at many moments; each time the same import again completes it, and no story is there twice."""
    count = 3_000
    rows = [f"s{number},Story {number},{number % 80 + 0.5},{number % 170},19{number % 90 + 10}" for number in range(count)]
    here.write("many.csv", "\n".join(["id,title,lat,lon,date", *rows]) + "\n")
    started = time.monotonic()
    here.run("import", "many.csv", "--database", "whole.db")
    whole = time.monotonic() - started
    for number in range(6):
        database = f"killed-{number}.db"
        with here.start("import", "many.csv", "--database", database, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(whole * (0.3 + 0.13 * number))
            process.kill()
        said = here.run("import", "many.csv", "--database", database).stdout
        # All or nothing was stored before.
        here.check(f"{count} new" in said or f"{count} unchanged" in said, "a killed import stored all or nothing", said)
        here.check(here.json("stories", "--database", database)["numberMatched"] == count, "every story is there once")
        here.run("check", "--database", database)


@part()
def columns(here):
    """Imports tables as other programs write them: other names, encodings and formats, and standard input."""
    here.write("de.csv", "Titel,Breite,Länge,Notiz\nMühle,47.5,8.5,x\n")
    chosen = ["--map", "title=Titel", "--map", "lat=Breite", "--map", "lon=Länge", "--ignore", "Notiz"]
    printed = here.run("import", "de.csv", "--columns", *chosen).stdout
    here.check("Breite" in printed and "lat" in printed and "ignored" in printed, "--columns prints what is read", printed)
    here.check(not (here / "waymark.db").exists(), "--columns stores nothing")
    here.check("1 new" in here.run("import", "de.csv", *chosen).stdout, "columns are read as --map says")
    here.run("import", "de.csv", "--map", "lat=Nord", code=2)
    for encoding in ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"]:
        name = f"{encoding}.csv"
        (here / name).write_bytes("title,lat,lon\nCafé Zürich,47.5,8.5\n".encode(encoding))
        here.check("1 new" in here.run("import", name).stdout, f"{encoding} is read")
    said = here.run("import", "utf-8-sig.csv", "--encoding", "iso-8859-1", "--dry-run", code=2).stderr
    here.check("leave out --encoding" in said, "the mark of a file denies another encoding", said)
    here.write("plain.csv", "title\nCafé\n")
    said = here.run("import", "plain.csv", "--encoding", "iso-8859-1", "--dry-run").stderr
    here.check("the file is valid UTF-8" in said, "UTF-8 read as another encoding gets a remark", said)
    titles = [feature["properties"]["title"] for feature in here.json("export")["features"]]
    piped = subprocess.run([here.program, "import", "-", "--source", "piped", "--database", "piped.db"], cwd=here.path,
                           input="title,lat,lon\nA,1,2\n", text=True, capture_output=True, timeout=60)
    here.check("standard-input: 1 new" in piped.stdout, "standard input is read", piped.stdout + piped.stderr)
    here.write("a.geojson", '{"type":"Feature","geometry":null,"properties":{"dc:title":"A","Access restrictions":"x"}}')
    printed = here.run("import", "a.geojson", "--columns").stdout
    here.check("2 columns, geojson" in printed and "dc:title" in printed and "looks like a privacy setting" in printed,
               "--columns prints the properties of features", printed)
    here.check(titles.count("Café Zürich") == 4, "no letter is lost", titles)
    here.write("when.csv", "title,When\nA,ca. 1950\nB,after church\n")
    done = here.run("import", "when.csv", "--database", "when.db")
    here.check("when.csv:3: date: When is not a date here" in done.stderr, "words under When are left out", done.stderr)
    dates = [story["properties"]["date"] for story in here.json("export", "--database", "when.db")["features"]]
    here.check(sorted(filter(None, dates)) == ["ca. 1950"], "a date under When is read", dates)
    here.write("long.json", '[{"id":9007199254740993,"title":12345678901234567890,"lat":1,"lon":2}]')
    here.run("import", "long.json", "--database", "long.db")
    kept = here.json("export", "--database", "long.db")["features"][0]["properties"]["title"]
    here.check(kept == "12345678901234567890", "a long number keeps its digits", kept)
    here.write("restricted.csv", "title,privacy\nA,private\nB,\n")
    here.check("privacy" in here.run("import", "restricted.csv", code=2).stderr, "an empty privacy is refused")


@part()
def angle_columns(here):
    """Imports degrees, minutes, seconds and hemispheres in columns of their own; names columns of feet that are not read."""
    here.write("parts.csv", "title,Lat Deg,Lat Min,Lat Sec,Lat Dir,Lon Deg,Lon Min,Lon Sec,Lon Dir\nA,33,45,18,N,84,23,24,W\n")
    here.check("1 new" in here.run("import", "parts.csv").stdout, "they are read")
    at = here.json("export")["features"][0]["geometry"]["coordinates"]
    here.check(abs(at[0] + 84.39) < 1e-6 and abs(at[1] - 33.755) < 1e-6, "as one position", at)
    for parts, words in [("abc,45,N,84,1,W", 'lat: has "abc" for its degrees'), ("33.5,45,N,84,1,W", "write decimal degrees alone"),
                         ("33,45,Q,84,1,W", "in the column Lat Dir; write N or S")]:
        here.write("wrong.csv", f"title,Lat Deg,Lat Min,Lat Dir,Lon Deg,Lon Min,Lon Dir\nA,{parts}\n")
        said = here.run("import", "wrong.csv", code=2).stderr
        here.check(words in said and "lon: " not in said, f"only what is wrong is named: {parts}", said)
    here.write("bad.csv", "title,LatDeg,LatMin,LonDeg,LonMin\nA,33,75,-84,23\n")
    here.check("write a number from 0 to 59" in here.run("import", "bad.csv", code=2).stderr, "75 minutes are refused")
    here.write("x.csv", "title,x_feet,y_feet\nA,989503,208559\n")
    said = here.run("import", "x.csv", "--dry-run").stderr
    here.check("look like positions in feet" in said and "--crs EPSG:" in said, "feet are named with what to do", said)


@part()
def photo_tables(here):
    """Imports what `exiftool -csv` writes of photographs without titles; only with a privacy, as a folder of them."""
    here.write("exif.csv", "SourceFile,FileName,GPSLatitude,GPSLongitude\n./a/Old Mill.jpg,Old Mill.jpg,33.75,-84.39\n")
    refused = here.run("import", "exif.csv", code=2).stderr
    here.check("--privacy" in refused, "photographs may be of homes", refused)
    here.check("1 new" in here.run("import", "exif.csv", "--privacy", "public").stdout, "with a privacy they are read")
    titles = [feature["properties"]["title"] for feature in here.json("export")["features"]]
    here.check(titles == ["Old Mill"], "the name of the file is the title", titles)


@part()
def privacy_guesses(here):
    """Asks about columns and names that may restrict stories, all at once, and not about those that say nothing of it."""
    here.write("guess.csv", "title,Access,Notes,Consent\nA,closed,x,no\n")
    said = here.run("import", "guess.csv", code=2).stderr
    here.check("Access looks like a privacy setting, and so does Consent. Give --map 'privacy=Access'" in said
               and "; do the same for the others" in said, "one error names all columns that may restrict", said)
    said = here.run("import", "guess.csv", "--privacy", "public").stderr
    names = [name for name in ("Access", "Notes", "Consent") if said.count(f"{name} looks like a privacy setting and is not read") == 1]
    here.check(names == ["Access", "Consent"], "a file that is given as public has a warning of each column", said)
    said = here.run("import", "guess.csv", "--privacy", "private", "--database", "other.db").stderr
    here.check("looks like a privacy setting" not in said, "a file that is given as private has none", said)
    here.write("open.csv", "title,Access,Restrictions,School type\nA,Open for research,None,Private\nSealed until 1998,Open,,Public\n")
    here.check("2 new" in here.run("import", "open.csv").stdout, "columns that restrict nothing are left out")
    for name, value in [("公開しない", "○"), ("非公開", ""), ("不公开", "是"), ("保密", ""), ("Closed", "yes"), ("Closed", "until 2090")]:
        here.write("asked.csv", f"title,{name}\nA,{value}\nB,\n")
        said = here.run("import", "asked.csv", "--dry-run", code=2).stderr
        here.check(f"{name} looks like a privacy setting" in said, f"a column {name} is asked about", said)
    here.write("gap.csv", "title,Access\nA,Open\nB,\n")
    here.check("Access" in here.run("import", "gap.csv", code=2).stderr, "an empty cell among open ones is not open")
    for name, code in [("Hidden history", 0), ("Hidden Atlanta", 2), ("Private schools", 0), ("Private", 2), ("Hidden", 2)]:
        mark = "<Placemark><name>A</name></Placemark>"
        here.write("folder.kml", f"<kml><Document><Folder><name>{name}</name>{mark}</Folder></Document></kml>")
        here.run("import", "folder.kml", "--dry-run", code=code)


@part()
def elements(here):
    """Reads what waypoints and placemarks say besides their names: links, comments, summaries and times."""
    here.write("walk.gpx", """<gpx version="1.1"><wpt lat="1" lon="2"><time>2001-05-03T02:30:00Z</time><name>Mill</name><cmt>Closed in 1936</cmt>
        <desc>By the river</desc><link href="https://example.org/ida.mp3"/><sym>Flag, Blue</sym><type>Work</type></wpt></gpx>""")
    said = here.run("import", "walk.gpx", "--database", "gpx.db").stderr
    here.check("nothing was read from the element sym (1 row)" in said, "an element without a field is named", said)
    story = here.json("export", "--database", "gpx.db")["features"][0]["properties"]
    here.check(story["media_url"] == "https://example.org/ida.mp3" and story["tags"] == ["Work"], "the link is the recording", story)
    here.check(story["text"] == "By the river\n\nClosed in 1936" and story["date"] == "2001-05-03T02:30:00Z", "comment and time are kept", story)
    here.run("export", "-o", "again.gpx", "--database", "gpx.db")
    here.run("import", "again.gpx", "--database", "again.db")
    again = here.json("export", "--database", "again.db")["features"][0]["properties"]
    fields = ("title", "text", "date", "kind", "tags", "media_url", "thumbnail_url")
    here.check(all(again[field] == story[field] for field in fields), "our own GPX comes back", [again, story])
    here.write("earth.kml", """<kml><Document><Placemark><name>Mill</name><Snippet>An old mill</Snippet><description><![CDATA[<img
        src="https://example.org/a.jpg">See <a href="https://example.org/p">the page</a><img src="files/b.jpg">]]></description>
        <TimeStamp><when>2001-05-03T02:30:00Z</when></TimeStamp></Placemark></Document></kml>""")
    said = here.run("import", "earth.kml", "--database", "kml.db").stderr
    here.check("the first is files/b.jpg" in said, "a file beside the document is counted", said)
    story = here.json("export", "--database", "kml.db")["features"][0]["properties"]
    here.check(story["text"] == "See the page (https://example.org/p)\n\nAn old mill", "links are in the text", story)
    here.check(story["thumbnail_url"] == "https://example.org/a.jpg" and story["date"] == "2001-05-03T02:30:00Z", "picture and time are kept", story)


@part()
def dry_runs(here):
    """Runs many dry runs of a first import at once: each keeps its scratch database to its end, and removes it then."""
    here.write("own.csv", OWN_STORIES)
    (here / "scratch").mkdir()
    environment = {"TMPDIR": str(here / "scratch")}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(here.finish, "import", "own.csv", "--dry-run", environment=environment) for _ in range(24)]
    for done in (run.result() for run in runs):
        here.check(done.returncode == 0 and "7 would be new" in done.stdout, "a dry run counts what is new", done.stderr)
    here.check(not os.listdir(here / "scratch"), "dry runs remove their scratch databases", os.listdir(here / "scratch"))
    here.check(not (here / "waymark.db").exists(), "a dry run leaves no database behind")


@part(own_stories)
def exporting(here):
    """Exports everything in each format, and imports what was exported."""
    for form, count in [("geojson", lambda t: len(json.loads(t)["features"])), ("ndjson", lambda t: len(t.splitlines())),
                        ("csv", lambda t: len(list(csv.DictReader(t.splitlines()))))]:
        here.check(count(here.run("export", "--format", form).stdout) == 7, f"export --format {form} has everything")
    here.write("again.csv", here.run("export", "--format", "csv", "--bbox", "0,-90,180,90").stdout)
    here.check("3 new" in here.run("import", "again.csv", "--database", "again.db").stdout, "what was exported can be imported")


@part(own_stories)
def bad_files(here):
    """Refuses files that are no stories, names the file, and changes nothing."""
    before = here.run("stories").stdout
    files = {
        "empty.csv": "", "header.csv": "title,lat,lon\n", "lat91.csv": "title,lat,lon\nx,91,0\n",
        "words.csv": "title,lat,lon\nx,north,0\n", "untitled.csv": "lat,lon\n1,2\n", "broken.geojson": '{"type":"Feature',
        "unseen.csv": "title,lat,lon\n\u200b,1,2\n", "half.csv": "title,lat,lon\nx,1,\n", "quote.csv": 'title,lat,lon\n"x,1,2\n',
    }
    for name, content in files.items():
        here.write(name, content)
        error = here.run("import", name, code=2).stderr
        here.check(name in error, f"the error of {name} names the file", error)
    (here / "binary.csv").write_bytes(os.urandom(4096))
    here.check("the file is binary" in here.run("import", "binary.csv", code=2).stderr, "a file that is no text says so")
    (here / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0" + os.urandom(400))
    here.check("give its folder" in here.run("import", "a.jpg", code=2).stderr, "the refusal of a photograph says what to give")
    here.check("lat91.csv:2:" in here.run("import", "lat91.csv", code=2).stderr, "the error names the row")
    here.run("import", "absent.csv", code=2)
    (here / "papers").mkdir()
    error = here.run("import", "papers", code=2).stderr
    here.check("give --privacy" in error, "the options are checked before a folder is walked", error)
    error = here.run("import", "papers", "--privacy", "private", code=2).stderr
    here.check("without JPEG, PNG or WebP pictures" in error, "a folder without pictures is refused", error)
    here.run("import", "own.csv", "--owner", "nobody", code=2)
    here.run("import", "own.csv", "--crs", "EPSG:999999", code=2)
    here.check(here.run("stories").stdout == before, "bad input changes nothing")
