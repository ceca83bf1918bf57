"""The hand-written former names for `build-geodata`: every row is checked and joined to the places of GeoNames."""
import sys

COLUMNS = ["place", "now", "name", "from_year", "to_year"]


def former_rows(path, places, countries):
    """The rows of former.tsv without today's name, which is there for the reader.

    `places` are the ids and names of GeoNames, `countries` the codes of two letters. Exits with one line for each row that is
    wrong: a place that is unknown or has another name by now, years that are missing or in the wrong order.
    """
    with open(path, encoding="utf-8") as handle:
        lines = [line.rstrip("\n").split("\t") for line in handle]
    if lines[0] != COLUMNS:
        sys.exit("former.tsv: expected the columns %s" % ", ".join(COLUMNS))
    rows, wrong = [], []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(COLUMNS):
            wrong.append("former.tsv:%d: expected %d fields, found %d" % (number, len(COLUMNS), len(line)))
            continue
        place, now, name, first, last = line
        if places.get(place) != now if now else place not in countries:
            wrong.append("former.tsv:%d: %s is not %s" % (number, place, now or "the code of a country"))
        if not last.isdigit() or first and (not first.isdigit() or int(first) > int(last)):
            wrong.append("former.tsv:%d: %s-%s is no span of years" % (number, first, last))
        rows.append([place, name, first, last])
    if wrong:
        sys.exit("\n".join(wrong))
    return rows
