"""What a run is judged by, in words, as JSON and as plots."""
import dataclasses
import json

from load_parts.measures import percentile, plot, slope

KINDS = ("position", "stream", "map", "geocoder", "write")


def minute(number, load, before, after):
    """Prints the line of a minute and returns its figures."""
    took = load.took[number]
    requests = sum(len(took[kind]) for kind in KINDS if kind != "stream")
    figures = {
        "minute": number, "requests": requests, "cpu_s_per_1000": (after["cpu"] - before["cpu"]) / max(1, requests) * 1000,
        "cores": (after["cpu"] - before["cpu"]) / 60, "rss_MB": after["rss"], "anonymous_MB": after["anon"], "log_MB": after["wal"],
        "descriptors": after["fds"], "threads": after["threads"], "told": sum(load.told.values()),
        "sender_late_p99_ms": percentile(load.late[number], .99), "disk_p99_ms": percentile(load.flushes[number], .99),
    }
    figures |= {kind: {"count": len(took[kind])} | {f"p{share}_ms": percentile(took[kind], float(share) / 100) for share in ("50", "90", "99", "99.9", "100")}
                for kind in KINDS}
    times = "  ".join(f"{kind} {figures[kind]['p99_ms']:.0f}" for kind in KINDS)
    print(
        f"{number:3} {requests:7} requests  p99 ms: {times}  cpu {figures['cpu_s_per_1000']:.3f} s/1000 ({figures['cores']:.2f} cores)  "
        f"rss {after['rss']:.0f} MB (anonymous {after['anon']:.0f})  log {after['wal']:.0f} MB  descriptors {after['fds']}  "
        f"threads {after['threads']}  told {figures['told']}  "
        f"machine: sender {figures['sender_late_p99_ms']:.0f}  disk {figures['disk_p99_ms']:.0f}", flush=True,
    )
    return figures


@dataclasses.dataclass
class Run:
    """Everything that was measured."""
    options: object
    load: object
    churn: object
    minutes: list
    samples: list  # (minute, what the service uses), every five seconds
    after: dict

    def all(self, kind):
        """All durations of a kind, without the warming up."""
        return [value for number, took in self.load.took.items() if number >= 0 for value in took[kind]]

    def growth(self):
        """By how much of its mean resident memory grows in ten minutes; None of a run that is too short to tell."""
        points = [(at, sample["rss"]) for at, sample in self.samples if at >= 0]
        if not points or points[-1][0] < 9.5:
            return None
        return slope(points) * 10 / (sum(value for _, value in points) / len(points))

    def errors(self):
        return {f"{kind} {what}": count for (kind, what), count in self.load.codes.items() if not isinstance(what, int) or what >= 400}

    def lines(self):
        for kind in KINDS:
            values = self.all(kind)
            shares = ", ".join(f"{share} % {percentile(values, share / 100):.0f}" for share in (50, 90, 99, 99.9))
            yield f"{kind}: {len(values)}, ms: {shares}, most {percentile(values, 1):.0f}"
        growth = self.growth()
        yield "memory: " + ("too short to tell how it grows" if growth is None else f"{growth:+.2%} in ten minutes")
        yield f"log: at most {self.churn.log:.1f} MB; streams: {self.load.opened} opened, {self.load.ends} ended by the service"
        yield f"notifications on streams: {sum(self.load.told.values())}, of them timed {len(self.all('stream'))}"

    def missed(self):
        """The limits that were missed, in words."""
        options, missed = self.options, list(self.churn.missed())
        limits = (("map", options.read_p99), ("geocoder", options.read_p99), ("position", options.write_p99),
                  ("write", options.write_p99), ("stream", options.stream_p99))
        for kind, most in limits:
            for figures in self.minutes:
                if (found := figures[kind]["p99_ms"]) > most:
                    missed.append(f"minute {figures['minute']}: p99 of {kind} is {found:.0f} ms, not {most:.0f}")
        if (growth := self.growth()) is not None and growth > options.growth:
            missed.append(f"memory grows by {growth:.1%} in ten minutes, not {options.growth:.1%}")
        if bad := self.errors():
            missed.append(f"answers that are none: {bad}")
        if twice := sum(count > 1 for count in self.load.told.values()):
            missed.append(f"{twice} notifications came twice on a stream")
        if options.positions and options.streams and options.minutes >= 2 and not self.all("stream"):
            missed.append("no notification was heard on a stream, so that nothing is known of their time")
        return missed

    def write(self, folder, text):
        folder.mkdir(parents=True, exist_ok=True)
        chosen = {name: str(value) if hasattr(value, "joinpath") else value for name, value in vars(self.options).items()}
        whole = {kind: {f"p{share}_ms": percentile(self.all(kind), share / 100) for share in (50, 90, 99, 99.9, 100)} for kind in KINDS}
        content = {"options": chosen, "whole": whole, "memory_growth_in_ten_minutes": self.growth(), "most_of_log_MB": self.churn.log,
                   "errors": self.errors(), "missed": self.missed(), "backup": self.churn.backup, "minutes": self.minutes,
                   "samples": [{"minute": at} | sample for at, sample in self.samples], "afterwards": self.after}
        (folder / "report.json").write_text(json.dumps(content, indent=1) + "\n")
        (folder / "report.txt").write_text(text + "\n")
        by_minute = lambda kind, share: [(figures["minute"] + .5, figures[kind][share]) for figures in self.minutes]
        (folder / "latency-p99.svg").write_text(plot("99th percentiles from when it was due", "ms", [(kind, by_minute(kind, "p99_ms")) for kind in KINDS]))
        (folder / "latency-p50.svg").write_text(plot("Medians from when it was due", "ms", [(kind, by_minute(kind, "p50_ms")) for kind in KINDS]))
        for name, title, unit in (("rss", "Resident memory", "MB"), ("wal", "Log of the database", "MB"), ("fds", "Descriptors", "")):
            line = [(max(0, at), sample[name]) for at, sample in self.samples if at >= 0]
            (folder / f"{name}.svg").write_text(plot(title, unit, [(title, line)]))
