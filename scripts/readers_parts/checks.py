"""What every reader's part checks in the same way, and how a part tells what it found."""
import json
import pathlib
import sys
import traceback

from readers_parts import stories

# The code with which a part ends whose reader is not installed.
ABSENT = 3
LEAST_MILLISECONDS = 1_600_000_000_000


class NotInstalled(Exception):
    """A reader, or something that it needs, is not there."""


class Checks:
    """Counts what is right and wrong about one reader, and remembers what it opened."""

    def __init__(self, name):
        self.name, self.version, self.passed, self.problems = name, "", 0, []
        self.opened, self.remarks = {}, []

    def right(self, good, what, *shown):
        if good:
            self.passed += 1
        else:
            self.problems.append(what)
            print(f"FAIL {self.name}: {what}", *(str(value)[:800] for value in shown), flush=True)
        return good

    def equal(self, found, wanted, what):
        return self.right(found == wanted, f"{what}: {wanted!r} is wanted", f"found {found!r}")

    def opens(self, source, words="yes"):
        """Notes for the guide's table how the reader has a source."""
        self.opened[source] = words

    def cannot(self, source, reason):
        """Notes that the reader was not tried with a source, and says so."""
        self.opened[source] = "—"
        self.remarks.append(f"{source}: {reason}")
        print(f"note {self.name}: not tried with {source}: {reason}", flush=True)

    def box(self, found, wanted, source, within=1e-6):
        good = found is not None and all(abs(a - b) <= within for a, b in zip(found, wanted))
        self.right(good, f"{source}: the extent is {tuple(wanted)}", found)

    def within(self, found, outer, inner, source):
        """Holds an extent to lying between two others."""
        good = found is not None and all(min(a, b) - 1e-4 <= edge <= max(a, b) + 1e-4 for edge, a, b in zip(found, outer, inner))
        self.right(good, f"{source}: the extent lies between {tuple(outer)} and {tuple(inner)}", found)

    def milliseconds(self, values, source):
        values = [int(value) for value in values]
        self.right(bool(values) and min(values) > LEAST_MILLISECONDS, f"{source}: created_ms has all of its 64 bits", values[:3])

    def stories(self, source, viewer, rows, has_all=True):
        """Holds rows of (title, (x, y) or None) to what a viewer is to see; without `has_all`, only those with a place are there."""
        rows = list(rows)
        self.equal(len(rows), viewer["count"] if has_all else viewer["located"], f"{source}: the number of stories")
        places = {}
        for title, place in rows:
            places.setdefault(title, place)
        if has_all:
            self.equal(sum(place is not None for _, place in rows), viewer["located"], f"{source}: the number with a place")
            missing = [title for title in viewer["titles"] if title not in places]
            self.right(not missing, f"{source}: every title is there", missing[:5])
        wrong = [title for title in viewer["absent"] if title in places]
        self.right(not wrong, f"{source}: what others keep private is absent", wrong[:5])
        self.right(stories.ACCENTS in places and stories.SCRIPTS in places, f"{source}: accents and scripts are intact", list(places)[:3])
        self.right(places.get(stories.HIDDEN) is None, f"{source}: a hidden place is absent", places.get(stories.HIDDEN))
        self.near(places.get(stories.ACCENTS), (-8.61, 41.15), source)
        about, exact = places.get(stories.APPROXIMATE), stories.SECRET_POINTS[stories.APPROXIMATE]
        good = about is not None and 0.001 < max(abs(about[0] - exact[0]), abs(about[1] - exact[1])) < 0.11
        self.right(good, f"{source}: an approximate place is the middle of its cell", about)

    def near(self, found, wanted, source):
        good = found is not None and abs(found[0] - wanted[0]) < 1e-6 and abs(found[1] - wanted[1]) < 1e-6
        self.right(good, f"{source}: longitude and latitude are in their order", found, wanted)

    def shapes(self, source, texts):
        """Holds the further places of stories, each a JSON list or its text, to the shapes that were imported."""
        found = []
        for text in texts:
            listed = json.loads(text) if isinstance(text, (str, bytes)) else text
            found += [place["geometry"] for place in listed or []]
        wanted = sorted(map(canonical, stories.SHAPES))
        self.right(sorted(map(canonical, found)) == wanted, f"{source}: lines, areas and shapes of parts are as given", found)

    def secrets(self, source, data):
        """Holds the bytes of an export to not having the digits of a coordinate that nobody may know."""
        found = [number for point in stories.SECRET_POINTS.values() for number in point if str(abs(number)).encode() in data]
        self.right(not found, f"{source}: no coordinate of a hidden or private place stands in the file", len(found))

    def written(self):
        return {"name": self.name, "version": self.version, "passed": self.passed, "problems": self.problems, "opened": self.opened,
                "remarks": self.remarks}


def canonical(shape):
    """A shape as one text: numbers as numbers, without the closing of rings made anew, and members in order."""
    def plain(value):
        return [plain(part) for part in value] if isinstance(value, (list, tuple)) else round(float(value), 7)
    return json.dumps({"type": shape["type"], "coordinates": plain(shape["coordinates"])}, sort_keys=True)


def main(name, read):
    """Runs a part on the folder that the command names, writes what it found there, and ends with 0, 1 or ABSENT."""
    folder = pathlib.Path(sys.argv[1])
    world = json.loads((folder / "world.json").read_text(encoding="utf-8"))
    checks = Checks(name)
    try:
        read(world, checks)
    except (ImportError, NotInstalled) as reason:
        print(f"note {name}: not installed: {reason}", flush=True)
        return ABSENT
    except Exception:
        traceback.print_exc(file=sys.stdout)
        checks.problems.append("it broke off")
    (folder / f"found-{name}.json").write_text(json.dumps(checks.written()), encoding="utf-8")
    print(f"{'FAIL' if checks.problems else 'ok  '} {name} {checks.version}: {checks.passed} passed, {len(checks.problems)} failed", flush=True)
    return 1 if checks.problems else 0
