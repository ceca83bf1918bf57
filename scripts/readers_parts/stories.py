"""The stories that the readers are to find: those of the demo, real ones where they are, and some that are hard to read."""
import csv
import gzip
import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEMO = ROOT / "Sources" / "App" / "Resources" / "demo" / "demo-stories.json"
REAL = pathlib.Path(os.environ.get("WAYMARK_SHARED") or ROOT.parent / "shared") / "data" / "stories"
REAL_FILES = {"life-histories-1936-40.csv": "interview", "texas-historical-markers.csv": "document", "new-york-street-photos.csv.gz": "photo"}

# The outermost stories are everybody's, so that every viewer's box is the same.
BOX = (-179.9, -54.8, 179.9, 78.22)
ACCENTS = "Café Ñandú, São João — “Łódź”"
SCRIPTS = "Κωνσταντινούπολη, 東京, 🎷"
MARKUP = "She said: \"Grüße\", and\nwent; a < b & c > d, <b>bold</b>."
APPROXIMATE, HIDDEN, PRIVATE, NOWHERE = "Somewhere in the county", "A place kept to himself", "For nobody but Ben", "No place at all"

LINE = {"type": "LineString", "coordinates": [[-84.4, 33.7], [-84.3, 33.8], [-84.2, 33.85]]}
AREA = {"type": "Polygon", "coordinates": [[[-84.5, 33.6], [-84.1, 33.6], [-84.1, 33.9], [-84.5, 33.9], [-84.5, 33.6]],
                                           [[-84.4, 33.7], [-84.3, 33.8], [-84.2, 33.7], [-84.4, 33.7]]]}
PARTS = [
    {"type": "MultiPoint", "coordinates": [[-84.4, 33.7], [-84.3, 33.8]]},
    {"type": "MultiLineString", "coordinates": [[[-84.4, 33.7], [-84.3, 33.8]], [[-84.2, 33.8], [-84.1, 33.9]]]},
    {"type": "MultiPolygon", "coordinates": [[[[-84.4, 33.6], [-84.3, 33.6], [-84.3, 33.7], [-84.4, 33.6]]],
                                             [[[-84.2, 33.6], [-84.1, 33.6], [-84.1, 33.7], [-84.2, 33.6]]]]},
]
SHAPES = [LINE, AREA, *PARTS]
SHAPES_BOX = (-84.5, 33.6, -84.1, 33.9)

# What nobody but Ben may learn: longitude and latitude.
SECRET_POINTS = {APPROXIMATE: (-83.14159, 32.27182), HIDDEN: (12.345678, 45.678912), PRIVATE: (23.456789, 56.789123)}

OF_ANA = [
    ("Fiji west", (-179.9, -17.8), {"date": "1901"}), ("Fiji east", (179.9, -17.8), {"date": "1900-12-31"}),
    ("Polar night", (15.64, 78.22), {"date": "ca. 1936"}), ("Tierra del Fuego", (-68.3, -54.8), {"date": "1936-07/1936-09"}),
    (ACCENTS, (-8.61, 41.15), {"date": "1889-03-12", "text": MARKUP, "tags": ["été", "a, b; c"], "city": "Łódź"}),
    (SCRIPTS, (28.98, 41.01), {"date": "0800"}),
    ("The river road", (-84.4, 33.7), {"places": [{"role": "spoken_of", "geometry": LINE}]}),
    ("The old ward", (-84.3, 33.65), {"places": [{"role": "lived", "geometry": AREA}]}),
    ("Crossings in parts", (-84.25, 33.75), {"places": [{"geometry": shape} for shape in PARTS]}),
    (NOWHERE, None, {}),
]
OF_BEN = [
    (APPROXIMATE, SECRET_POINTS[APPROXIMATE], {"precision": "approximate", "cell": 0.1, "privacy": "public"}),
    (HIDDEN, SECRET_POINTS[HIDDEN], {"precision": "hidden", "privacy": "public"}),
    (PRIVATE, SECRET_POINTS[PRIVATE], {"privacy": "private"}),
]

SENSITIVE = {"type": "FeatureCollection", "features": [{
    "type": "Feature", "properties": {"name": "A burial ground", "precision": "hidden"},
    "geometry": {"type": "Polygon", "coordinates": [[[100, 0], [101, 0], [101, 1], [100, 1], [100, 0]]]}}]}


def collection(stories, text=MARKUP):
    """Stories as GeoJSON that imports read; `text` in the place of the one that is hard to read."""
    stories = [(title, place, more | {"text": text} if "text" in more else more) for title, place, more in stories]
    return json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": str(number), "properties": {"title": title, "kind": "interview", **more},
         "geometry": place and {"type": "Point", "coordinates": place}}
        for number, (title, place, more) in enumerate(stories)]}, ensure_ascii=False)


def real_files():
    """The files of real stories that are here, each with the kind of its stories."""
    return [(REAL / name, kind) for name, kind in REAL_FILES.items() if (REAL / name).exists()]


def real_rows():
    """How many real stories there are, and how many of them have a place."""
    count = located = 0
    for path, _ in real_files():
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                count += 1
                located += bool(row["lat"])
    return count, located


def demo():
    """The demo's stories as (title, whether it has a place, owner, privacy, families of its owner)."""
    content = json.loads(DEMO.read_text(encoding="utf-8"))
    families = {}
    for family in content["families"]:
        for member in family["members"]:
            families.setdefault(member["user"], set()).add(family["id"])
    return [(s["title"], s["location"] is not None, s["owner"], s["privacy"], families[s["owner"]]) for s in content["stories"]]


def seen_by(viewer):
    """What a viewer is to find, as the rules of privacy have it: titles, those with a place, and those that must be absent.

    Computed here from the files, without the program. `viewer` is `ana`, or None for a stranger.
    """
    stories = demo()
    of_viewer = {family for _, _, owner, _, families in stories if owner == viewer for family in families}
    titles, located, absent = [], 0, []
    for title, has_place, owner, privacy, families in stories:
        if privacy == "public" or (viewer and owner == viewer) or (privacy == "family_only" and families & of_viewer):
            titles.append(title)
            located += has_place
        else:
            absent.append(title)
    titles += [title for title, *_ in OF_ANA] + [APPROXIMATE, HIDDEN]
    located += sum(1 for _, place, _ in OF_ANA if place) + 1  # Ben's approximate place.
    count, placed = real_rows()
    return {"count": len(titles) + count, "located": located + placed, "titles": titles, "absent": absent + [PRIVATE]}


def stored():
    """How many stories the database has, and how many of them have a place."""
    count, located = real_rows()
    own = OF_ANA + OF_BEN
    return {"count": len(demo()) + len(own) + count,
            "located": sum(1 for story in demo() if story[1]) + sum(1 for _, place, _ in own if place) + located}
