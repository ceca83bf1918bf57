"""The table of readers in the guide."""
from readers_parts.stories import ROOT

GUIDE = ROOT / "scripts" / "guide" / "formats.md"
BEGIN, END = "<!-- made by scripts/check-readers --write -->\n", "<!-- end of readers -->\n"
SOURCES = ["database", "gpkg", "geojson", "ndjson", "csv", "kml", "gpx", "lpf", "navplace", "mbtiles", "pmtiles", "OGC API"]


def rows(found):
    """A row for each source, a column for each reader."""
    names = [f"{part['name']} {part['version'].split(' ')[0]}" for part in found]
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(found) + 1) + "|"]
    for source in SOURCES:
        lines.append(f"| {source} | " + " | ".join(part["opened"].get(source, "—") for part in found) + " |")
    return lines


def remarks(found):
    return [f"- {part['name']} {part['version']}: {'; '.join(part['remarks'])}." for part in found if part["remarks"]]


def write(found):
    """Writes what each reader opened between the marks of the guide."""
    text = GUIDE.read_text(encoding="utf-8")
    start, end = text.index(BEGIN), text.index(END)
    GUIDE.write_text(text[:start] + BEGIN + "\n".join([*rows(found), "", *remarks(found)]) + "\n" + text[end:], encoding="utf-8")
