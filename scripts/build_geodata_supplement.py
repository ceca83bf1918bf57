"""The hand-written supplement for `build-geodata`: every row is checked and joined to what the other tables know."""

import math
import re
import sys
from collections import defaultdict

COLUMNS = ["id", "name", "aliases", "kind", "city", "state", "country", "county", "lat", "lon", "from_year", "to_year",
           "prominence", "note"]
KINDS = ("town", "village", "neighbourhood", "street", "landmark")
# A part of a city lies no farther from its middle than this, but for a few that are known to.
FARTHEST = 15.0
FAR = {
    "watts": 16, "sawtelle-japantown": 19, "fish-harbor-furusato": 36, "altgeld-gardens": 26,
    "quindaro": 16, "addisleigh-park": 21, "acres-homes": 16, "port-royal": 16, "devon-avenue": 18,
    "eight-mile-wyoming": 16, "pullman-national-historical-park": 19, "kingsley-plantation": 25,
    "1520-sedgwick-avenue": 17, "robben-island": 15,
}
ZIP_REACH = 12.0


def kilometres(a, b):
    """The distance of two points (latitude, longitude) on the sphere."""
    (p, x), (q, y) = ((math.radians(v) for v in point) for point in (a, b))
    h = math.sin((q - p) / 2) ** 2 + math.cos(p) * math.cos(q) * math.sin((y - x) / 2) ** 2
    return 12742.0 * math.asin(math.sqrt(h))


def read(path):
    """The rows of the supplement as dictionaries."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.rstrip("\n").split("\t") for line in handle]
    if lines[0] != COLUMNS:
        sys.exit("supplement.tsv: expected the columns %s" % ", ".join(COLUMNS))
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(COLUMNS):
            sys.exit("supplement.tsv:%d: expected %d fields, found %d" % (number, len(COLUMNS), len(line)))
    return [dict(zip(COLUMNS, line), line=number) for number, line in enumerate(lines[1:], 2)]


class Supplement:
    """Checks rows against the outlines of counties, the places of GeoNames and the ZIP codes."""

    def __init__(self, rows, places, county_grid, county_rows, zip_rows, fold):
        self.rows, self.fold, self.problems, self.distances, self.twins = rows, fold, [], [], 0
        self.county_grid, self.county_rows = county_grid, county_rows
        self.by_name, self.cells = defaultdict(list), defaultdict(list)
        for place in places:
            for name in {fold(place["name"]), *map(fold, place["alternatenames"])}:
                self.by_name[place["countrycode"], name].append(place)
            self.cells[place["countrycode"], round(place["latitude"]), round(place["longitude"])].append(place)
        self.zips = defaultdict(list)
        for _, city, state, latitude, longitude in zip_rows:
            self.zips[state].append((fold(city), (float(latitude), float(longitude))))

    def checked(self):
        """The joined rows of community.tsv, or an end of the program that names every wrong row."""
        seen, out = set(), []
        for row in self.rows:
            self.check_fields(row)
            for value in (row["id"], (row["country"], row["state"], self.fold(row["name"]))):
                if value in seen:
                    self.problem(row, "%s is there already" % (value,))
                seen.add(value)
            point = (float(row["lat"]), float(row["lon"]))
            city = self.city(row, point)
            geoid = self.county(row, point)
            self.check_zip(row, point)
            twin = self.twin(row, point, city)
            self.twins += twin is not None
            self.check_namesakes(row, twin)
            admin1 = row["state"] or self.admin1(row, point, city)
            aliases = [alias for alias in row["aliases"].split(";") if alias]
            out.append([row["id"], row["name"], row["lat"], row["lon"], row["country"], admin1, geoid,
                        city["geonameid"] if city else "", twin["geonameid"] if twin else "", row["kind"], row["prominence"], row["from_year"],
                        row["to_year"], "|".join(aliases)])
        if self.problems:
            sys.exit("\n".join(self.problems))
        return out

    def report(self):
        """A line on how far the parts of cities lie from the middles of their cities."""
        distances = sorted(self.distances)
        return "supplement: %d rows, %d of GeoNames, %d in a city: median %.1f km from its middle, farthest %.1f km (%s)" % (
            len(self.rows), self.twins, len(distances), distances[len(distances) // 2][0], *distances[-1])

    def problem(self, row, text):
        self.problems.append("supplement.tsv:%d: %s: %s" % (row["line"], row["id"], text))

    def check_fields(self, row):
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row["id"]):
            self.problem(row, "the id may hold small letters, digits and hyphens only")
        if row["kind"] not in KINDS:
            self.problem(row, "the kind must be one of %s" % ", ".join(KINDS))
        if row["kind"] in ("neighbourhood", "street") and not row["city"]:
            self.problem(row, "a %s needs the city that it lies in" % row["kind"])
        for column in ("from_year", "to_year"):
            if row[column] and not re.fullmatch(r"[0-9]{3,4}", row[column]):
                self.problem(row, "%s must be a year or empty" % column)
        if row["from_year"] and row["to_year"] and int(row["from_year"]) > int(row["to_year"]):
            self.problem(row, "ends before it begins")
        if not row["note"] or not row["name"] or not row["prominence"].isdigit():
            self.problem(row, "name, prominence and note may not be empty")

    def city(self, row, point):
        """The place of GeoNames that the row names as its city: the largest of that name within reach."""
        if not row["city"]:
            return None
        found = [place for place in self.by_name[row["country"], self.fold(row["city"])]
                 if not row["state"] or place["admin1code"] == row["state"] or row["country"] != "US"]
        found = [place for place in found if self.distance(place, point) < 60]
        if not found:
            self.problem(row, "no place %s near it" % row["city"])
            return None
        city = max(found, key=lambda place: (place["population"], -place["geonameid"]))
        away = self.distance(city, point)
        self.distances.append((away, row["id"]))
        if away > FAR.get(row["id"], FARTHEST):
            self.problem(row, "lies %.1f km from the middle of %s" % (away, row["city"]))
        return city

    def county(self, row, point):
        if row["country"] not in ("US", "PR"):
            return ""
        found = self.county_grid.nearest(*point, reach=0.02)
        name, geoid, state = ("none", "", "") if found is None else self.county_rows[found]
        if (name, state) != (row["county"], row["state"] or row["country"]):
            self.problem(row, "lies in %s, %s, not in %s" % (name, state, row["county"]))
        return geoid

    def check_zip(self, row, point):
        """A place in a US city has a ZIP code of that city or of its state near by."""
        if row["country"] == "US" and row["city"]:
            nearest = min(kilometres(point, where) for _, where in self.zips[row["state"]])
            if nearest > ZIP_REACH:
                self.problem(row, "the nearest ZIP code of %s is %.1f km away" % (row["state"], nearest))

    def twin(self, row, point, city):
        """The place of GeoNames that the row is about, if it has one: the row then says more about it."""
        found = []
        for place in self.by_name[row["country"], self.fold(row["name"])]:
            is_main = self.fold(place["name"]) == self.fold(row["name"])
            is_small = row["kind"] != "landmark" and place["population"] <= 5 * int(row["prominence"])
            if place is not city and self.distance(place, point) < (5 if is_main else 2 if is_small else 0):
                found.append(place)
        return min(found, key=lambda place: self.distance(place, point), default=None)

    def check_namesakes(self, row, twin):
        """The name shall not be the main one of another place of the state: the two could not be told apart."""
        if row["country"] != "US":
            return
        for place in self.by_name["US", self.fold(row["name"])]:
            is_main = self.fold(place["name"]) == self.fold(row["name"])
            if place is not twin and place["admin1code"] == row["state"] and is_main:
                self.problem(row, "shares its name with %s, %s" % (place["name"], place["admin1code"]))

    def admin1(self, row, point, city):
        if city:
            return city["admin1code"]
        near = [place for dy in (-1, 0, 1) for dx in (-1, 0, 1)
                for place in self.cells[row["country"], round(point[0]) + dy, round(point[1]) + dx]]
        if not near:
            self.problem(row, "no place of the country near it")
            return ""
        return min(near, key=lambda place: self.distance(place, point))["admin1code"]

    @staticmethod
    def distance(place, point):
        return kilometres((place["latitude"], place["longitude"]), point)
