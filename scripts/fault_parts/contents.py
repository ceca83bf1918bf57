"""What a database contains, held to what was acknowledged."""
import contextlib
import json
import re
import sqlite3

from fault_parts.journal import Expectation
from fault_parts.load import SETTINGS


class Ledger:
    """The expectations of all workers, and a check of a copy of the database against them."""

    def __init__(self, load):
        self.load = load
        self.writers = [(writer, Expectation(writer.journal)) for writer in load.writers]
        self.drivers = [(driver, Expectation(driver.journal)) for driver in load.drivers]
        self.notices = {driver.user: set() for driver in load.drivers}
        self.noted = {driver.user: 0 for driver in load.drivers}

    def advance(self, instant):
        for _, expectation in self.writers:
            expectation.advance(instant)
        for driver, expectation in self.drivers:
            expectation.advance(instant)
            entries = driver.journal.entries
            for entry in entries[self.noted[driver.user]:expectation.next]:
                self.notices[driver.user].update(entry.value)
            self.noted[driver.user] = expectation.next

    def problems(self, path, is_whole=True):
        """What is wrong with the database at a path, which nobody uses, at the instant of the last `advance`."""
        with contextlib.closing(sqlite3.connect(path)) as database:
            try:
                found = []
                if is_whole:
                    sound = [row[0] for row in database.execute("PRAGMA integrity_check")]
                    found += [] if sound == ["ok"] else [f"integrity: {sound[:3]}"]
                return found + list(self.differences(database)) + list(told_twice(database)) + list(self.untold(database))
            except sqlite3.DatabaseError as error:
                return [f"unreadable: {error}"]

    def differences(self, database):
        owners = [writer.user for writer, _ in self.writers]
        marks = ",".join("?" * len(owners))
        stories, ids = {owner: {} for owner in owners}, {}
        for id, owner, title, text, privacy in database.execute(
                f"SELECT id, owner, title, text, privacy FROM stories WHERE owner IN ({marks})", owners):
            name, _, version = title.rpartition(" v")
            if name in stories[owner]:
                yield f"doubled: {name} is there twice"
            if text.strip() != " ".join([f"text v{version}"] * 40):
                yield f"half-applied: {title} has another version's text"
            stories[owner][name], ids[name] = {"version": int(version), "privacy": privacy}, id
        marked = {}
        for user, story in database.execute(f"SELECT user, story FROM favourites WHERE user IN ({marks})", owners):
            marked.setdefault(user, set()).add(story)
        settings = {user: (json.loads(options).get("preview"), radius) for user, radius, options in database.execute(
            f"SELECT user, radius, options FROM notification_settings WHERE user IN ({marks})", owners)}
        for writer, expectation in self.writers:
            yield from lost(expectation, stories[writer.user], "story")
            for (kind, name), value in expectation.certain.items():
                if kind == "favourite" and expectation.certain.get(("story", name)) is not None and name in ids:
                    is_marked = ids[name] in marked.get(writer.user, set())
                    if not expectation.allows((kind, name), is_marked):
                        yield f"lost: the favourite {name} is {is_marked}"
                if kind == "settings" and not expectation.allows((kind, name), settings.get(name)):
                    yield f"lost: the settings of {name} are {settings.get(name)}, not {value}"
            if (set_up := settings.get(writer.user)) and set_up not in SETTINGS:
                yield f"half-applied: the settings of {writer.user} are {set_up}"

    def untold(self, database):
        for user, notices in self.notices.items():
            stored = {row[0] for row in database.execute("SELECT id FROM notices WHERE user = ?", [user])}
            if missing := notices - stored:
                yield f"lost: {len(missing)} notifications of {user} that were answered, such as {min(missing)}"


def lost(expectation, found, kind):
    """What a user's stories lack, or have beyond what was sent."""
    for (key, name), value in expectation.certain.items():
        if key == kind and not expectation.allows((key, name), found.get(name)):
            yield f"lost: {name} is {found.get(name)}, not {value}"
    for name, value in found.items():
        if not expectation.allows((kind, name), value):
            yield f"not asked for: {name} is {value}"


def told_twice(database):
    for user, story, count in database.execute(
            "SELECT user, story, count(*) FROM notice_stories GROUP BY user, story HAVING count(*) > 1"):
        yield f"doubled: {user} was notified of {story} {count} times"


def owed(database_path, load):
    """Places that somebody drove past without a notification, and those that were announced twice."""
    with contextlib.closing(sqlite3.connect(database_path)) as database:
        names = dict(database.execute("SELECT id, source_id FROM stories WHERE source_id IS NOT NULL"))
        for driver in load.drivers:
            told = [names.get(story) for story, in database.execute("SELECT story FROM notice_stories WHERE user = ?", [driver.user])]
            for place in sorted(driver.owed() - set(told), key=lambda name: int(re.sub(r".*-", "", name))):
                yield f"lost: {driver.user} was not notified of {place}"
            if len(told) != len(set(told)):
                yield f"doubled: {driver.user} was notified twice"


def notified(database_path):
    with contextlib.closing(sqlite3.connect(database_path)) as database:
        return database.execute("SELECT count(*) FROM notices").fetchone()[0]
