"""Second-level districts of the world for `build-geodata`: the units of Natural Earth that are finer than GeoNames' regions.

English counties, French departments, Italian and Spanish provinces and the like are first-level units in Natural Earth,
of which GeoNames puts several into one region.
"""

import re
import unicodedata
from collections import Counter, defaultdict

from build_geodata import distinct_names, fold_name, most_common, placed
from build_geodata_shapes import Grid, box

# A unit belongs to a region that holds so large a share of the places in it.
SHARE = 0.6


def slug(text):
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain.replace("'", "")).strip("-")


def district_rows(places, names, shapes):
    """Rows of districts.tsv, and the id of the district of each place by geonameid."""
    grid, votes, unit_of = Grid([area for area, _ in shapes]), defaultdict(Counter), {}
    for place in places:
        if place["countrycode"] in ("US", "PR") or not place["admin1code"]:
            continue
        found = grid.find(place["latitude"], place["longitude"])
        if found is not None and shapes[found][1]["iso_a2"] == place["countrycode"]:
            votes[found][place["countrycode"], place["admin1code"]] += 1
            unit_of[place["geonameid"]] = found
    regions = {}
    for unit, counter in sorted(votes.items()):
        region = most_common(counter)
        if counter[region] >= SHARE * sum(counter.values()):
            regions[unit] = region
    count = Counter(regions.values())
    # Natural Earth calls several units by the name of what they once were a part of; that is no name of theirs.
    shared = Counter((shapes[unit][1]["iso_a2"], fold_name(word)) for unit in regions
                     for word in {shapes[unit][1]["name"], shapes[unit][1]["woe_name"]} if word)
    rows, ids = [], {}
    for unit, region in regions.items():
        area, row = shapes[unit]
        name = row["name"] or row["woe_name"]
        if count[region] < 2 or not name or not slug(name):
            continue
        if fold_name(name) == fold_name(names.get(region, "")):
            continue
        ident = "%s.%s" % (region[0], slug(name))
        if ident in ids.values():
            continue
        ids[unit] = ident
        others = [other for other in (row["woe_name"], row["gn_name"])
                  if other and shared[region[0], fold_name(other)] < 2]
        rows.append([ident, name, *region, *placed(area.centroid(), box([area])),
                     "|".join(distinct_names(name, others))])
    own = {place["geonameid"]: ids[unit_of[place["geonameid"]]] for place in places
           if unit_of.get(place["geonameid"]) in ids
           and regions[unit_of[place["geonameid"]]] == (place["countrycode"], place["admin1code"])}
    return sorted(rows), own
