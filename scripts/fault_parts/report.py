"""Counts trials and what went wrong, and prints the closing lines that every kind of trial shares."""
import collections
import signal
import time


class Ended(Exception):
    """Somebody ended the run from outside, with a signal: what was found until then is reported."""


def listen_for_end():
    """Makes SIGTERM and Ctrl-C end a run with its closing lines; a second one ends it at once."""
    def end(*_):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        raise Ended

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


class Report:
    def __init__(self, name, seed, most=12):
        self.name, self.seed, self.most = name, seed, most
        self.begun, self.trials, self.wrong, self.kinds = time.monotonic(), 0, 0, collections.Counter()
        self.figures = {}
        print(f"{name}: seed {seed}", flush=True)

    def trial(self, label, problems):
        self.trials += 1
        if problems:
            self.wrong += 1
        for problem in problems:
            self.kinds[problem.split(":")[0]] += 1
            if sum(self.kinds.values()) <= self.most:
                print(f"WRONG, {label}: {problem}", flush=True)

    def progress(self, total, every=50):
        if self.trials % every == 0:
            print(f"  {self.trials} of {total}, {self.wrong} wrong, {time.monotonic() - self.begun:.0f} s", flush=True)

    def close(self):
        """Prints what was found; returns whether nothing was wrong."""
        for name, value in self.figures.items():
            print(f"{self.name}: {name}: {value}")
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items())) or "nothing lost, doubled or damaged"
        print(f"{self.name}: {self.trials} trials, {self.wrong} wrong ({kinds}), seed {self.seed}, "
              f"{time.monotonic() - self.begun:.0f} s", flush=True)
        return self.wrong == 0


def spread(values, unit="ms", factor=1000):
    """Percentiles of durations in words."""
    if not values:
        return "none"
    ordered = sorted(values)
    at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))] * factor
    return f"{len(ordered)}: median {at(.5):.0f}, 90 % {at(.9):.0f}, 99 % {at(.99):.0f}, most {ordered[-1] * factor:.0f} {unit}"
