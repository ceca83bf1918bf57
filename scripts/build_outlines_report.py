"""Checks and writes the files of `build-outlines`, and records them in tiles/manifest.json."""

import hashlib
import json
import math
import os
import subprocess
import sys

import build_outlines_file as files
from build_outlines_simplify import DIGITS, QUANTUM

KINDS = {"land": files.POLYGONS, "lakes": files.POLYGONS, "rivers": files.LINES, "states": files.LINES,
         "counties": files.LINES}
LARGEST_TOTAL = 9_500_000  # bytes of all files, compressed
RADIUS = 6371.007  # of a sphere with the area of the Earth, in kilometres
# Limits of the counts and sums that the script collects. 107 pairs of states share a border on land, counting the
# District of Columbia as one; the land of the Earth has 149 million square kilometres.
LIMITS = {
    "counties": (3200, 3250),
    "edges_of_more_than_two_counties": (0, 0),
    "state_neighbours": (105, 110),
    "county_neighbours": (8800, 9200),
    "border_crossings": (0, 5),
    "shore_crossings": (0, 20),
    "rings_not_closed": (0, 0),
    "rings_lost": (0, 10),
    "islands_in_lakes": (1000, 2000),
    "land_km2": (149e6 * 0.99, 149e6 * 1.01),
}
# Points to look at: longitude, latitude, whether land lies there and whether a lake.
POINTS = [
    ("Montgomery, Alabama", -86.3, 32.38, True, False), ("Lake Michigan", -87.0, 43.5, True, True),
    ("Isle Royale in Lake Superior", -88.85, 48.02, True, False), ("Upper New York Bay", -74.045, 40.66, False, False),
    ("Manhattan", -73.97, 40.78, True, False), ("the Atlantic Ocean", -40.0, 30.0, False, False),
    ("the South Pole", 10.0, -89.99, True, False), ("the Ross Sea", 175.0, -75.0, False, False),
    ("Taveuni, west of the antimeridian", 179.95, -16.9, True, False),
    ("Taveuni, east of the antimeridian", -179.95, -16.8, True, False),
    ("Chukotka, east of the antimeridian", -179.0, 67.0, True, False), ("Greenwich", 0.0, 51.48, True, False),
    ("the Caspian Sea", 51.0, 42.0, True, True), ("Honolulu", -157.85, 21.32, True, False),
    ("Anchorage", -149.85, 61.18, True, False), ("San Juan, Puerto Rico", -66.06, 18.4, True, False),
]


def check(contents, checks):
    """Ends the program with a line for every check that fails."""
    checks["land_km2"] = round(sum(square_kilometres(parts[0]) for _, _, parts in contents["land"]))
    problems = ["%s is %s, but should be from %g to %g" % (name, checks.get(name), low, high)
                for name, (low, high) in LIMITS.items() if not low <= checks.get(name, math.nan) <= high]
    for name, features in contents.items():
        problems += shape_problems(name, features)
    problems += point_problems(contents["land"], contents["lakes"])
    if problems:
        sys.exit("\n".join("build-outlines: " + problem for problem in problems))


def shape_problems(name, features):
    """Checks coordinates, and that rings turn and features follow each other as the format says."""
    closed = KINDS[name] == files.POLYGONS
    for rank, _, parts in features:
        for index, points in enumerate(parts):
            if len(points) < (3 if closed else 2):
                yield "%s has a part of %d vertices" % (name, len(points))
            if any(abs(x) > 180 * QUANTUM or abs(y) > 90 * QUANTUM for x, y in points):
                yield "%s has a vertex outside of the world near %s" % (name, points[0])
            if closed and (doubled_area(points) > 0) != (index == 0):
                yield "%s has a ring that turns the wrong way near %s" % (name, points[0])
    if [rank for rank, _, _ in features] != sorted(rank for rank, _, _ in features):
        yield "%s is not sorted by rank" % name


def point_problems(land, lakes):
    for name, x, y, is_land, is_lake in POINTS:
        x, y = x * QUANTUM + 0.5, y * QUANTUM + 0.5
        for kind, features, wanted in (("land", land, is_land), ("lake", lakes, is_lake)):
            if any(covers(parts, x, y) for _, _, parts in features) != wanted:
                yield "%s should %sbe %s" % (name, "" if wanted else "not ", kind)


def covers(rings, x, y):
    """Tells whether a point lies within the rings, by the even-odd rule."""
    if not min(px for px, _ in rings[0]) < x < max(px for px, _ in rings[0]):
        return False
    inside = False
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
            if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                inside = not inside
    return inside


def doubled_area(ring):
    """Computes twice the area on the plane, in square quanta; it is positive if the ring runs counterclockwise."""
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]))


def square_kilometres(ring):
    total = 0.0
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
        heights = math.sin(math.radians(ay / QUANTUM)) + math.sin(math.radians(by / QUANTUM))
        total += math.radians((bx - ax) / QUANTUM) * (2 + heights)
    return abs(total) / 2 * RADIUS ** 2


def write(folder, contents, checks, sources):
    """Writes the files, reads them back, and records them as "outlines" in the manifest, next to what is there."""
    os.makedirs(folder, exist_ok=True)
    described, total = {}, 0
    for name, features in sorted(contents.items()):
        content = files.pack(KINDS[name], DIGITS, features)
        path = os.path.join(folder, name + ".bin.gz")
        files.write(path, content)
        if files.read(path) != (KINDS[name], DIGITS, features):
            sys.exit("build-outlines: %s does not read as it was written" % path)
        size = os.path.getsize(path)
        total += size
        parts = [points for _, _, parts in features for points in parts]
        described[os.path.basename(path)] = {
            "bytes": size, "uncompressed_bytes": len(content), "sha256": sha256(path), "features": len(features),
            "parts": len(parts), "points": sum(len(points) for points in parts)}
        print("%-16s %6d features %8d points %8d bytes" % (
            os.path.basename(path), len(features), described[os.path.basename(path)]["points"], size))
    if total > LARGEST_TOTAL:
        sys.exit("build-outlines: the files have %d bytes, but may have %d" % (total, LARGEST_TOTAL))
    path = os.path.join(folder, "manifest.json")
    manifest = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as handle:
            manifest = json.load(handle)
    manifest["outlines"] = {"files": described, "checks": dict(sorted(checks.items())), "sources": sources}
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(manifest, handle, indent=2)
        handle.write("\n")
    for name, value in sorted(checks.items()):
        print("%-32s %s" % (name, value))


def sha256(path):
    with open(path, "rb") as handle:
        return hashlib.sha256(handle.read()).hexdigest()


def debian_source(path, package, content):
    """Describes a file of a Debian package, with the package's version where dpkg knows it."""
    try:
        command = ["dpkg-query", "-W", "-f", "${Version}", package]
        version = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        version = "unknown"
    return {"package": package + " (Debian)", "version": version, "file": os.path.basename(path),
            "sha256": sha256(path), "content": content, "licence": "LGPL-3.0-or-later"}
