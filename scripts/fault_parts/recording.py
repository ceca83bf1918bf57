"""A recording of the shim: every change of a file and every sync, in order."""
import dataclasses
import struct

OPEN, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, RENAME, UNLINK, LINK, FOLDER, UNKNOWN = range(1, 11)
HEAD = struct.Struct("<IIqQqQ")


@dataclasses.dataclass
class Change:
    what: int
    at: float  # seconds of the clock that time.monotonic() reads
    inode: int
    offset: int  # or the new size of a truncated file
    path: str
    data: bytes  # or the new name of a renamed file


def read(path):
    """The changes of a recording; one that was cut off at its end is left out."""
    with open(path, "rb") as file:
        content = memoryview(file.read())
    position = 0
    while position + HEAD.size <= len(content):
        what, name, at, inode, offset, size = HEAD.unpack_from(content, position)
        position += HEAD.size
        if position + name + size > len(content):
            return
        path = bytes(content[position:position + name]).decode()
        yield Change(what, at / 1e9, inode, offset, path, bytes(content[position + name:position + name + size]))
        position += name + size
