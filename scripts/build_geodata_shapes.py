"""Polygons for `build-geodata`: reading shapefiles and GeoPackages, boxes, middles and point in polygon."""

import sqlite3
import struct
from collections import defaultdict


class Area:
    """A multipolygon as a flat list of closed rings, with a point-in-polygon test (even-odd rule)."""

    STRIPS = 64

    def __init__(self, rings, holes=None):
        """`holes` tells of each ring whether it is one; without it, orientation does (clockwise rings are filled)."""
        self.rings = [ring for ring in rings if len(ring) >= 4]
        self.is_hole = [hole for ring, hole in zip(rings, holes or [False] * len(rings)) if len(ring) >= 4]
        ys = [y for ring in self.rings for _, y in ring]
        xs = [x for ring in self.rings for x, _ in ring]
        self.south, self.north, self.low, self.high = min(ys), max(ys), min(xs), max(xs)
        self.strips = None

    def _strip(self, y):
        return min(self.STRIPS - 1, max(0, int((y - self.south) / (self.north - self.south + 1e-12) * self.STRIPS)))

    def contains(self, x, y):
        if not (self.south <= y <= self.north and self.low <= x <= self.high):
            return False
        if self.strips is None:
            self.strips = [[] for _ in range(self.STRIPS)]
            for ring in self.rings:
                for (ax, ay), (bx, by) in zip(ring, ring[1:]):
                    for strip in range(self._strip(min(ay, by)), self._strip(max(ay, by)) + 1):
                        self.strips[strip].append((ax, ay, bx, by))
        inside = False
        for ax, ay, bx, by in self.strips[self._strip(y)]:
            if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                inside = not inside
        return inside

    def centroid(self):
        """The centroid of the largest ring, which lies in the main part of a country or state."""
        best = (0.0, 0.0, 0.0)
        for ring in self.rings:
            area = cx = cy = 0.0
            for (ax, ay), (bx, by) in zip(ring, ring[1:]):
                cross = ax * by - bx * ay
                area, cx, cy = area + cross, cx + (ax + bx) * cross, cy + (ay + by) * cross
            if abs(area) > best[0]:
                best = (abs(area), cx / (3 * area), cy / (3 * area))
        return best[2], best[1]

    def spans(self):
        return [(min(x for x, _ in ring), max(x for x, _ in ring)) for ring in self.rings]


def box(areas):
    """(west, south, east, north): the shortest span of longitudes that covers all areas, so west may exceed east."""
    spans = sorted(span for area in areas for span in area.spans())
    return longitude_box(spans, min(area.south for area in areas), max(area.north for area in areas))


def longitude_box(spans, south, north):
    west, reach = spans[0]
    gap, answer = -1.0, None
    for low, high in spans[1:]:
        if low - reach > gap:
            gap, answer = low - reach, (low, reach)
        reach = max(reach, high)
    wrap = west + 360.0 - reach
    if answer is None or wrap >= gap:
        answer = (west, reach)
    return answer[0], south, answer[1], north


def points_box(points):
    return longitude_box(sorted((x, x) for _, x in points), min(y for y, _ in points), max(y for y, _ in points))


def read_shapefile(path):
    """Areas and attribute rows of an ESRI shapefile of polygons (type 5), with its .dbf beside it."""
    with open(path + ".shp", "rb") as handle:
        data = handle.read()
    areas, at = [], 100
    while at < len(data):
        length = struct.unpack_from(">i", data, at + 4)[0] * 2
        record = at + 8
        if struct.unpack_from("<i", data, record)[0] == 5:
            parts, points = struct.unpack_from("<ii", data, record + 36)
            starts = list(struct.unpack_from("<%di" % parts, data, record + 44)) + [points]
            flat = struct.unpack_from("<%dd" % (2 * points), data, record + 44 + 4 * parts)
            pairs = list(zip(flat[::2], flat[1::2]))
            areas.append(Area([pairs[a:b] for a, b in zip(starts, starts[1:])]))
        else:
            areas.append(None)
        at = record + length
    return list(zip(areas, read_dbf(path + ".dbf")))


def read_dbf(path):
    with open(path, "rb") as handle:
        data = handle.read()
    count, header, size = struct.unpack_from("<IHH", data, 4)
    fields, at = [], 32
    while data[at] != 0x0D:
        fields.append((data[at : at + 11].split(b"\0")[0].decode(), data[at + 16]))
        at += 32
    rows = []
    for index in range(count):
        at, row = header + index * size + 1, {}
        for name, width in fields:
            row[name] = data[at : at + width].decode("utf-8").strip()
            at += width
        rows.append(row)
    return rows


def read_geopackage(path, layer, columns):
    """Areas and attributes of one layer of a GeoPackage (OGC 12-128r18: a header, then well-known binary)."""
    database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    rows = []
    for row in database.execute("select geom, %s from %s order by fid" % (", ".join(columns), layer)):
        envelope = (0, 32, 48, 48, 64)[(row[0][3] >> 1) & 7]
        rings, holes = [], []
        _read_wkb(row[0], 8 + envelope, rings, holes)
        rows.append((Area(rings, holes), dict(zip(columns, row[1:]))))
    return rows


def _read_wkb(blob, at, rings, holes):
    order = "<" if blob[at] == 1 else ">"
    kind, count = struct.unpack_from(order + "II", blob, at + 1)
    at += 9
    if kind % 1000 == 6:
        for _ in range(count):
            at = _read_wkb(blob, at, rings, holes)
        return at
    for number in range(count):
        points = struct.unpack_from(order + "I", blob, at)[0]
        flat = struct.unpack_from("%s%dd" % (order, 2 * points), blob, at + 4)
        rings.append(list(zip(flat[::2], flat[1::2])))
        holes.append(number > 0)
        at += 4 + 16 * points
    return at


class Grid:
    """Finds the areas that contain a point, by one-degree cells."""

    def __init__(self, areas):
        self.areas, self.cells = areas, defaultdict(list)
        for index, area in enumerate(areas):
            for y in range(int(area.south // 1), int(area.north // 1) + 1):
                for x in range(int(area.low // 1), int(area.high // 1) + 1):
                    self.cells[x, y].append(index)

    def find(self, latitude, longitude):
        for index in self.cells.get((int(longitude // 1), int(latitude // 1)), ()):
            if self.areas[index].contains(longitude, latitude):
                return index
        return None

    def nearest(self, latitude, longitude, reach=0.5):
        """The containing area, else the one with a vertex nearest within `reach` degrees of latitude."""
        found = self.find(latitude, longitude)
        if found is not None:
            return found
        best, answer, near = reach * reach, None, set()
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                near.update(self.cells.get((int(longitude // 1) + dx, int(latitude // 1) + dy), ()))
        shrink = max(0.1, 1 - (latitude / 90) ** 2)
        for index in sorted(near):
            for ring in self.areas[index].rings:
                for x, y in ring:
                    distance = (y - latitude) ** 2 + ((x - longitude) * shrink) ** 2
                    if distance < best:
                        best, answer = distance, index
        return answer
