"""Imports are recorded, undone, replaced and reported, also beside a running service."""
import csv
import json
import os
import shutil
import signal
import struct
import subprocess
import time
import zipfile

from program_checks.parts import ROOT, LeftOut, part


def letters(numbers, suffix=""):
    rows = [f"{number},Letter {number}{suffix},{number % 80 + 0.5},{number % 170 + 0.5}" for number in numbers]
    return "\n".join(["id,title,lat,lon", *rows]) + "\n"


@part()
def imports(here):
    """Lists, shows and undoes imports, replaces what a source no longer has, and knows a renamed file."""
    here.write("letters.csv", letters(range(10)))
    here.run("import", "letters.csv")
    listed = json.loads(here.run("imports", "list").stdout)
    here.check([(one["number"], one["state"], one["new"], one["file"]) for one in listed] == [(1, "complete", 10, "letters.csv")],
               "an import is listed", listed)
    here.write("renamed.csv", letters(range(10)))
    error = here.run("import", "renamed.csv", code=2).stderr
    here.check("same content as import 1" in error and "--source 'letters'" in error, "a renamed file is recognised", error)
    here.write("renamed.csv", letters(range(11)))
    here.check("--source 'letters'" in here.run("import", "renamed.csv", code=2).stderr, "also if it has more rows")
    here.write("letters.csv", letters(range(4), "!") + letters(range(4, 8)).split("\n", 1)[1])
    here.check("4 would be changed" in here.run("import", "letters.csv", "--dry-run", "--replace").stdout, "a dry run counts")
    said = here.run("import", "letters.csv", "--replace").stdout
    here.check("4 changed, 4 unchanged, 2 removed" in said, "what the source no longer has is removed", said)
    here.write("letters.csv", letters(range(2)))
    here.check("--yes" in here.run("import", "letters.csv", "--replace", code=2).stderr, "most of a source is not removed unasked")
    here.check(here.json("stories")["numberMatched"] == 8, "and nothing was changed")
    replaced = json.loads(here.run("imports", "list").stdout)[0]["number"]
    dry = here.run("imports", "undo", replaced, "--dry-run").stdout
    here.check("4 would be put back; 2 would be brought back" in dry, "undoing is announced", dry)
    here.run("imports", "undo", replaced)
    titles = sorted(feature["properties"]["title"] for feature in here.json("export")["features"])
    here.check(titles == sorted(f"Letter {number}" for number in range(10)), "undoing puts everything back", titles)
    here.check("undone already" in here.run("imports", "undo", replaced).stdout, "undoing twice says so")
    here.run("imports", "undo", "1")
    here.check(here.json("stories")["numberMatched"] == 0, "what an import created goes")
    here.write("letters.csv", letters(range(10)))
    here.check("10 new" in here.run("import", "letters.csv").stdout, "an undone file can be imported again")
    here.run("users", "add", "ana")
    here.write("diary.csv", letters(range(20, 23)))
    here.run("import", "diary.csv", "--owner", "ana", "--privacy", "private")
    for dry in ([], ["--dry-run"]):
        error = here.run("import", "diary.csv", "--source", "diary", *dry, code=2).stderr
        here.check("(diary.csv), whose stories belong to ana" in error and "--owner ana" in error and "--owner archive" in error,
                   "a forgotten owner is noticed", error)
    here.check("3 unchanged" in here.run("import", "diary.csv", "--owner", "ana", "--privacy", "private").stdout, "and named by the message")
    here.check("3 new" in here.run("import", "diary.csv", "--owner", "archive").stdout, "stories are stored twice on purpose")
    here.run("imports", "undo", "99", code=2)
    here.run("check")


@part()
def import_reports(here):
    """Writes every problem of an import to a table, and refuses kinds that nobody has."""
    rows = ["id,title,lat,lon,kind,date"] + [f"{number},Letter {number},{100 if number % 2 else 1},1,photo,?!" for number in range(60)]
    here.write("bad.csv", "\n".join(rows) + "\n")
    here.run("import", "bad.csv", "--report", "report.csv", code=2)
    with open(here / "report.csv", encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    errors = [row for row in found if row["severity"] == "error"]
    here.check(len(errors) == 30 and {row["file"] for row in errors} == {"bad.csv"}, "every error is in the report", found[:3])
    here.check(all(row["row"].isdigit() and row["problem"] for row in errors), "with its row and what is wrong", errors[:3])
    here.run("import", "bad.csv", "--report", "report.ndjson", "--skip-bad-rows")
    lines = [json.loads(line) for line in (here / "report.ndjson").read_text().splitlines()]
    here.check(len([line for line in lines if line["severity"] == "error"]) == 30, "also as JSON")
    here.run("import", "bad.csv", "--report", "report.pdf", code=2)
    here.write("kinds.csv", "id,title,kind\n1,A,fotos\n")
    error = here.run("import", "kinds.csv", code=2).stderr
    here.check("--new-kinds" in error and "photo" in error, "an unknown kind is refused with the flag and the nearest kind", error)
    here.check("1 new" in here.run("import", "kinds.csv", "--new-kinds").stdout, "and accepted with it")
    here.write("plain.csv", "id,title\n1,A\n")
    error = here.run("import", "plain.csv", "--kind", "intervew", code=2).stderr
    here.check("did you mean interview?" in error and "--new-kinds adds it" in error, "so is a mistyped kind for the whole file", error)
    here.check("1 new" in here.run("import", "plain.csv", "--kind", "diary", "--new-kinds").stdout, "which may be new on purpose")
    here.check("1 unchanged" in here.run("import", "plain.csv", "--kind", "diary").stdout, "and is known then")
    here.write("kinds.csv", "id,title,kind\n1,A,fotos\n2,B,fotos\n")
    here.check("1 new" in here.run("import", "kinds.csv").stdout, "a kind that stories have is known")


@part()
def killed_undoing(here):
    """Kills the undoing of an import in the middle; the repetition does the rest."""
    here.write("many.csv", letters(range(1_500)))
    here.run("import", "many.csv")
    started = time.monotonic()
    with here.start("imports", "undo", "1", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while time.monotonic() - started < 30:
            left = here.json("stories")["numberMatched"]
            if left < 1_400 or process.poll() is not None:
                break
        process.kill()
    here.check(0 < left < 1_500, "it was killed in the middle", left)
    here.check(json.loads(here.run("imports", "list").stdout)[0]["state"] == "undoing", "the list says so")
    here.run("imports", "undo", "1")
    here.check(here.json("stories")["numberMatched"] == 0, "the repetition removes the rest")
    here.check(json.loads(here.run("imports", "list").stdout)[0]["state"] == "undone", "and is complete")
    here.run("check")


@part()
def beside_a_service(here):
    """Commands that write are carried out by the running service, with the same output and files."""
    here.write("letters.csv", letters(range(300)))
    here.write("areas.geojson", json.dumps({"type": "FeatureCollection", "features": [{
        "type": "Feature", "properties": {"precision": "approximate", "cell": 0.1},
        "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [5, 0], [5, 5], [0, 5], [0, 0]]]}}]}))
    here.run("users", "add", "ana")
    with here.serving():
        dry = here.run("import", "letters.csv", "--owner", "ana", "--dry-run").stdout
        here.check("300 would be new" in dry, "a dry run works beside a service", dry)
        listed = here.run("import", "letters.csv", "areas.geojson", "--columns").stdout
        here.check("letters.csv: 4 columns" in listed and "areas.geojson: 2 columns" in listed, "--columns does too", listed)
        said = here.run("import", "letters.csv", "--owner", "ana", "--report", "report.csv").stdout
        here.check("letters.csv: 300 new, 0 changed, 0 unchanged" in said, "the service imports for the command", said)
        here.check((here / "report.csv").read_text().startswith("file,row"), "the report is where the command runs")
        piped = subprocess.run([here.program, "import", "-", "--owner", "ana", "--source", "letters"], cwd=here.path,
                               input=letters(range(301)), text=True, capture_output=True, timeout=60).stdout
        here.check("1 new, 0 changed, 300 unchanged" in piped, "standard input reaches the service", piped)
        here.run("import", "absent.csv", "--owner", "ana", code=2)
        here.check(here.json("stories")["numberMatched"] == 301, "the stories are there")
        for arguments in [["users", "add", "cora"], ["users", "opt-in", "cora"], ["users", "opt-out", "cora"],
                          ["families", "add", "smith", "--owner", "ana"], ["families", "join", "smith", "cora"],
                          ["families", "leave", "smith", "cora"], ["areas", "load", "areas.geojson"], ["areas", "clear"],
                          ["tokens", "issue", "--user", "ana", "--refresh"], ["tokens", "key", "--user", "ana"],
                          ["retained", "purge", "--older-than", "0", "--yes"], ["imports", "undo", "2"], ["imports", "undo", "1"],
                          ["erase", "--user", "cora", "--yes"]]:
            done = here.finish(*arguments)
            here.check(done.returncode == 0, f"{' '.join(arguments)} works beside a service", done.stderr)
        here.run("users", "add", "no id", code=2)
        here.check(here.json("stories")["numberMatched"] == 0, "undoing is seen at once")


@part()
def other_commands_beside_a_service(here):
    """Every other kind of command works while the service runs too: what changes something, and what only reads."""
    here.write("letters.csv", letters(range(5)))
    here.run("users", "add", "ana")
    with here.serving():
        here.run("import", "letters.csv", "--owner", "ana")
        shown = json.loads(here.run("imports", "show", "1").stdout)
        here.check((shown["number"], shown["new"], shown["state"]) == (1, 5, "complete"), "an import is shown", shown)
        here.run("imports", "show", "99", code=2)
        here.run("users", "add", "ben")
        here.run("users", "link", "ben", "--oidc-issuer", "https://login.example.org", "--subject", "7")
        here.run("families", "add", "reed", "--owner", "ana")
        here.run("families", "remove", "reed")
        collection = here.run("collections", "add", "Letters", "--owner", "ana", "--privacy", "public").stdout.strip()
        place = here.run("places", "add", "Farm", "33.75", "-84.37", "--owner", "ana", "--privacy", "private").stdout.strip()
        here.check(collection in here.run("collections", "list").stdout, "a collection is there at once")
        here.check(place in here.run("places", "list", "--as", "ana").stdout, "so is a place with a name")
        here.run("collections", "remove", collection)
        here.run("places", "remove", place)
        here.run("tokens", "key", "--user", "ana", "--name", "script")
        keys = json.loads(here.run("tokens", "keys", "--user", "ana").stdout)
        here.run("tokens", "revoke", keys[0]["id"])
        here.check(not json.loads(here.run("tokens", "keys", "--user", "ana").stdout), "a key is revoked at once")
        here.run("outbox", "replay", "--all")
        here.run("users", "remove", "ben", "--yes")
        for arguments in [["users", "list"], ["families", "list"], ["imports", "list"], ["retained", "list"], ["reports", "list"],
                          ["areas", "list"], ["outbox", "counts"], ["outbox", "list"], ["stories"], ["export"], ["export", "-o", "all.gpkg"],
                          ["histogram", "--from", "1900", "--to", "1999"], ["gazetteer", "info"], ["keys", "list"], ["check"], ["backup", "all.backup"]]:
            done = here.finish(*arguments)
            here.check(done.returncode == 0, f"{' '.join(arguments)} works beside a service", done.stderr)
        here.check(here.json("stories")["numberMatched"] == 5, "and nothing else was changed")


@part()
def refused_beside_a_service(here):
    """A file that is refused gets the same words and exit code with and without a service."""
    here.run("users", "add", "ana")
    here.write("bad.csv", "id,title,lat,lon\n1,One,95,0\n2,,1,1\n")
    here.write("restricted.csv", "id,title,Access restrictions\n1,One,closed\n")
    here.write("kinds.csv", "id,title,kind\n1,A,fotos\n")
    here.write("words.csv", "nothing that anybody reads\n")
    here.write("empty.csv", "")
    files = ["bad.csv", "restricted.csv", "kinds.csv", "words.csv", "empty.csv"]

    def said():
        done = [here.finish("import", file, "--owner", "ana") for file in files]
        return [(one.returncode, one.stdout, one.stderr) for one in done]

    alone = said()
    here.check(all(code == 2 for code, _, _ in alone), "every file is refused", alone)
    with here.serving():
        beside = said()
    here.check(beside == alone, "with the same words and code beside a service", (alone, beside))
    here.check(json.loads(here.run("imports", "list").stdout) == [], "and none of them is recorded")


def described(photograph, caption, taken):
    """A JPEG with a caption and a time, as a camera writes them."""
    texts = [(tag, text.encode() + b"\0") for tag, text in [(0x010E, caption), (0x0132, taken)]]
    head, rest = struct.pack("<H", len(texts)), b""
    for tag, text in texts:
        head += struct.pack("<HHII", tag, 2, len(text), 8 + 2 + 12 * len(texts) + 4 + len(rest))
        rest += text
    segment = b"Exif\0\0II*\0" + struct.pack("<I", 8) + head + b"\0\0\0\0" + rest
    return photograph[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + photograph[2:]


@part()
def photographs_beside_a_service(here):
    """A folder of photographs, and a Shapefile with the files beside it, are imported the same with and without a service."""
    samples = ROOT / "Tests" / "PicturesTests" / "Samples"
    (here / "photos" / "farm").mkdir(parents=True)
    for name, sample in [("a.jpg", "turned-1.jpg"), ("farm/b.jpg", "turned-6.jpg"), ("c.png", "clear.png"), ("farm/d.webp", "clear.webp")]:
        shutil.copyfile(samples / sample, here / "photos" / name)
    (here / "photos" / "e.jpg").write_bytes(described((samples / "grey.jpg").read_bytes(), "The well", "1936:05:04 14:05:00"))
    with zipfile.ZipFile(ROOT / "Tests" / "ImportingTests" / "Samples" / "areas.zip") as archive:
        archive.extractall(here / "shape")
    (here / "photos" / "cut.jpg").write_bytes(b"no picture")
    (here / "photos" / "half.jpg").write_bytes((samples / "turned-2.jpg").read_bytes()[:300])
    (here / "photos" / "late.jpg").write_bytes(described((samples / "grey.jpg").read_bytes(), "Late", "2999:05:04 14:05:00"))
    command = ["import", "photos", "--privacy", "private", "--owner", "ana", "--skip-bad-rows", "--report", "report.csv"]

    def imported(database):
        first = here.run(*command, "--database", database)
        report = (here / "report.csv").read_text()
        here.check("6 new" in first.stdout and "1 row skipped" in first.stdout, "the photographs are imported", first.stdout)
        again = here.run(*command, "--database", database)
        here.check("0 new, 0 changed, 6 unchanged" in again.stdout, "a second time changes nothing", again.stdout)
        shape = here.run("import", "shape/stories.shp", "--owner", "ana", "--database", database).stdout
        here.check("2 new" in shape, "the table beside a Shapefile is read", shape)
        features = here.json("export", "--as", "ana", "--database", database)["features"]
        told = sorted(json.dumps([feature["geometry"], *(feature["properties"].get(name) for name in ("title", "date", "kind", "privacy"))])
                      for feature in features)
        pictures = sum(1 for feature in features if feature["properties"].get("thumbnail"))
        return told, pictures, first.stdout, first.stderr, report, again.stderr, shape

    for database in ("alone.db", "beside.db"):
        here.run("users", "add", "ana", "--database", database)
    error = here.run("import", "photos", "--owner", "ana", "--database", "alone.db", code=2).stderr
    here.check("give --privacy" in error, "photographs are not published unasked", error)
    alone = imported("alone.db")
    told, pictures, _, errors, report = alone[:5]
    here.check(len(told) == 8 and pictures == 5, "every picture that can be decoded has a small one", (pictures, told))
    here.check(any('"The well"' in one and '"1936-05-04' in one for one in told), "the caption and the time are read", told)
    here.check(sum(1 for one in told if "-84.3736111" in one) == 3, "so are the positions", told)
    for name, words in [("cut.jpg", "is damaged"), ("half.jpg", "has no small picture"), ("late.jpg", ": date: ")]:
        here.check(any(f"photos/{name}" in line and words in line for line in errors.splitlines()), f"the remark on {name} names it", errors)
    here.check("photos/late.jpg," in report, "so does the report", report)
    with here.serving("--database", "beside.db"):
        error = here.run("import", "photos", "--owner", "ana", "--database", "beside.db", code=2).stderr
        here.check("give --privacy" in error, "nor beside a service", error)
        beside = imported("beside.db")
    here.check(beside == alone, "the same beside a service", (alone, beside))


@part()
def converted_by_gdal(here):
    """Reads FlatGeobuf where GDAL is installed, also from a pipe and beside a service; elsewhere the refusal says what helps."""
    sample = (ROOT / "Tests" / "ImportingTests" / "Samples" / "layer.fgb").read_bytes()
    (here / "layer.fgb").write_bytes(sample)
    (here / "renamed.fgb").write_bytes(sample)
    (here / "cut.fgb").write_bytes(sample[:200])
    (here / "none").mkdir()
    here.run("users", "add", "ana")

    def refused():
        done = here.finish("import", "layer.fgb", environment={"PATH": str(here / "none")})
        return done.returncode, done.stdout, done.stderr

    alone = refused()
    here.check(alone[0] == 2 and "'ogr2ogr -f GeoJSON layer.geojson layer.fgb', or install gdal-bin" in alone[2],
               "without GDAL the refusal names the command and the package", alone)
    with here.serving():
        beside = refused()
    here.check(beside == alone, "with the same words and code beside a service", (alone, beside))
    if not shutil.which("ogr2ogr"):
        raise LeftOut("GDAL's programs are missing (apt-get install gdal-bin)")
    here.check("title" in here.run("import", "layer.fgb", "--columns").stdout, "--columns prints what is read")
    here.check("2 would be new" in here.run("import", "layer.fgb", "--dry-run").stdout, "a dry run counts")
    here.check("2 new" in here.run("import", "layer.fgb", "--database", "alone.db").stdout, "FlatGeobuf is read")
    with here.serving():
        done = here.run("import", "layer.fgb", "--report", "report.csv")
        here.check("2 new" in done.stdout, "also beside a service", done.stdout)
        said = "converted the file from FlatGeobuf"
        here.check("GDAL " in done.stderr and said in done.stderr and said in (here / "report.csv").read_text(),
                   "what converted it is said and reported", done.stderr)
        here.check("2 unchanged" in here.run("import", "layer.fgb").stdout, "a second time changes nothing")
        piped = subprocess.run([here.program, "import", "-", "--source", "layer"], cwd=here.path, input=sample,
                               capture_output=True, timeout=60).stdout.decode()
        here.check("2 unchanged" in piped, "standard input is converted", piped)
        error = here.run("import", "renamed.fgb", code=2).stderr
        here.check("same content as import" in error, "a renamed file is recognised by what it was", error)
        error = here.run("import", "cut.fgb", code=2).stderr
        here.check("cut.fgb: GDAL " in error and "cannot convert the file: ERROR" in error and error.count("ERROR") == 1, "GDAL's words are passed on", error)
    (here / "half.fgb").write_bytes(sample[:900])
    error = here.run("import", "half.fgb", "--database", "alone.db", code=2).stderr
    here.check("cannot convert the file: ERROR" in error and "-skipfailures" not in error, "without an option of GDAL's own", error)
    printed = here.run("import", "layer.fgb", "--columns").stdout
    here.check("columns, flatgeobuf" in printed.splitlines()[0], "--columns names the format that was given", printed)
    files = {one["file"] for one in json.loads(here.run("imports", "list").stdout)}
    here.check(files == {"layer.fgb", "standard-input"}, "the list names the files as they were given", files)


@part()
def interrupted_conversions(here):
    """Ctrl-C and a signal to end leave nothing of a conversion behind."""
    shutil.copyfile(ROOT / "Tests" / "ImportingTests" / "Samples" / "layer.fgb", here / "layer.fgb")
    for folder in ("programs", "scratch"):
        (here / folder).mkdir()
    here.write("programs/ogr2ogr", "#!/bin/sh\ncase \"$1\" in\n--version) echo 'GDAL 9.9.9, released 2026/01/01' ;;\n--formats) "
               "printf '  FlatGeobuf -vector- (rw+v): x\\n  GeoJSONSeq -vector- (rw+v): x\\n' ;;\n*) exec sleep 120 ;;\nesac\n")
    (here / "programs" / "ogr2ogr").chmod(0o700)
    environment = {"PATH": f"{here / 'programs'}:{os.environ['PATH']}", "TMPDIR": str(here / "scratch")}
    for number in (signal.SIGINT, signal.SIGTERM):
        with here.start("import", "layer.fgb", environment=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            for _ in range(600):
                # The second file is what the conversion itself writes.
                if list(here.path.glob("scratch/waymark-gdal-*/output")):
                    break
                time.sleep(0.05)
            time.sleep(0.5)
            process.send_signal(number)
            try:
                code = process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                code = None
        left = os.listdir(here / "scratch")
        here.check(code not in (0, None) and not left, f"{number.name} ends a conversion and leaves nothing", (code, left))


@part()
def cancelled_beside_a_service(here):
    """An import that a service has under way is cancelled by a command, and by Ctrl-C of its own command; nothing is left."""
    here.run("users", "add", "ana")
    here.write("many.csv", letters(range(20_000)))

    def stored():
        return json.loads(here.run("imports", "list").stdout)

    def begun(count):
        for _ in range(600):
            found = stored()
            if len(found) == count and found[0]["new"] > 0:
                return found[0]
            time.sleep(0.05)
        return here.check(False, "the import begins", stored())

    with here.serving():
        with here.start("imports", "cancel", "7", stderr=subprocess.PIPE, text=True) as process:
            here.check("no import 7" in process.communicate(timeout=60)[1], "an unknown number is refused")
        with here.start("import", "many.csv", "--owner", "ana", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            number = begun(1)["number"]
            said = here.run("imports", "cancel", number).stdout
            here.check(said.startswith("cancelled; ") and "deleted" in said, "it is cancelled and undone", said)
            words = process.communicate(timeout=60)[1]
            here.check(process.returncode == 1 and "cancelled" in words, "its own command says so", words)
        here.check(stored()[0]["state"] == "undone" and here.json("stories")["numberMatched"] == 0, "nothing is left", stored())
        here.check("not under way" in here.run("imports", "cancel", number, code=2).stderr, "it cannot be cancelled twice")
        with here.start("import", "many.csv", "--owner", "ana", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            begun(2)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        for _ in range(600):
            if stored()[0]["state"] == "undone":
                break
            time.sleep(0.1)
        here.check(stored()[0]["state"] == "undone" and here.json("stories")["numberMatched"] == 0, "Ctrl-C undoes it", stored())
    here.run("check")
