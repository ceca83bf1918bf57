"""What was asked for and what was acknowledged, and when: from it follows what a database must and may contain."""
import threading
import time


class Entry:
    """A change that was sent: of `key` to `value`, acknowledged or not."""

    __slots__ = ("key", "value", "sent", "acked", "is_given_up")

    def __init__(self, key, value):
        self.key, self.value, self.sent, self.acked = key, value, time.monotonic(), None
        # Whether the worker went on without knowing; it then changes nothing that depends on it.
        self.is_given_up = False


class Journal:
    """The changes of one worker, who waits for each answer before the next change. Safe to read from other threads."""

    def __init__(self):
        self.entries, self.lock = [], threading.Lock()

    def begin(self, key, value):
        entry = Entry(key, value)
        with self.lock:
            self.entries.append(entry)
        return entry

    def end(self, entry):
        with self.lock:
            entry.acked = time.monotonic()

    def refuse(self, entry):
        """Notes that the change was refused for good, so that it must not be there."""
        with self.lock:
            self.entries.remove(entry)


class Expectation:
    """What the changes of a journal amount to at an instant; moves forward only."""

    def __init__(self, journal):
        self.journal, self.next, self.certain, self.open, self.doubtful = journal, 0, {}, {}, {}

    def advance(self, instant):
        """After it, `certain` has what was acknowledged before the instant, and `open` what might have happened as well."""
        self.open = {}
        with self.journal.lock:
            entries = self.journal.entries
            while self.next < len(entries):
                entry = entries[self.next]
                if entry.sent >= instant:
                    break
                if entry.acked is None and entry.is_given_up:
                    self.doubtful.setdefault(entry.key, []).append(entry.value)
                    self.next += 1
                    continue
                if entry.acked is None or entry.acked >= instant:
                    # The worker waited for it, so that nothing after it was sent before.
                    self.open[entry.key] = entry.value
                    break
                self.certain[entry.key] = entry.value
                self.doubtful.pop(entry.key, None)
                self.next += 1

    def allows(self, key, value):
        return (self.certain.get(key) == value or (key in self.open and self.open[key] == value)
                or value in self.doubtful.get(key, ()))
