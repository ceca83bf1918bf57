"""What check-page-safety tries in the pages: titles, pictures, and another site."""
import http.server
import struct
import zlib

TITLES = {
    "an image with a handler": "<img src=x onerror=\"window.harmed='image'\">",
    "a script": "\"></h3><script>window.harmed='script'</script>",
    "a frame": "<iframe srcdoc=\"<script>parent.harmed='frame'</script>\"></iframe>",
    "an address that is a script": "javascript:window.harmed='link'",
    "direction marks": "\u202Eelttit lamron A\u202C \u2066never closed \u200F\u061C",
    "marks without end": "Z" + "\u0335\u0321\u0489" * 60,
    "one long word": "W" * 300,
}
SVG = b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.harmed='svg'\"><script>window.harmed='svg'</script><rect width=\"9\" height=\"9\"/></svg>"


def png(width, height, body):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def bomb(side):
    """A whole picture of so many pixels each way, all black, in a few hundred kilobytes."""
    packer, row = zlib.compressobj(9), bytes(1 + side // 8)
    return png(side, side, b"".join(packer.compress(row * 100) for _ in range(side // 100)) + packer.flush())


def pictures():
    whole = png(64, 64, zlib.compress(bytes(64 * 9)))
    return {
        "a drawing with a script": ("image.svg", "image/svg+xml", SVG),
        "the same by another name": ("image.png", "image/png", SVG),
        "the header of a bomb": ("bomb.png", "image/png", png(50_000, 50_000, zlib.compress(bytes(100)))),
        "a whole bomb of 50,000 by 50,000": ("bomb.png", "image/png", bomb(50_000)),
        "garbage": ("photo.jpg", "image/jpeg", bytes(range(256)) * 40),
        "garbage that begins well": ("photo.jpg", "image/jpeg", b"\xff\xd8\xff\xe0\x00\x10JFIF\0" + bytes(range(256)) * 40),
        "a picture cut off": ("photo.png", "image/png", whole[:len(whole) // 2]),
        "nothing": ("photo.jpg", "image/jpeg", b""),
    }


class Attacker(http.server.BaseHTTPRequestHandler):
    """Another site: it serves one page, and notes whatever else reaches it."""

    page, heard = b"", []

    def do_GET(self):  # noqa: N802
        if self.path != "/":
            Attacker.heard.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(Attacker.page)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_):
        pass
