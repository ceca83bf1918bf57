"""A disk as it may look after the power was cut.

Certain is only what a sync covered that ended before: of a file its content, of a folder its names. Of each later write
nothing, a part of 512 bytes or more, or all may be there, whatever became of those before it. Names change in order, as in
the journal of a file system: of the changes since the last sync of their folder, the first few may be there.
"""
import os

from fault_parts import recording as rec

SECTOR = 512


class File:
    """The content that is certain, and the changes since."""

    def __init__(self, content=b""):
        self.certain, self.since, self.begun, self.put_off = bytearray(content), [], [], 0

    def sync_ends(self, is_put_off=False):
        """Makes certain what was there when the oldest sync under way began; at once, or at the next `catch_up`."""
        self.put_off = self.begun.pop(0) if self.begun else 0
        if not is_put_off:
            self.catch_up()

    def catch_up(self):
        limit = self.put_off
        while self.since and self.since[0][0] <= limit:
            apply(self.certain, *self.since.pop(0)[1:])


def apply(content, what, offset, data):
    if what == rec.TRUNCATE:
        if len(content) > offset:
            del content[offset:]
        else:
            content.extend(bytes(offset - len(content)))
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


class Disk:
    """Follows a recording. With `is_weak` the log is synced only before it is moved into the file, as synchronous=NORMAL does."""

    def __init__(self, files, is_weak=False):
        """Begins with files by path, all of them certain."""
        self.names, self.certain, self.inodes, self.since = {}, {}, {}, []
        for path, (inode, content) in files.items():
            self.inodes[inode] = File(content)
            self.names[path] = self.certain[path] = self.inodes[inode]
        self.is_weak, self.late, self.unknown, self.number = is_weak, [], [], 0

    def follow(self, change):
        self.number += 1
        what, path = change.what, change.path
        if what == rec.OPEN:
            if path not in self.names or self.names[path] is not self.inodes.get(change.inode):
                self.inodes[change.inode] = File()
                self.name(path, self.inodes[change.inode])
        elif what in (rec.WRITE, rec.TRUNCATE):
            if path.endswith(".db"):
                for log in self.late:
                    log.catch_up()
                self.late = []
            self.file(change).since.append((self.number, what, change.offset, change.data))
        elif what == rec.SYNC_BEGINS and (file := self.inodes.get(change.inode)):
            file.begun.append(self.number)
        elif what == rec.SYNC_ENDS:
            self.sync(change)
        elif what in (rec.RENAME, rec.LINK):
            target = change.data.decode()
            if (file := self.names.get(path)) is not None:
                self.name(target, file)
                if what == rec.RENAME:
                    self.name(path, None)
        elif what == rec.UNLINK and path in self.names:
            self.name(path, None)
        elif what == rec.UNKNOWN:
            self.unknown.append(path)

    def file(self, change):
        if change.inode not in self.inodes:
            # Opened in a way that was not seen.
            self.inodes[change.inode] = File()
            self.name(change.path, self.inodes[change.inode])
        return self.inodes[change.inode]

    def name(self, path, file):
        if file is None:
            self.names.pop(path, None)
        else:
            self.names[path] = file
        self.since.append((path, file))

    def sync(self, change):
        file = self.inodes.get(change.inode)
        if file is None:
            # A folder: its names are certain from now on.
            for path, named in [item for item in self.since if os.path.dirname(item[0]) == change.path]:
                set_name(self.certain, path, named)
            self.since = [item for item in self.since if os.path.dirname(item[0]) != change.path]
        elif self.is_weak and change.path.endswith("-wal"):
            file.sync_ends(is_put_off=True)
            if file not in self.late:
                self.late.append(file)
        else:
            file.sync_ends()

    def now(self):
        """Everything as the running system sees it."""
        return {path: self.content(file, file.since) for path, file in self.names.items()}

    def after_cut(self, rnd=None, wanted=lambda path: True):
        """What is left when the power is cut now: only what is certain, or with a generator some of the rest as well."""
        names = dict(self.certain)
        if rnd is not None:
            for path, file in self.since[:rnd.randint(0, len(self.since))]:
                set_name(names, path, file)
        return {path: self.content(file, list(chosen(file.since, rnd)) if rnd else ()) for path, file in names.items() if wanted(path)}

    @staticmethod
    def content(file, changes):
        content = bytearray(file.certain)
        for _, what, offset, data in changes:
            apply(content, what, offset, data)
        return content


def chosen(changes, rnd):
    for number, what, offset, data in changes:
        chance = rnd.random()
        if chance < .5:
            yield number, what, offset, data
        elif chance < .7 and what == rec.WRITE and len(data) > SECTOR:
            yield number, what, offset, data[:SECTOR * rnd.randrange(1, len(data) // SECTOR + 1)]


def set_name(names, path, file):
    if file is None:
        names.pop(path, None)
    else:
        names[path] = file
