"""Pictures of stories: sent to the program, looked at with a reader that others wrote, and refused where they are none."""
import contextlib
import http.client
import io
import json
import struct
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib

from program_checks.folder import get, status_of
from program_checks.parts import part
from program_checks.prepared import PILLOW

LIMIT = 10_000_000
GPS = {1: "N", 2: (33.0, 45.0, 18.0), 3: "W", 4: (84.0, 22.0, 24.0)}
COLOURS = [(220, 20, 20), (20, 180, 40), (30, 40, 210), (250, 250, 250)]


@part(PILLOW)
def pictures(here):
    """Gives stories pictures, reads them with Pillow, and tries what is no picture."""
    Image = here.module(PILLOW, "PIL.Image")
    database = ["--database", "pictures.db"]
    for user in ("ana", "ben"):
        here.run("users", "add", user, *database)
    tokens = {user: here.run("tokens", "issue", "--user", user, *database).stdout.strip() for user in ("ana", "ben")}
    with here.serving("--media-origin", "https://media.example", *database) as (address, _):
        story = send(address + "/v1/stories", "POST", tokens["ana"], b'{"kind":"photo","title":"The porch"}')[1]["id"]
        url = f"{address}/v1/stories/{story}/thumbnail"
        for orientation in range(1, 9):
            upright(here, Image, url, tokens["ana"], orientation)
        for kind in ("PNG", "WEBP"):
            status, body = send(url, "PUT", tokens["ana"], encoded(drawing(Image, 1000, 600), kind))
            here.check(status == 200 and body["thumbnail"]["width"] == 400 and body["thumbnail"]["height"] == 240, f"a {kind}", body)
        kept = fetch(url)
        hostile(here, Image, url, tokens["ana"])
        here.check(fetch(url) == kept, "what is refused leaves the picture as it is")
        others(here, address, url, tokens)
        exported(here, address, tokens["ana"], story, kept)
        here.check(send(url, "DELETE", tokens["ana"])[0] == 204 and status_of(url) == 404, "a picture is removed")
        with urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": "text/html"})) as page:
            policy = page.headers["Content-Security-Policy"]
        here.check("media-src 'self' https://media.example;" in policy, "the page may play media of the named origin", policy)
    for origin in ["media.example", "http://media.example", "https://media.example/", "https://*", "https://a;script-src *"]:
        here.run("serve", "--port", "0", "--media-origin", origin, "--database", "mistyped.db", code=2)


@part(PILLOW)
def demo_pictures(here):
    """Looks at the pictures of the demo."""
    Image = here.module(PILLOW, "PIL.Image")
    with here.serving("--demo", "--database", "demo.db") as (address, _):
        shown = []
        page = f"{address}/v1/stories?limit=100"
        while page:
            answer = get(page)
            shown += [feature for feature in answer["features"] if feature["properties"]["thumbnail"]]
            page = next((address + link["href"] for link in answer["links"] if link["rel"] == "next"), None)
        here.check(6 <= len(shown) <= 10, "the demo has a handful of pictures", len(shown))
        for feature in shown:
            properties = feature["properties"]
            named = properties["thumbnail"]
            picture = Image.open(io.BytesIO(fetch(address + named["url"])))
            here.check(picture.size == (named["width"], named["height"]) and bool(properties["alt"]), properties["title"], named)
        alone = 0
        for feature in shown:
            if not feature["geometry"]:
                continue
            place = feature["geometry"]["coordinates"]
            box = ",".join(str(degrees + sign * 0.002) for sign in (-1, 1) for degrees in place)
            for marker in get(f"{address}/v1/clusters?bbox={box}&zoom=18")["features"]:
                if marker.get("id") != feature["id"] or marker["properties"].get("stories_here", 1) > 1:
                    continue
                alone += 1
                named = marker["properties"].get("thumbnail")
                here.check(named == feature["properties"]["thumbnail"]["url"], f"the marker of {feature['properties']['title']}", named)
        here.check(alone > 0, "some stories with a picture stand alone on the map", alone)


def drawing(Image, width, height):
    """Four quarters, each of a colour of its own."""
    picture = Image.new("RGB", (width, height))
    for number, colour in enumerate(COLOURS):
        picture.paste(colour, (number % 2 * width // 2, number // 2 * height // 2, (number % 2 + 1) * width // 2, (number // 2 + 1) * height // 2))
    return picture


def encoded(picture, kind, **options):
    data = io.BytesIO()
    picture.save(data, kind, **options)
    return data.getvalue()


def upright(here, Image, url, token, orientation):
    """A photograph as a camera held any way writes it, with where and when it was taken."""
    # How a camera turned so stores a scene that is upright: the inverse of what a reader must do.
    T = Image.Transpose
    turn = [None, None, T.FLIP_LEFT_RIGHT, T.ROTATE_180, T.FLIP_TOP_BOTTOM, T.TRANSPOSE, T.ROTATE_90, T.TRANSVERSE, T.ROTATE_270][orientation]
    scene = drawing(Image, 1200, 900)
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "Secretcamera"
    exif.get_ifd(0x8825).update(GPS)
    photograph = encoded(scene if turn is None else scene.transpose(turn), "JPEG", quality=90, exif=exif, comment=b"Secretcomment")
    here.check(b"Secretcamera" in photograph, "the photograph has metadata")
    status, body = send(url, "PUT", token, photograph)
    told = body.get("thumbnail") or {}
    here.check(status == 200 and (told.get("width"), told.get("height")) == (400, 300), f"orientation {orientation}", body)
    bytes_ = fetch(url)
    picture = Image.open(io.BytesIO(bytes_))
    here.check(picture.format == "JPEG" and picture.size == (400, 300), f"orientation {orientation}: format and size", picture)
    here.check(not picture.getexif() and b"Secret" not in bytes_ and "comment" not in picture.info, "nothing but pixels is kept")
    for number, colour in enumerate(COLOURS):
        found = picture.getpixel((100 + number % 2 * 200, 75 + number // 2 * 150))
        here.check(max(abs(a - b) for a, b in zip(found, colour)) <= 12, f"orientation {orientation}: quarter {number}", found)


def hostile(here, Image, url, token):
    """What is no picture, or too much of one, is refused in words."""
    good = encoded(drawing(Image, 800, 600), "JPEG")
    frames = [drawing(Image, 40, 30), drawing(Image, 40, 30).rotate(180)]
    moving = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    for what, data, words in [
        ("nothing", b"", "empty"), ("a text", b"hello", "JPEG, PNG or WebP"),
        ("an SVG", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "JPEG, PNG or WebP"),
        ("a GIF", encoded(drawing(Image, 40, 30), "GIF"), "JPEG, PNG or WebP"), ("an animation", moving, "animation"),
        ("a JPEG cut off", good[:300], "damaged"), ("a PNG cut off", encoded(drawing(Image, 90, 60), "PNG")[:120], "damaged"),
        ("a bomb of 50,000 pixels a side", bomb(50_000, 50_000), "50000 × 50000"), ("a wide bomb", bomb(900_000, 1), "maximum"), ("the widest", bomb(2 ** 31 - 1, 1), "damaged"),
        ("a bomb within the sides", bomb(20_000, 20_000), "maximum"), ("a picture without pixels", bomb(0, 5), "damaged"),
    ]:
        status, body = send(url, "PUT", token, data)
        here.check(status == 422 and words in body.get("detail", ""), what, body)
    here.check(announced(url, token, LIMIT + 1, good) == 413, "one byte too many, by the length that is announced")
    kept = fetch(url)
    here.check(send(url, "PUT", token, good + b"\0" * (LIMIT - len(good)))[0] == 200, "as many bytes as may be")
    here.check(send(url, "PUT", token, kept)[0] == 200, "its own picture is one too")
    here.check(send(url, "PUT", token, encoded(drawing(Image, 1000, 600), "WEBP"))[0] == 200, "the picture from before")


def bomb(width, height):
    """A PNG that declares a size and holds next to nothing."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 9_000)) + chunk(b"IEND", b"")


def others(here, address, url, tokens):
    """A picture is as visible as its story, and for nobody else to change."""
    here.check(send(url, "PUT", tokens["ben"], b"x")[0] == 403 and send(url, "DELETE", tokens["ben"])[0] == 403, "others change nothing")
    with urllib.request.urlopen(url) as answer:
        tag = answer.headers["ETag"]
        here.check(answer.headers["Content-Type"] == "image/jpeg" and answer.headers["X-Content-Type-Options"] == "nosniff", "the type is certain")
    here.check(status_of(url, {"If-None-Match": tag}) == 304, "an unchanged picture is 304")
    story = url.rsplit("/", 1)[0]
    send(story, "PATCH", tokens["ana"], b'{"privacy":"private"}')
    absent = f"{address}/v1/stories/{'0' * 32}/thumbnail"
    headers = {"Authorization": f"Bearer {tokens['ben']}", "X-Request-Id": "same"}
    here.check(refusal(url, headers) == refusal(absent, headers), "a picture of others is as if it never was")
    here.check(status_of(url, {"Authorization": f"Bearer {tokens['ana']}"}) == 200, "its owner sees it")
    send(story, "PATCH", tokens["ana"], b'{"privacy":"public"}')


def exported(here, address, token, story, picture):
    """The export has the picture as a file."""
    request = urllib.request.Request(address + "/v1/me/export", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer, zipfile.ZipFile(io.BytesIO(answer.read())) as archive:
        names = [name for name in archive.namelist() if name.startswith("pictures/")]
        here.check(names == [f"pictures/{story}.jpg"] and archive.read(names[0]) == picture, "the export has the picture", names)


def send(url, method, token, data=None):
    request = urllib.request.Request(url, data, {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            body = answer.read()
            return answer.status, json.loads(body) if body else {}
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")
    except urllib.error.URLError as error:
        return 0, {"detail": str(error)}


def announced(url, token, length, beginning):
    """The status of the answer to a body of so many bytes, of which only the beginning is sent."""
    parts = urllib.parse.urlsplit(url)
    with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=60)) as connection:
        connection.putrequest("PUT", parts.path)
        for name, value in [("Authorization", f"Bearer {token}"), ("Content-Type", "application/octet-stream"), ("Content-Length", length)]:
            connection.putheader(name, value)
        connection.endheaders(beginning)
        return connection.getresponse().status


def fetch(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def refusal(url, headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code, error.read(), sorted((name, value) for name, value in error.headers.items() if name != "Date")
