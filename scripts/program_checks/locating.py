"""Places found by the words of rows: on import, later, and chosen by hand; and positions that seem to be wrong."""
import csv
import io

from program_checks.parts import part, shared

GREEN_BOOK = """name,street,city,state
Hotel Butler,1408 Broadway,Macon,Georgia
Paschal's,830 Hunter St,Atlanta,Georgia
Lake House,,Springfield,
Camp,,,Texas
Nowhere Inn,1 Main St,Qqxzv,Georgia
"""


@part()
def locating(here):
    """Imports rows that only name places, completes the table of those that are unsure, and locates them."""
    here.write("greenbook.csv", GREEN_BOOK)
    here.check("0 located" not in here.run("import", "greenbook.csv", "--geocode", "--dry-run").stdout, "a dry run finds places")
    said = here.run("import", "greenbook.csv", "--geocode", "--review", "unsure.csv").stdout
    here.check("5 new" in said and "2 located by words, 3 not located" in said, "two towns are sure", said)
    features = here.json("export")["features"]
    sure = [f for f in features if f["geometry"]]
    here.check({f["properties"]["title"] for f in sure} == {"Hotel Butler", "Paschal's"}, "they are on the map", sure)
    here.check(all(f["properties"]["location"]["precision"] == "approximate" for f in sure), "as areas", sure)
    here.check("5 unchanged" in here.run("import", "greenbook.csv").stdout, "importing again without --geocode changes nothing")
    here.check(sum(1 for f in here.json("export")["features"] if f["geometry"]) == 2, "and keeps the places")
    here.run("import", "greenbook.csv", "--geocode", "--review", "unsure.csv", code=2)

    text = (here / "unsure.csv").read_bytes()
    here.check(text.startswith(b"\xef\xbb\xbfrow,story,"), "the table is for spreadsheet programs", text[:40])
    rows = list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"))))
    here.check([row["title"] for row in rows] == ["Lake House", "Camp", "Nowhere Inn"], "it has the three others", rows)
    here.check(rows[0]["name_2"] and rows[0]["lat_2"], "with several Springfields", rows[0])
    here.check(rows[2]["words"] == "1 Main St, Qqxzv, Georgia", "the words are kept", rows[2])

    def save(name, choices, delimiter=",", encoding="utf-8-sig"):
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        for row, choice in zip(rows, choices):
            writer.writerow({**row, "choice": choice})
        (here / name).write_bytes(out.getvalue().encode(encoding))

    save("bad.csv", ["7", "", "somewhere"])
    refused = here.run("stories", "locate", "bad.csv", code=2).stderr
    here.check("bad.csv:2: choice" in refused and "bad.csv:4: choice" in refused, "bad edits are named", refused)
    here.check(sum(1 for f in here.json("export")["features"] if f["geometry"]) == 2, "and change nothing")
    save("done.csv", ["2", "", "32.5, -83.5"], delimiter=";")
    here.check("2 stories would be located" in here.run("stories", "locate", "done.csv", "--dry-run").stdout, "a dry run counts")
    said = here.run("stories", "locate", "done.csv", "--review", "rest.csv").stdout
    here.check("2 stories located" in said and "1 open" in said, "choices are stored", said)
    kept = (here / "done.csv").read_bytes().splitlines(keepends=True)
    here.check((here / "rest.csv").read_bytes() == kept[0] + kept[2], "what is open stays byte for byte")
    places = {f["properties"]["title"]: f for f in here.json("export")["features"] if f["geometry"]}
    here.check(places["Nowhere Inn"]["geometry"]["coordinates"] == [-83.5, 32.5], "a typed position is exact", places)
    said = here.run("stories", "locate").stdout
    here.check("0 stories located" in said and "1 open" in said, "a state is too large", said)
    here.check("1 story located" in here.run("stories", "locate", "--coarsest", "state").stdout, "unless it is asked for")
    here.run("check")
    with here.serving():
        locating_beside_a_service(here)
    here.run("check")


def locating_beside_a_service(here):
    """The same while a service holds the database: the table is written where the operator's program runs."""
    here.write("more.csv", GREEN_BOOK)
    said = here.run("import", "more.csv", "--source", "more", "--geocode", "--review", "later.csv").stdout
    here.check("5 new" in said and "2 located by words, 3 not located" in said, "beside a service rows are located too", said)
    here.check((here / "later.csv").stat().st_mode & 0o777 == 0o600, "the table is for the operator alone")
    here.run("import", "more.csv", "--source", "more", "--geocode", "--review", "later.csv", code=2)
    rows = list(csv.DictReader(io.StringIO((here / "later.csv").read_bytes().decode("utf-8-sig"))))
    here.check([row["title"] for row in rows] == ["Lake House", "Camp", "Nowhere Inn"], "it has the three others", rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    for row, choice in zip(rows, ["1", "", "bad"]):
        writer.writerow({**row, "choice": choice})
    here.write("wrong.csv", out.getvalue())
    refused = here.run("stories", "locate", "wrong.csv", code=2).stderr
    here.check("wrong.csv:4: choice" in refused, "bad edits are named", refused)
    here.write("chosen.csv", out.getvalue().replace("bad", "none"))
    said = here.run("stories", "locate", "chosen.csv", "--review", "open.csv").stdout
    here.check("1 story located" in said and "1 open" in said, "choices are stored", said)
    here.check(len((here / "open.csv").read_bytes().splitlines()) == 2, "what is open is in a new table")
    said = here.run("stories", "locate", "--coarsest", "state", "--review", "none.csv").stdout
    here.check("1 story located" in said and not (here / "none.csv").exists(), "a table without rows is not written", said)
    here.check(not list(here.path.glob("*.part")), "nothing half-written is left")


@part()
def counties(here):
    """A county in the column of cities is found as the county, as coarse as it is, on import and afterwards."""
    here.write("counties.csv", "title,city,state\nMill,Fulton County,Georgia\nShop,Macon,Georgia\n")
    here.check("2 located by words" in here.run("import", "counties.csv", "--geocode").stdout, "both are located")
    here.run("import", "counties.csv", "--source", "later")
    here.check("2 stories located" in here.run("stories", "locate").stdout, "and so they are afterwards")
    mills = [f for f in here.json("export")["features"] if f["properties"]["title"] == "Mill" and f["geometry"]]
    cells = [f["properties"]["location"].get("cell") for f in mills]
    here.check(cells == [1, 1], "a county is shown as a degree", cells)


@part()
def plausibility(here):
    """Imports files whose positions are exchanged, negated or plain right: only the wrong ones are remarked."""
    towns = [("Macon", 32.84, -83.63), ("Atlanta", 33.75, -84.39), ("Savannah", 32.08, -81.1), ("Athens", 33.96, -83.38)]

    def write(name, change):
        lines = [f"{town},{','.join(str(value) for value in change(lat, lon))},{town},Georgia" for town, lat, lon in towns]
        here.write(name, "\n".join(["title,lat,lon,city,state", *lines]) + "\n")

    write("right.csv", lambda lat, lon: (lat, lon))
    here.check("would lie" not in here.run("import", "right.csv", "--strict").stderr, "what is right is not doubted")
    for name, change, words in [
        ("exchanged.csv", lambda lat, lon: (lon, lat), "latitude and longitude exchanged"),
        ("minus.csv", lambda lat, lon: (lat, -lon), "the other sign of the longitude"),
        ("south.csv", lambda lat, lon: (-lat, lon), "the other sign of the latitude"),
    ]:
        write(name, change)
        refused = here.run("import", name, "--strict", code=2).stderr
        here.check(words in refused and "Georgia" in refused, f"{name} is refused with what is wrong", refused)
        here.check(words in here.run("import", name, "--dry-run").stderr, f"{name} is remarked")
    here.check(here.json("stories")["numberMatched"] == 4, "a refusal stores nothing")
    said = [f"{town},{lat},{lon},{town},Georgia,United States" for town, lat, lon in towns]
    for name, words, place in [("paris.csv", "Paris,,France", "Paris"), ("texas.csv", ",Texas,United States", "Texas")]:
        rows = [*said, f"Elsewhere,33.7,-84.4,{words}"]
        here.write(name, "\n".join(["title,lat,lon,city,state,country", *rows]) + "\n")
        refused = here.run("import", name, "--strict", code=2).stderr
        here.check("far from where its words say" in refused and place in refused, f"{name} contradicts its words", refused)
        here.check(f"{name}:6:" in here.run("import", name, "--dry-run").stderr, f"the row of {name} is named")
    # Three places in New York in the feet of EPSG:2263, with the same system in metres.
    feet = ["title,easting,northing,city", "A,989503,208559,New York", "B,995819,180147,Brooklyn", "C,1029700,205300,Queens"]
    here.write("feet.csv", "\n".join(feet) + "\n")
    taken = here.run("import", "feet.csv", "--crs", "EPSG:32118", "--dry-run").stderr
    here.check("read as feet and not as metres" in taken and "exchanged" not in taken, "feet are recognized by a city", taken)


@part()
def plausible_real_stories(here):
    """Imports all real files of stories strictly: none is doubted."""
    for path in sorted(shared("stories").iterdir()):
        done = here.run("import", str(path), "--strict", "--kind", "photo", "--database", f"{path.name}.db")
        here.check(" new" in done.stdout, f"{path.name} is not doubted", done.stderr)
