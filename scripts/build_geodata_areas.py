"""A partition of the land into areas for `build-geodata`: shared borders once, simplified, quantised and packed.

Every border is a line with the area on its left and on its right. A reader that crosses lines and looks at their
sides gives every position exactly one answer, whatever became of the borders: no gap, nothing twice.
"""

from collections import Counter, defaultdict

from build_geodata import fold_name as fold

NONE = 0xFFFF
# 1e-4 degrees, about 11 m.
QUANTUM = 10_000
# Farther than this, about 40 m, no border is moved.
TOLERANCE = 4.0
# A longer line is cut, so that a reader needs 16 bits for what lies near a cell.
LONGEST = 20_000


class Borders:
    """The lines between areas of one layer; positions are pairs of whole numbers of 1e-4 degrees."""

    def __init__(self):
        self.sides = {}

    def add(self, area, rings):
        """Adds the rings of an area, each with its inside on the right hand."""
        for ring in rings:
            points = [quantise(x, y) for x, y in ring]
            for a, b in zip(points, points[1:]):
                # Along the antimeridian nothing begins or ends.
                if a == b:
                    continue
                key, side = ((a, b), 1) if a < b else ((b, a), 0)
                pair = self.sides.setdefault(key, [NONE, NONE])
                if pair[side] == NONE:
                    pair[side] = area

    def lines(self, tolerance=TOLERANCE):
        """The borders as (left, right, points), simplified where that lets no two of them cross."""
        chains = self._chains()
        simple = [simplify(points, tolerance) for _, _, points in chains]
        for attempt in range(6):
            crossed = crossings(simple)
            if not crossed:
                break
            for index in crossed:
                finer = 0 if attempt > 3 else tolerance / 4 ** (attempt + 1)
                simple[index] = simplify(chains[index][2], finer)
        lines = [(left, right, cut(points)) for (left, right, _), points in zip(chains, simple)]
        return sorted(lines, key=lambda line: (line[0], line[1], line[2])), len(crossings(simple))

    def _chains(self):
        # From each point, the ways out: a way is a border seen in the direction of travel.
        ways = defaultdict(list)
        for (a, b), (left, right) in self.sides.items():
            if left != right:
                ways[a].append((b, left, right))
                ways[b].append((a, right, left))

        def passes(point, left, right):
            """Whether a border only goes through this point."""
            out = ways[point]
            return len(out) == 2 and any(way[1:] == (left, right) for way in out)

        done, chains = set(), []

        def follow(a, b, left, right):
            points = [a, b]
            done.add((a, b) if a < b else (b, a))
            while passes(points[-1], left, right):
                following = [way for way in ways[points[-1]] if way[1:] == (left, right) and way[0] != points[-2]]
                if not following:
                    break
                a, b = points[-1], following[0][0]
                key = (a, b) if a < b else (b, a)
                if key in done:
                    break
                done.add(key)
                points.append(b)
            if left > right:
                points.reverse()
                left, right = right, left
            chains.append((left, right, points))

        nodes = sorted(point for point, out in ways.items()
                       if not (len(out) == 2 and out[0][1:] == (out[1][2], out[1][1])))
        for starts in (nodes, sorted(ways)):
            for a in starts:
                for b, left, right in sorted(ways[a]):
                    if ((a, b) if a < b else (b, a)) not in done:
                        follow(a, b, left, right)
        return chains


def quantise(x, y):
    """The nearest position; maps that end a little before the antimeridian and the pole are drawn up to them."""
    x = 180.0 if x > 179.89 else -180.0 if x < -179.89 else x
    y = -90.0 if y < -89.89 else y
    return round(x * QUANTUM), round(y * QUANTUM)


def simplify(points, tolerance):
    """Leaves out points that lie within `tolerance` of the line without them (Douglas and Peucker 1973)."""
    if tolerance <= 0 or len(points) < 3:
        return points
    if points[0] == points[-1]:
        far = max(range(len(points)), key=lambda i: (distance2(points[i], points[0]), -i))
        if len(points) <= 5:
            return points
        kept = simplify(points[:far + 1], tolerance)[:-1] + simplify(points[far:], tolerance)
        return kept if len(kept) >= 4 else points
    shrink = cosine(points[len(points) // 2][1])
    keep, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        ax, ay = points[first][0] * shrink, points[first][1]
        dx, dy = points[last][0] * shrink - ax, points[last][1] - ay
        square = dx * dx + dy * dy
        worst, at = -1.0, first
        for index in range(first + 1, last):
            px, py = points[index][0] * shrink - ax, points[index][1] - ay
            along = min(1.0, max(0.0, (px * dx + py * dy) / square)) if square else 0.0
            off = (px - along * dx) ** 2 + (py - along * dy) ** 2
            if off > worst:
                worst, at = off, index
        if worst > tolerance * tolerance:
            keep.add(at)
            stack += [(first, at), (at, last)]
    return [points[index] for index in sorted(keep)]


def cosine(latitude):
    """Near enough to the cosine of a latitude in quanta, with nothing but arithmetic: the same on every machine."""
    angle = min(1.0, abs(latitude) / (90.0 * QUANTUM)) * 1.5707963267948966
    square = angle * angle
    return max(0.02, 1 - square / 2 + square * square / 24 - square * square * square / 720)


def distance2(a, b):
    return ((a[0] - b[0]) * cosine(a[1])) ** 2 + (a[1] - b[1]) ** 2


def crossings(lines, cell=600):
    """The numbers of the lines that cross another or themselves."""
    cells = defaultdict(list)
    for number, points in enumerate(lines):
        for (ax, ay), (bx, by) in zip(points, points[1:]):
            part = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by), ax, ay, bx, by, number)
            for x in range(part[0] // cell, part[2] // cell + 1):
                for y in range(part[1] // cell, part[3] // cell + 1):
                    cells[x, y].append(part)
    found = set()
    for parts in cells.values():
        parts.sort()
        for index, first in enumerate(parts):
            low, right, high = first[1], first[2], first[3]
            ax, ay, bx, by, number = first[4:]
            for later in range(index + 1, len(parts)):
                other = parts[later]
                if other[0] > right:
                    break
                if other[1] > high or other[3] < low:
                    continue
                cx, cy, dx, dy = other[4:8]
                one = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
                two = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
                if (one > 0 and two > 0) or (one < 0 and two < 0) or not (one or two):
                    continue
                three = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
                four = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
                if (three > 0 and four < 0 or three < 0 and four > 0) and (one > 0 and two < 0 or one < 0 and two > 0):
                    found.update((number, other[8]))
    return found


def cut(points):
    """Cuts long lines into equal parts."""
    out = [points[0]]
    for (ax, ay), (bx, by) in zip(points, points[1:]):
        parts = -(-max(abs(bx - ax), abs(by - ay)) // LONGEST)
        for part in range(1, parts + 1):
            out.append((ax + (bx - ax) * part // parts, ay + (by - ay) * part // parts))
    return out


def most_common(counter):
    """The most frequent item with its share; ties go to the smaller."""
    item, count = min(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    return item, count / sum(counter.values())


# ---------------------------------------------------------------------------------------------------------------------
# Packing


def varint(out, value):
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def zigzag(out, value):
    varint(out, value << 1 if value >= 0 else (-value << 1) - 1)


def text(out, value):
    encoded = value.encode("utf-8")
    varint(out, len(encoded))
    out.extend(encoded)


def pack(layers, waters):
    """The file `areas.bin`: a magic number, then the layers and the waters; all numbers are varints.

    A layer is its areas and borders. An area is its country, region, county and name, each a length and UTF-8. A border
    is its left and right area (0 is none), the number of its points, and these as differences from one to the next, in
    separate runs: they pack better so. A water is its name, the number of its points, and these as differences.
    """
    out = bytearray(b"WMAREAS1")
    varint(out, len(layers))
    for areas, lines in layers:
        varint(out, len(areas))
        for area in areas:
            for part in area:
                text(out, part)
        varint(out, len(lines))
        heads, xs, ys = bytearray(), bytearray(), bytearray()
        x = y = left = 0
        for first, second, points in lines:
            zigzag(heads, (first + 1) % (NONE + 1) - left)
            left = (first + 1) % (NONE + 1)
            varint(heads, (second + 1) % (NONE + 1))
            varint(heads, len(points))
            for px, py in points:
                zigzag(xs, px - x)
                zigzag(ys, py - y)
                x, y = px, py
        for run in (heads, xs, ys):
            varint(out, len(run))
            out += run
    varint(out, len(waters))
    for name, points in waters:
        text(out, name)
        varint(out, len(points))
        x = y = 0
        for px, py in points:
            zigzag(out, px - x)
            zigzag(out, py - y)
            x, y = px, py
    return bytes(out)


def read_waters(path):
    """The rows of `waters.tsv`: outlines of seas and lakes drawn by hand, those inside of others first."""
    waters = []
    with open(path, encoding="utf-8") as handle:
        for line in list(handle)[1:]:
            name, outline = line.rstrip("\n").split("\t")
            pairs = [point.split() for point in outline.split("|")]
            waters.append((name, [(round(float(x) * QUANTUM), round(float(y) * QUANTUM)) for x, y in pairs]))
    return waters


# ---------------------------------------------------------------------------------------------------------------------
# The two layers

# Parts of Natural Earth's map without an ISO code and without places that would tell their country.
UNCODED = {"Guantanamo Bay USNB": "CU", "Clipperton Island": "FR", "Christmas Island": "CX",
           "Cocos (Keeling) Islands": "CC", "Akrotiri": "", "Dhekelia": "", "Kashmir": "", "Spratly Islands": ""}
# This share of the places of an area says what region it belongs to.
MAJORITY = 0.75


def united_states(counties, states, codes):
    """The layer of US counties: areas as (country, state, county, name) and borders; `codes` are those of states."""
    borders, areas = Borders(), []
    for shape, row in counties:
        state = states[row["STATEFP"]]["STUSPS"]
        borders.add(len(areas), shape.rings)
        # Territories are countries here, as in the other tables.
        areas.append(("US", state, row["GEOID"], "") if state in codes else (state, "", row["GEOID"], ""))
    return areas, borders.lines()[0]


def world(shapes, places, names):
    """The layer of first-level regions of the world.

    `shapes` are pairs (area, row) of Natural Earth, `places` those of GeoNames, `names` the folded names of regions as
    {(country, folded name): code}. What country and region an area is part of is told by the places inside it.
    """
    found = tally([shape for shape, _ in shapes], places)
    described = []
    for index, (_, row) in enumerate(shapes):
        name = row["name"] or ""
        code = row["iso_a2"] if len(row["iso_a2"]) == 2 and row["iso_a2"] != "-1" else UNCODED.get(name, "")
        countries = Counter()
        for (country, _), count in found[index].items():
            countries[country] += count
        if countries:
            common, share = most_common(countries)
            code = common if share >= MAJORITY or not code else code
        regions = Counter({region: n for (country, region), n in found[index].items() if country == code and region})
        region = ""
        if regions:
            common, share = most_common(regions)
            region = common if share >= MAJORITY else ""
        if not region:
            wanted = [names.get((code, fold(known))) for known in (name, row["woe_name"], row["gn_name"]) if known]
            region = next((one for one in wanted if one), "")
        described.append((code, region, name))
    parts = Counter((code, region) for code, region, _ in described)
    numbers, areas, borders = {}, [], Borders()
    for (shape, _), (code, region, name) in zip(shapes, described):
        # Where the map is finer than the regions its names serve as those of counties.
        finer = name if region and parts[code, region] > 1 else ""
        area = (code, region, "", finer)
        number = numbers.setdefault(area, len(numbers))
        if number == len(areas):
            areas.append(area)
        borders.add(number, oriented(shape))
    return areas, borders.lines()[0]


def tally(shapes, places):
    """How many places of each (country, region) lie in each shape."""
    from build_geodata_shapes import Grid

    grid, found = Grid(shapes), defaultdict(Counter)
    for place in places:
        index = grid.find(place["latitude"], place["longitude"])
        if index is not None:
            found[index][place["countrycode"], place["admin1code"]] += 1
    return found


def oriented(shape):
    """The rings of a shape, each with its inside on the right hand: outer rings clockwise, holes the other way."""
    rings = []
    for number, ring in enumerate(shape.rings):
        area = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:]))
        rings.append(ring if (area > 0) == shape.is_hole[number] else ring[::-1])
    return rings
