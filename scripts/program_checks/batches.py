"""Whole files to be geocoded: every row kept, and finished after a run broke off."""
import csv
import gzip
import subprocess
import time

from program_checks.parts import part

COMMAND = ["geocode", "--batch", "batch.csv", "--column", "born in", "--output", "found.csv"]


@part()
def batch(here):
    """Geocodes a file, whole and then finished after it broke off in the middle of a row."""
    with open(here / "batch.csv", "w", encoding="utf-8") as file:
        file.write('id,"born in"\n')
        file.writelines(f'{number},"Selma,\nAL"\n' if number % 3 else f"{number},qwxzzy\n" for number in range(3000))
    found = here / "found.csv"
    here.run(*COMMAND)
    whole = found.read_bytes()
    rows = list(csv.reader(whole.decode().splitlines(keepends=True)))
    here.check(len(rows) == 3001 and [row[0] for row in rows[1:]] == [str(number) for number in range(3000)], "batch keeps order")
    here.check(all(("Alabama" in row[4]) == (int(row[0]) % 3 != 0) for row in rows[1:]), "batch finds places")
    found.write_bytes(whole[:len(whole) // 2])
    here.run(*COMMAND)
    here.check(found.read_bytes() == whole, "batch goes on where it broke off")
    for change in (["--country", "fr"], ["--min-confidence", "0.999"]):
        refused = here.run(*COMMAND, *change, code=2).stderr
        here.check("other options" in refused, f"answers with {change[0]} do not go behind those without", refused)
    here.write("other.csv", (here / "batch.csv").read_text(encoding="utf-8").replace("Selma", "Salem"))
    refused = here.run("geocode", "--batch", "other.csv", *COMMAND[3:], code=2).stderr
    here.check("found.csv:3:" in refused and "other.csv:3" in refused, "answers of another table are refused with the row", refused)
    here.check(found.read_bytes() == whole, "what was refused changed nothing")
    (here / "batch.csv.gz").write_bytes(gzip.compress((here / "batch.csv").read_bytes()))
    here.run("geocode", "--batch", "batch.csv.gz", *COMMAND[3:5], "--output", "unpacked.csv")
    here.check((here / "unpacked.csv").read_bytes() == whole, "batch reads gzip")
    here.run("geocode", "--batch", "batch.csv", "--column", "nowhere", code=2)
    here.run("geocode", "--batch", "none.csv", "--column", "x", code=2)


@part()
def odd_batches(here):
    """Keeps every byte of an odd table, and names the row of one that is wrong."""
    rows = [b'\xef\xbb\xbfid;place', '1;"Café ""X"""'.encode(), b"", b"2;  Selma, AL  ", b"3", b'4;5" pipe']
    (here / "odd.csv").write_bytes(b"\r\n".join(rows))
    here.run("geocode", "--batch", "odd.csv", "--column", "place", "--output", "kept.csv")
    kept = (here / "kept.csv").read_bytes().split(b"\r\n")
    here.check(len(kept) == 7 and all(new.startswith(old) for new, old in zip(kept, rows)), "batch keeps every byte of every row", kept)
    here.check(all(row.count(b";") == 6 for row in kept[:-1]), "batch gives every row as many values", kept)
    # Answers are in UTF-8: behind a row of another encoding they would make a table that nothing reads.
    (here / "latin.csv").write_bytes(b"\r\n".join(rows).decode().encode("cp1252", "ignore"))
    error = here.run("geocode", "--batch", "latin.csv", "--column", "place", code=2).stderr
    here.check("latin.csv:2:" in error and "UTF-8" in error, "a row that is not UTF-8 is reported", error)
    here.write("long.csv", "place\nHarlem\nSelma,1,2\n")
    error = here.run("geocode", "--batch", "long.csv", "--column", "place", code=2).stderr
    here.check("long.csv:3:" in error, "a row that is too long is reported")
    (here / "utf16.csv").write_bytes("place\nHarlem\n".encode("utf-16"))
    here.run("geocode", "--batch", "utf16.csv", "--column", "place", code=2)


@part()
def standard_streams(here):
    """Reads from standard input and writes to standard output where a file is named -."""
    def piped(data, *arguments):
        done = subprocess.run([here.program, *arguments], cwd=here.path, input=data, capture_output=True, timeout=300)
        here.check(done.returncode == 0, f"waymark {' '.join(arguments)}", done.stderr[-300:])
        return done.stdout

    table = b"id,place,lat,lon\n1,Harlem,40.81,-73.945\n2,qwxzzy,0,0\n"
    (here / "table.csv").write_bytes(table)
    for command in (["geocode", "--batch", "table.csv", "--column", "place"], ["reverse", "--batch", "table.csv"],
                    ["convert", "--from", "EPSG:4326", "--to", "EPSG:3857", "--x", "lon", "--y", "lat", "--file", "table.csv"]):
        whole = here.run(*command).stdout.encode()
        named = [part if part != "table.csv" else "-" for part in command]
        for more in ([], ["-o", "-"]):
            said = piped(table, *named, *more).replace(b"\r\n", b"\n")
            here.check(whole.count(b"\n") == 3 and said == whole, f"{command[0]} reads standard input and writes to standard output", said)
    here.check(piped(gzip.compress(table), "geocode", "--batch", "-", "--column", "place").count(b"\n") == 3, "packed, too")
    walk = piped(b"", "simulate", "--random-walk", "--around", "33.755,-84.38", "--seed", "7", "-o", "-")
    here.check(walk.count(b"<trkpt") > 20, "simulate writes to standard output", walk[:200])
    here.write("own.csv", "id,title,lat,lon\n1,One,33.7553,-84.3775\n")
    here.run("import", "own.csv")
    piped(walk, "replay", "-", "--dry-run", "--format", "text")
    drawn = piped(b"", "render", "--bbox", "-85,33,-84,34", "-o", "-")
    here.check(drawn.lstrip().startswith((b"<svg", b"<?xml")), "render writes SVG to standard output", drawn[:80])
    area = b'{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"x","precision":"hidden"},' \
        b'"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}]}'
    here.check(b"1 area" in piped(area, "areas", "load", "-"), "areas are read from standard input")
    here.run("users", "add", "ana")
    here.check(piped(b"", "users", "export", "ana", "-")[:2] == b"PK", "a person's data go to standard output")


@part()
def killed_batch(here):
    """Keeps the answers that a killed run gave until a second before."""
    with open(here / "many.csv", "w", encoding="utf-8") as file:
        file.write("id,place\n")
        file.writelines(f"{number},Sprignfeild {number % 977} Illinios {number}\n" for number in range(200_000))
    answers = here / "killed.csv"
    command = ["geocode", "--batch", "many.csv", "--column", "place", "--output", "killed.csv"]
    with here.start(*command, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (answers.exists() and answers.stat().st_size > 0):
            time.sleep(0.05)
        time.sleep(3)
        process.kill()
    size = answers.stat().st_size
    here.check(size > 1_000, "what was answered is in the file when the run is killed", size)


@part()
def reverse_batch(here):
    """Names a file of positions, whole and then finished after it broke off."""
    here.write("positions.csv", "id,lat,lon\n" + "".join(f"{n},{n % 90},{n % 180}\n" for n in range(5_000)) + "x,,\n")
    named = here.run("reverse", "--batch", "positions.csv").stdout
    here.check(named.count("\n") == 5_002 and named.splitlines()[-1] == "x,,,,,,,,,,", "reverse --batch keeps every row", named[-200:])
    whole, broken = here / "whole.csv", here / "named.csv"
    here.run("reverse", "--batch", "positions.csv", "--output", "whole.csv")
    broken.write_bytes(whole.read_bytes()[:whole.stat().st_size // 2])
    here.run("reverse", "--batch", "positions.csv", "--output", "named.csv")
    here.check(broken.read_bytes() == whole.read_bytes(), "reverse --batch goes on where it was broken off")
    here.run("reverse", "--batch", "positions.csv", "--latitude", "north", code=2)
