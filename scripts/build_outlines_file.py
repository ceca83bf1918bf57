"""Writes and reads the file format of `build-outlines`, which tiles/README.md describes."""

import gzip

MAGIC = b"WMLINE1\n"
LINES, POLYGONS = 0, 1


def varint(out, value):
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def zigzag(out, value):
    varint(out, value << 1 if value >= 0 else (-value << 1) - 1)


def pack(kind, digits, features):
    """Returns the bytes of a file. A feature is (rank, name, parts), a part a list of whole (longitude, latitude)."""
    out = bytearray(MAGIC)
    varint(out, kind)
    varint(out, digits)
    varint(out, len(features))
    for rank, name, parts in features:
        varint(out, rank)
        encoded = name.encode("utf-8")
        varint(out, len(encoded))
        out += encoded
        varint(out, len(parts))
        x = y = 0
        for points in parts:
            varint(out, len(points))
            for px, py in points:
                zigzag(out, px - x)
                zigzag(out, py - y)
                x, y = px, py
    return bytes(out)


def unpack(data):
    """Returns the kind, digits and features of a file's bytes, so that the checks see what a reader will see."""
    if data[:8] != MAGIC:
        raise ValueError("This is not a file of outlines.")
    at = 8

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    kind, digits, count = number(), number(), number()
    features = []
    for _ in range(count):
        rank, length = number(), number()
        name = data[at:at + length].decode("utf-8")
        at += length
        parts, x, y = [], 0, 0
        for _ in range(number()):
            points = []
            for _ in range(number()):
                dx, dy = number(), number()
                x += (dx >> 1) ^ -(dx & 1)
                y += (dy >> 1) ^ -(dy & 1)
                points.append((x, y))
            parts.append(points)
        features.append((rank, name, parts))
    if at != len(data):
        raise ValueError("The file goes on after its last feature.")
    return kind, digits, features


def write(path, content):
    """Compresses and writes the content, without a time in the header, which would differ from run to run."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as handle:
        handle.write(content)


def read(path):
    """Returns the kind, digits and features of a compressed file."""
    with gzip.open(path, "rb") as handle:
        return unpack(handle.read())
