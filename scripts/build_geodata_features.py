"""Rivers, lakes, islands, mountains, parks, landmarks and airports for `build-geodata`."""

import csv
import math
import re
import sys
from collections import defaultdict

from build_geodata_supplement import kilometres

COLUMNS = ["id", "name", "aliases", "kind", "country", "lat", "lon", "prominence"]
KINDS = ("area", "county", "island", "landmark", "mountain", "park", "river", "water")
# Landmarks and airports belong to a settlement within so many kilometres of its edge; parks and all else lie in none.
REACH = 25.0
INTERNATIONAL, OTHER = 30000, 3000


def read(path):
    """The rows of features.tsv, written by hand."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.rstrip("\n").split("\t") for line in handle]
    if lines[0] != COLUMNS:
        sys.exit("features.tsv: expected the columns %s" % ", ".join(COLUMNS))
    seen, rows = set(), []
    for number, line in enumerate(lines[1:], 2):
        row = dict(zip(COLUMNS, line))
        wrong = (len(line) != len(COLUMNS) or not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", row["id"])
                 or row["id"] in seen or row["kind"] not in KINDS or not row["prominence"].isdigit()
                 or abs(float(row["lat"])) > 90 or abs(float(row["lon"])) > 180 or not row["name"])
        if wrong:
            sys.exit("features.tsv:%d: %s: fields, id, kind, prominence or position are wrong" % (number, line[0]))
        seen.add(row["id"])
        rows.append(row)
    return rows


class Settlements:
    """Finds the settlement that something stands in or near."""

    def __init__(self, places, parts):
        self.cells = defaultdict(list)
        for place in places:
            if place["geonameid"] not in parts:
                self.cells[math.floor(place["latitude"]), math.floor(place["longitude"])].append(place)

    def near(self, latitude, longitude, country):
        best = (REACH, None)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                for place in self.cells[math.floor(latitude) + dy, math.floor(longitude) + dx]:
                    if place["countrycode"] != country:
                        continue
                    radius = math.sqrt(max(place["population"], 100) / 1000 / math.pi)
                    away = kilometres((latitude, longitude), (place["latitude"], place["longitude"])) - radius
                    # Inside of several the larger counts.
                    away = max(away, 0) - radius / 1000
                    if away < best[0]:
                        best = (away, place)
        return best[1]


def feature_rows(rows, airports, places, parts, counties, geoids, districts, fold, countries):
    """Rows of landforms.tsv: what was written by hand, then the airports."""
    settlements = Settlements(places, parts)
    known = {(row[2], fold(row[1])) for row in districts}
    out = []
    for row in rows:
        if row["kind"] == "county" and (row["country"], fold(row["name"])) in known:
            continue
        point = (float(row["lat"]), float(row["lon"]))
        admin1, county, city = "", "", ""
        if row["kind"] == "landmark":
            place = settlements.near(*point, row["country"])
            admin1, city = (place["admin1code"], place["geonameid"]) if place else ("", "")
        if row["country"] == "US" and row["kind"] in ("landmark", "park"):
            found = counties.find(*point)
            county = geoids[found] if found is not None else ""
        out.append(["waymark", row["id"], row["name"], row["kind"], row["lat"], row["lon"], row["country"], admin1, county,
                    city, row["prominence"], row["aliases"].replace(";", "|"), ""])
    for row in airports:
        if not row["iata"] or row["country"] not in countries:
            continue
        latitude, longitude = float(row["lat"]), float(row["lon"])
        place = settlements.near(latitude, longitude, row["country"])
        short = "|".join(short_names(row, fold))
        out.append(["airportsdata", row["iata"].lower(), row["name"], "airport", "%.4f" % latitude, "%.4f" % longitude,
                    row["country"], place["admin1code"] if place else "", "", place["geonameid"] if place else "",
                    INTERNATIONAL if "International" in row["name"] else OTHER, short, row["iata"]])
    return out


def short_names(row, fold):
    """What else people call an airport: by its city, and by the last word of its name ("Luton Airport")."""
    words = [word for word in re.split(r"[ /]+", row["name"]) if word not in ("International", "Regional", "Municipal")]
    names = [row["city"]] if row["city"] else []
    if len(words) > 2 and words[-1] == "Airport" and len(words[-2]) > 3:
        names.append(words[-2])
    names = ["%s Airport" % name for name in names]
    return [name for number, name in enumerate(names)
            if fold(name) not in [fold(row["name"]), *map(fold, names[:number])]]


def read_airports(path):
    """The airports of airportsdata, by their IATA codes."""
    with open(path, encoding="utf-8", newline="") as handle:
        return sorted(csv.DictReader(handle), key=lambda row: (row["iata"], row["icao"]))
