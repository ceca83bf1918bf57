"""Text folding and the rows of the tables in `geodata/`; `build-geodata` calls these."""

import unicodedata
from collections import Counter, defaultdict

from build_geodata_shapes import Grid, box, points_box

# ---------------------------------------------------------------------------------------------------------------------
# Text folding

UNICODE = "14.0.0"
SPECIAL = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "þ": "th", "æ": "ae", "œ": "oe", "ŧ": "t", "ŋ": "ng",
    "ə": "e", "ǝ": "e", "ɛ": "e", "ɔ": "o", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y", "ɣ": "g", "ʈ": "t", "ɖ": "d",
    "ĸ": "k", "ȷ": "j", "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ٱ": "ا", "ё": "е", "ґ": "г", "є": "е",
    "&": " and ",
}
DROPPED = "'’‘ʻʼʽʾʿˈ`´′＇·ـ"
KEPT_CLASSES = (0, 8, 9)
FOLDED = [(0x80, 0x2100), (0x2150, 0x2190), (0x2C00, 0x3100), (0xA640, 0xA800), (0xFB00, 0xFB50), (0xFE00, 0xFE70),
          (0xFF00, 0xFFF0)]


def fold_character(character):
    """The folded text of one character: '' is dropped, ' ' separates words."""
    if character in DROPPED:
        return ""
    if character in SPECIAL:
        return SPECIAL[character]
    category = unicodedata.category(character)
    if category in ("Cf", "Me") or (category == "Mn" and unicodedata.combining(character) not in KEPT_CLASSES):
        return ""
    if 0xFE00 <= ord(character) <= 0xFE0F:
        return ""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    letters = []
    for part in folded:
        part_category = unicodedata.category(part)
        if part in DROPPED or (part_category == "Mn" and unicodedata.combining(part) not in KEPT_CLASSES):
            continue
        if part_category[0] in "LNM":
            letters.append(SPECIAL.get(part, part))
        else:
            letters.append(" ")
    # Kana with voicing marks and Indic letters keep their composed forms.
    text = unicodedata.normalize("NFC", "".join(letters))
    return " " if text.strip() == "" else text


def fold_pairs():
    """Characters whose fold is not themselves; Han, Hangul, squared and Arabic presentation forms are left alone."""
    pairs = []
    for code in [code for first, last in FOLDED for code in range(first, last)]:
        character = chr(code)
        if unicodedata.category(character) in ("Cn", "Co", "Cs"):
            continue
        text = fold_character(character)
        if text != character:
            pairs.append((code, text))
    return pairs


def fold_name(text):
    """A key at least as fine as the program's own: names with equal keys are the same name to the search."""
    out = []
    for character in text:
        if character == ".":
            out.append(".")
        elif ord(character) < 0x80:
            if character.isalnum():
                out.append(character.lower())
            elif character not in DROPPED:
                out.append(" and " if character == "&" else " ")
        else:
            out.append(fold_character(character))
    return " ".join("".join(out).split())


def fold_runs():
    """Runs (first code, length, stride, text): codes that move by one distance, or all become the same text."""
    pairs, runs, at = fold_pairs(), [], 0
    while at < len(pairs):
        best = (1, 1)
        for stride in (1, 2):
            end = at + 1
            while end < len(pairs) and pairs[end][0] == pairs[end - 1][0] + stride and same_rule(pairs[at], pairs[end]):
                end += 1
            if end - at > best[0]:
                best = (end - at, stride)
        runs.append((pairs[at][0], *best, pairs[at][1]))
        at += best[0]
    return runs


def fold_swift():
    """The fold table as Swift source: `gap[*length][!]=text;` per run, numbers in base 36, `!` for every second code."""
    entries, end = [], 0x80
    for code, length, stride, text in fold_runs():
        shown = "".join("\\u{%X}" % ord(c) if unicodedata.category(c)[0] in "MC" else c for c in text)
        size = "" if length == 1 else "*" + base36(length)
        entries.append(base36(code - end) + size + ("!" if stride == 2 else "") + "=" + shown + ";")
        end = code + (length - 1) * stride + 1
    lines, line = [], ""
    for entry in entries:
        if len(line) + len(entry) > 112:
            lines.append(line)
            line = ""
        line += entry
    lines.append(line)
    body = "\\\n".join("        " + line for line in lines) + "\n"
    return (
        "// Written by scripts/build-geodata from Unicode %s; do not edit.\n\n" % UNICODE
        + "extension FoldTable {\n    /// One entry per run: `gap[*length][!]=text;`, numbers in base 36, `!` for every"
        + " second code.\n    static let encoded = \"\"\"\n" + body + "        \"\"\"\n}\n"
    )


def base36(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[number] if number < 36 else base36(number // 36) + digits[number % 36]


def same_rule(first, other):
    if len(first[1]) == 1 and len(other[1]) == 1 and first[1] != " ":
        return ord(other[1]) - other[0] == ord(first[1]) - first[0]
    return first[1] == other[1] and first[1] in ("", " ")


def text_rows(rows):
    return "".join("\t".join(str(cell) for cell in row) + "\n" for row in rows).encode("utf-8")


def most_common(counter):
    """The most frequent item; ties go to the smaller, so that the answer does not depend on order."""
    return min(counter.items(), key=lambda item: (-item[1], item[0]))[0]


# ---------------------------------------------------------------------------------------------------------------------
# Tables

COUNTY_WORDS = {  # LSAD codes of the Census Bureau's cartographic boundary files
    "00": "", "03": " City and Borough", "04": " Borough", "05": " Census Area", "06": " County", "07": " District",
    "10": " Island", "12": " Municipality", "13": " Municipio", "15": " Parish", "25": " city",
}


def number(value):
    """A coordinate as text with at most five decimals, about a metre."""
    return ("%.5f" % value).rstrip("0").rstrip(".") or "0"


def placed(point, bounds):
    return [number(value) for value in (*point, *bounds)]


def distinct_names(name, others):
    """The other names whose folded key differs from that of `name` and of each other, in their own order."""
    seen, kept = {fold_name(name), ""}, []
    for other in others:
        key = fold_name(other)
        if key not in seen:
            seen.add(key)
            kept.append(" ".join(other.replace("|", " ").split()))
    return kept


def county_rows(shapes, states):
    rows = []
    for area, row in shapes:
        state = states[row["STATEFP"]]["STUSPS"]
        full = row["NAME"] + COUNTY_WORDS[row["LSAD"]]
        rows.append([row["GEOID"], full, row["NAME"], state, *placed(area.centroid(), box([area]))])
    return sorted(rows)


def place_rows(places, counties, geoids, districts):
    """Rows of places.tsv, ordered so that similar rows meet (it packs better), with the county or district of each."""
    rows = []
    for place in sorted(places, key=lambda p: (p["countrycode"], p["admin1code"], p["geonameid"])):
        county = districts.get(place["geonameid"], "")
        if place["countrycode"] in ("US", "PR"):
            found = counties.nearest(place["latitude"], place["longitude"])
            county = geoids[found] if found is not None else ""
        rows.append([
            place["geonameid"], place["name"], number(place["latitude"]), number(place["longitude"]),
            place["countrycode"], place["admin1code"], county, place["population"],
            "|".join(distinct_names(place["name"], sorted(place["alternatenames"]))),
        ])
    return rows


def region_names(places, known):
    """The name of every (country, admin1 code), by joining places on their exact coordinates."""
    names = {(row["country_code"], row["latitude"], row["longitude"]): row.get("state") for row in known}
    votes = defaultdict(Counter)
    for place in places:
        name = names.get((place["countrycode"], place["latitude"], place["longitude"]))
        if name and place["admin1code"]:
            votes[place["countrycode"], place["admin1code"]][name] += 1
    return {key: most_common(counter) for key, counter in votes.items()}


def region_rows(places, names, shapes, aliases):
    """Rows of regions.tsv: a region owns the Natural Earth polygons that at least 4 in 5 of whose places it holds."""
    grid, members, votes = Grid([area for area, _ in shapes]), defaultdict(list), defaultdict(Counter)
    for place in places:
        key = (place["countrycode"], place["admin1code"])
        if not key[1]:
            continue
        members[key].append(place)
        found = grid.find(place["latitude"], place["longitude"])
        if found is not None:
            votes[found][key] += 1
    owned = defaultdict(list)
    for index, counter in sorted(votes.items()):
        winner = most_common(counter)
        if counter[winner] >= 0.8 * sum(counter.values()) and shapes[index][1]["iso_a2"] == winner[0]:
            owned[winner].append(index)
    rows = []
    for key, inside in sorted(members.items()):
        others, source = [], "places"
        points = [(place["latitude"], place["longitude"]) for place in inside]
        shape = [shapes[index] for index in owned[key]]
        # Polygons count only if together they hold most of the region; a town district must not stand for a province.
        held = sum(votes[index][key] for index in owned[key])
        if shape and held >= 0.6 * len(inside):
            source = "natural-earth"
            areas = [area for area, _ in shape]
            bounds = box(areas)
            point = max(areas, key=lambda area: (area.high - area.low) * (area.north - area.south)).centroid()
            if len(shape) == 1:
                row = shape[0][1]
                others = [row["name"], row["woe_name"], row["gn_name"]]
        else:
            bounds = points_box(points)
            largest = max(inside, key=lambda place: (place["population"], -place["geonameid"]))
            point = (largest["latitude"], largest["longitude"])
        name = names.get(key) or next((other for other in others if other), None)
        if not name or key[0] == "US":
            continue
        extra, abbreviations = aliases.get(("region", "%s.%s" % key), ("", ""))
        listed = distinct_names(name, [other for other in others if other] + extra.split("|"))
        rows.append([*key, name, *placed(point, bounds), sum(place["population"] for place in inside), source,
                     "|".join(listed), abbreviations])
    return rows


def state_rows(states, shapes, places, aliases):
    """Rows of states.tsv: the fifty states and the District of Columbia."""
    population = Counter()
    for place in places:
        if place["countrycode"] == "US":
            population[place["admin1code"]] += place["population"]
    outlines = {row["STUSPS"]: (area, row) for area, row in shapes}
    rows = []
    for code, state in sorted(states.items()):
        area, row = outlines[code]
        extra, abbreviations = aliases.get(("state", code), ("", ""))
        rows.append([state["geonameid"], code, row["STATEFP"], row["NAME"], *placed(area.centroid(), box([area])),
                     population[code], extra, abbreviations])
    return rows


def country_rows(countries, shapes, places, aliases):
    outlines = {row["iso_a2"]: area for area, row in shapes}
    inside = defaultdict(list)
    for place in places:
        inside[place["countrycode"]].append((place["latitude"], place["longitude"]))
    capitals = defaultdict(list)
    for place in places:
        capitals[place["countrycode"], fold_name(place["name"])].append(place)
    rows = []
    for code, country in sorted(countries.items()):
        if code in outlines:
            point, bounds = outlines[code].centroid(), box([outlines[code]])
        elif inside[code]:
            middle = inside[code]
            point, bounds = (sum(y for y, _ in middle) / len(middle), sum(x for _, x in middle) / len(middle)), \
                points_box(middle)
        else:
            continue
        extra, abbreviations = aliases.get(("country", code), ("", ""))
        found = capitals[code, fold_name(country["capital"])]
        capital = max(found, key=lambda place: place["population"])["geonameid"] if found else ""
        rows.append([country["geonameid"], code, country["iso3"], country["name"], *placed(point, bounds),
                     country["population"], capital, "|".join(distinct_names(country["name"], extra.split("|"))),
                     abbreviations])
    return rows


def zip_rows(codes):
    rows = set()
    for code in codes:
        if code["lat"] and code["long"] and (float(code["lat"]), float(code["long"])) != (0.0, 0.0):
            rows.add((code["zip_code"], code["city"], code["state"], number(float(code["lat"])),
                      number(float(code["long"]))))
    return sorted(rows)
