"""Maps as pictures, read by programs that others wrote; and the map in frames of other sites."""
import os
import urllib.error
import urllib.request
import xml.etree.ElementTree

from program_checks.folder import status_of
from program_checks.parts import part
from program_checks.prepared import PILLOW, own_stories

SVG = "{http://www.w3.org/2000/svg}"
WORLD = "-180,-60,180,75"


def drawn(path):
    """A drawing as an XML parser reads it: its root, and how many stories its markers count."""
    root = xml.etree.ElementTree.parse(path).getroot()
    texts = [text.text for text in root.iter(SVG + "text") if text.get("font-weight") == "bold" and text.text.replace(",", "").isdigit()]
    # What is pointed at says what it is: each marker has a title, the drawing too.
    singles = sum(1 for group in root.findall(SVG + "g") if group.find(SVG + "title") is not None and group.find(SVG + "text") is None)
    return root, singles + sum(int(text.replace(",", "")) for text in texts)


@part(own_stories, PILLOW)
def render(here):
    """Draws the map as SVG and PNG, which other programs read; the counts are those of the clusters."""
    here.run("render", "--bbox", WORLD, "--zoom", "1", "-o", "world.svg")
    root, stories = drawn(here / "world.svg")
    clusters = here.clusters(WORLD, 1)["features"]
    here.check(stories == sum(f["properties"].get("point_count", 1) for f in clusters) == 6, "the counts are exact", stories)
    here.check({e.tag.removeprefix(SVG) for e in root.iter()} <= {"svg", "title", "rect", "g", "path", "text", "circle"}, "nothing but shapes and text")
    here.check(not any("href" in name or name.startswith("on") for e in root.iter() for name in e.attrib), "no reference and no script")
    words = " ".join(root.itertext())
    here.check("GSHHG" in words and "GeoNames" in words, "the sources are named", words[-300:])
    here.run("render", "--bbox", "179,-20,-179,-10", "--zoom", "6", "-o", "fiji.svg")
    here.check(drawn(here / "fiji.svg")[1] == 2, "over the antimeridian both sides are drawn")
    here.run("render", "--bbox", WORLD, "--size", "800x500", "--tag", "church", "-o", "church.svg")
    root, stories = drawn(here / "church.svg")
    here.check((root.get("width"), root.get("height"), stories) == ("800", "500", 2), "--size and filters", (root.attrib, stories))
    pixels(here)
    refusals(here)


def pixels(here):
    """Pictures of pixels, read by Pillow."""
    Image = here.module(PILLOW, "PIL.Image")
    colours = {}
    for look in ["light", "dark"]:
        here.run("render", "--bbox", "-85,33,-84,34", "--size", "360x300", "--look", look, "-o", f"{look}.png")
        with Image.open(here / f"{look}.png") as picture:
            picture.load()
            here.check((picture.format, picture.size) == ("PNG", (360, 300)), f"{look}: a PNG of that size", picture.size)
            counted = picture.convert("RGB").getcolors(200_000)
            here.check(counted is not None and len(counted) > 50, f"{look}: it has land, letters and a marker")
            colours[look] = max(counted)[1]
            here.check(not picture.info.get("Software") and not hasattr(picture, "text") or picture.text == {}, "no words beside the pixels")
    here.check(sum(colours["light"]) > 600 and sum(colours["dark"]) < 300, "light is light and dark is dark", colours)


def refusals(here):
    """What cannot be drawn is said in words, and leaves no file."""
    before = sorted(here.path.iterdir())
    box = ["--bbox", "-85,33,-84,34"]
    for arguments in [
        ["--bbox", "-85,34,-84,33", "--zoom", "5", "-o", "bad.svg"], ["--bbox", "1,2,3", "-o", "bad.svg"], [*box, "--zoom", "21", "-o", "bad.svg"],
        [*box, "--zoom", "-1", "-o", "bad.svg"], [*box, "--zoom", "18", "-o", "bad.png"], [*box, "--size", "0x10", "-o", "bad.svg"],
        [*box, "--size", "99999x99999", "-o", "bad.png"], [*box, "--size", "wide", "-o", "bad.svg"], [*box, "-o", "bad.gif"], [*box, "-o", "bad"],
        [*box, "--as", "nobody", "-o", "bad.svg"], [*box, "--user", "nobody", "-o", "bad.svg"], [*box, "--look", "blue", "-o", "bad.svg"],
        ["--bbox", "-85,33,-85,33", "--zoom", "5", "-o", "bad.svg"], ["--bbox", "10,86,20,90", "--zoom", "5", "-o", "bad.svg"],
    ]:
        here.run("render", *arguments, code=2)
    here.run("render", *box, "-o", "no/such/folder/bad.svg", code=1)
    os.mkdir(here / "folder.svg")
    here.run("render", *box, "-o", "folder.svg", code=1)
    os.rmdir(here / "folder.svg")
    here.check([path for path in sorted(here.path.iterdir()) if "bad" in path.name or path not in before] == [], "refused pictures leave nothing behind")


@part(own_stories)
def embedding(here):
    """Only the named sites may show the map in a frame, and no other page may be shown in one."""
    for site in ["museum.example", "https://museum.example/", "http://museum.example", "https://*.example", "'self'", "https://a.example; x"]:
        here.run("serve", "--port", "0", "--allow-embedding", site, code=2)
    with here.serving("--allow-embedding", "https://museum.example", "--allow-embedding", "http://localhost:8412") as (address, _):
        here.check(ancestors(address + "/embed") == "http://localhost:8412 https://museum.example", "the named sites may show it")
        for path in ["/", "/walk", "/assets/index.html", "/assets/walk.html", "/stories/none"]:
            here.check(ancestors(address + path) == "'none'", f"{path} is in no frame", ancestors(address + path))
        here.check(absent(address + "/assets/embed.html"), "the map in a frame has one address")
    with here.serving() as (address, _):
        here.check(absent(address + "/embed"), "without the option there is no such page")


def absent(address):
    """Whether there is no such page, and the answer that says so may be shown in no frame."""
    return status_of(address) == 404 and ancestors(address) == "'none'"


def ancestors(address):
    """Which sites may show a page in a frame; None if it has no policy."""
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    try:
        headers = urllib.request.urlopen(request).headers
    except urllib.error.HTTPError as error:
        headers = error.headers
    rules = [rule.strip().split(" ", 1) for rule in (headers["Content-Security-Policy"] or "").split(";")]
    return next((rule[1] for rule in rules if rule[0] == "frame-ancestors"), None)
