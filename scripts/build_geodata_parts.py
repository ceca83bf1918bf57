"""Which places of GeoNames are parts of a city: the packaged data does not say, so `build-geodata` infers it."""

import math
from collections import defaultdict

from build_geodata_supplement import kilometres

# People per square kilometre of a built-up area: gives the reach of a city from its population.
DENSITY = 4000.0
SMALLEST_CITY = 100_000
# A part has at most this share of the people of its city.
LARGEST_SHARE = 0.2
# Larger ones than this are rather cities beside a city.
LARGEST_PART = 230_000
# Where the smallest municipalities stand wall to wall with the big city, nearness proves nothing.
WITHOUT = {"FR", "BE", "MO", "MC"}
# The boroughs of New York, larger than what is inferred, by geonameid.
NEW_YORK = 5128581
BOROUGHS = {"Brooklyn": 5110302, "Queens": 5133273, "Bronx": 5110266, "Manhattan": 5125771, "Staten Island": 5139568}
WASHINGTON = 4140963
# Parts of cities to which GeoNames gives the people of the whole city, by geonameid: the city, and people of the part.
TWINS = {
    4645421: (4641239, 0), 4951305: (4930956, 35000), 4385018: (4391812, 0), 4903976: (4905687, 0),
    5317071: (5317058, 0), 4839745: (4843564, 0), 4756955: (4762894, 0), 4333190: (4333177, 0),
}
# Municipalities inside or beside a city whose mail goes by the city's name.
SUBURBS = {
    ("CA", "Commerce"), ("CA", "Cudahy"), ("CO", "Glendale"), ("FL", "Gulfport"), ("IL", "Stickney"),
    ("KY", "Parkway Village"), ("MO", "North Kansas City"), ("NJ", "East Newark"), ("NJ", "Prospect Park"),
    ("NY", "Pelham Manor"), ("OH", "Bexley"), ("OH", "Grandview Heights"), ("OH", "Marble Cliff"),
    ("OH", "Upper Arlington"), ("OH", "Valley View"), ("PA", "Mount Oliver"), ("AZ", "South Tucson"),
    ("TN", "Berry Hill"), ("TX", "Alamo Heights"), ("TX", "Highland Park"), ("TX", "Olmos Park"),
    ("TX", "Rollingwood"), ("TX", "Southside Place"), ("TX", "Terrell Hills"), ("TX", "University Park"),
    ("TX", "West Lake Hills"), ("TX", "West University Place"), ("MN", "West Saint Paul"), ("WI", "Shorewood Hills"),
}


def part_rows(places, zip_rows, fold):
    """Rows (id, city) of parts.tsv.

    A part lies well within the reach of a much larger city of its country and region. In the USA, where suburbs of
    their own right stand close as well, the post must not know it as a city, unless it lies in the District of
    Columbia.
    """
    posts = {(fold(city).replace("saint ", "st. "), state) for _, city, state, _, _ in zip_rows}
    cells = defaultdict(list)
    for place in places:
        if place["population"] >= SMALLEST_CITY:
            cells[round(place["latitude"]), round(place["longitude"])].append(place)
    rows = {}
    for place in places:
        city = containing_city(place, cells)
        if city is None:
            continue
        if place["countrycode"] == "US" and city["geonameid"] != WASHINGTON:
            name = fold(place["name"]).replace("saint ", "st. ")
            if (name, place["admin1code"]) in posts or (place["admin1code"], place["name"]) in SUBURBS:
                continue
        rows[place["geonameid"]] = city["geonameid"]
    known = {place["geonameid"]: place["name"] for place in places}
    for name, number in BOROUGHS.items():
        if known.get(number) != name and name not in known.get(number, ""):
            raise SystemExit("build-geodata: %d is not %s but %s" % (number, name, known.get(number)))
        rows[number] = NEW_YORK
    for number, (city, _) in TWINS.items():
        if number not in known or city not in known:
            raise SystemExit("build-geodata: %d or %d is not known any more" % (number, city))
        rows[number] = city
    # A part of a part belongs to the whole.
    for number in sorted(rows):
        while rows[number] in rows and rows[rows[number]] != number:
            rows[number] = rows[rows[number]]
    return sorted(rows.items())


def containing_city(place, cells):
    """The city whose inner reach the place lies deepest in, if any."""
    if place["countrycode"] in WITHOUT:
        return None
    best, answer = 1.0, None
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            for city in cells[round(place["latitude"]) + dy, round(place["longitude"]) + dx]:
                if city["countrycode"] != place["countrycode"] or city["admin1code"] != place["admin1code"]:
                    continue
                if place["population"] > min(LARGEST_PART, LARGEST_SHARE * city["population"]) or city is place:
                    continue
                inner = 0.8 if place["countrycode"] == "US" else 0.6
                reach = inner * math.sqrt(city["population"] / DENSITY / math.pi)
                if place["admin1code"] == "DC" and place["countrycode"] == "US":
                    reach = 20.0
                away = kilometres((place["latitude"], place["longitude"]), (city["latitude"], city["longitude"]))
                if away / reach < best:
                    best, answer = away / reach, city
    return answer
