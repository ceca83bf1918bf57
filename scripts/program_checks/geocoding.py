"""Names to places and places to names, on the command line."""
from program_checks.parts import part


@part()
def geocoding(here):
    """Finds places by what people type, in words, by parts, and as they type."""
    for query, name, state in [
        ("Atlanta, GA", "Atlanta", "Georgia"), ("Paris, TX", "Paris", "Texas"),
        ("mound bayou mississippi", "Mound Bayou", "Mississippi"), ("74106", "74106", "Oklahoma"),
        ("Saint Louis MO", "St. Louis", "Missouri"), ("Constantinople", "Istanbul", None),
    ]:
        first = here.json("geocode", query)[0]
        here.check(first["name"] == name and state in (first["admin1"], None), f"geocode {query}", first["label"])
    here.run("geocode", "qwxzzy blorp", code=3)
    for query, kind in [("Madsion, Wisconson", "fuzzy"), ("33°44'56\"N 84°23'17\"W", "coordinate"), ("Auburn Ave, Tulsa", "fallback")]:
        first = here.json("geocode", query)[0]
        here.check(first["match_type"] == kind, f"geocode {query} is {kind}", first["label"])
    first = here.json("geocode", "--city", "Paris", "--state", "TX")[0]
    here.check(first["admin1"] == "Texas", "geocode by parts", first["label"])
    first = here.json("suggest", "mound b")[0]
    here.check(first["name"] == "Mound Bayou", "suggest", first["label"])
    ranks = [[p["country_code"] for p in here.json("geocode", *near, "Wellington")].index("za")
             for near in ([], ["--near", "-33.9,18.4"])]
    here.check(ranks[1] < ranks[0], "--near works without = and brings near places forward", ranks)


@part()
def reverse_geocoding(here):
    """Names positions, on land and at sea."""
    for latitude, longitude, country in [(33.7, -84.39, "us"), (-33.93, 18.42, "za"), (-34.6, -58.4, "ar"), (52.52, 13.4, "de")]:
        place = here.json("reverse", latitude, longitude)
        here.check(place["country_code"] == country, f"reverse {latitude} {longitude}", place["label"])
    for latitude, longitude, label in [
        (33.7557, -84.375, "Sweet Auburn, Atlanta, Georgia"), (0, -30, "Atlantic Ocean"), (-90, 0, "Antarctica"),
    ]:
        here.check(here.run("reverse", latitude, longitude, "--format", "text").stdout.strip() == label, f"reverse is {label}")


@part()
def tame_answers(here):
    """Says little back, commands no terminal, and takes decimal numbers only."""
    here.write("batch.csv", 'id,"born in"\n1,Harlem\n')
    long = "zzqxqq\x1b[31m\u202e" + "y" * 100_000
    for command in (["geocode", long], ["suggest", long], ["geocode", "--batch", "batch.csv", "--column", long], ["reverse", long, "1"]):
        said = here.run(*command, code=3 if len(command) == 2 else 2).stderr
        here.check(len(said) < 400 and "\x1b" not in said and "\u202e" not in said, f"{command[0]} says little back", said[:200])
    for wrong in (["reverse", "0x10", "0x10"], ["reverse", "inf", "1"], ["geocode", "Harlem", "--near", "0x10,0x10"],
                  ["geocode", "Harlem", "--min-confidence", "0x1"], ["geocode", "Harlem", "--language", "spanish"],
                  ["geocode", "Harlem", "--limit", "-3"], ["geocode", "Harlem", "--limit", "51"], ["geocode", "Harlem", "--country", "u1"]):
        here.run(*wrong, code=2)
