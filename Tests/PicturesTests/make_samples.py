#!/usr/bin/env python3
"""Makes the pictures in Samples with Pillow 13.0.0; the same version gives the same bytes.

Each shows four quarters: red, green / blue, white. Those of `turned-N.jpg` are stored so that the orientation N in
their EXIF turns them upright.
"""
import pathlib
import struct
import zlib

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent / "Samples"
RED, GREEN, BLUE, WHITE = (220, 20, 20), (20, 180, 40), (30, 40, 210), (250, 250, 250)
# The transposition that stores an upright picture as a camera held this way does.
STORED = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_90", 7: "TRANSVERSE", 8: "ROTATE_270"}


def scene(width, height):
    picture = Image.new("RGB", (width, height), WHITE)
    for colour, x, y in [(RED, 0, 0), (GREEN, 1, 0), (BLUE, 0, 1)]:
        picture.paste(colour, (x * width // 2, y * height // 2, (x + 1) * width // 2, (y + 1) * height // 2))
    return picture


def with_position(orientation):
    """EXIF with an orientation, a camera and a position."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "Secret camera"
    exif[0x8825] = {1: "N", 2: (33.0, 45.0, 19.0), 3: "W", 4: (84.0, 22.0, 25.0)}
    return exif


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def main():
    HERE.mkdir(exist_ok=True)
    picture = scene(640, 480)
    for orientation in range(1, 9):
        stored = picture.transpose(Image.Transpose[STORED[orientation]]) if orientation in STORED else picture
        stored.save(HERE / f"turned-{orientation}.jpg", quality=70, exif=with_position(orientation))
    picture.save(HERE / "progressive.jpg", quality=70, progressive=True)
    picture.convert("CMYK").save(HERE / "ink.jpg", quality=70)
    picture.convert("L").save(HERE / "grey.jpg", quality=70)
    picture.save(HERE / "plain.png", exif=with_position(6))
    picture.quantize(4).save(HERE / "palette.png")
    clear = picture.convert("RGBA")
    clear.paste((0, 0, 0, 0), (320, 240, 640, 480))
    clear.save(HERE / "clear.png")
    Image.new("I;16", (64, 48), 40_000).save(HERE / "deep.png")
    picture.save(HERE / "plain.webp", quality=70, exif=with_position(1))
    clear.save(HERE / "clear.webp", lossless=True)
    scene(32, 24).save(HERE / "moving.webp", save_all=True, append_images=[Image.new("RGB", (32, 24))])
    scene(32, 24).save(HERE / "plain.gif")
    scene(3, 2).save(HERE / "tiny.png")
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(150_001) * 8, 9))
    (HERE / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + header + rows + chunk(b"IEND", b""))
    small = (HERE / "turned-1.jpg").read_bytes()
    start = small.index(b"\xff\xc0")
    (HERE / "bomb.jpg").write_bytes(small[:start + 5] + struct.pack(">HH", 50_000, 50_000) + small[start + 9:])
    (HERE / "script.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n')


if __name__ == "__main__":
    main()
