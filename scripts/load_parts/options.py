"""What can be chosen about a load, and what follows from it."""
import argparse
import pathlib


def read(purpose):
    parser = argparse.ArgumentParser(prog="load", description=purpose, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("minutes", type=float, nargs="?", default=30)
    parser.add_argument("--people", type=int, default=10_000, help="who listen to their feed and move; the rest follows from it")
    parser.add_argument("--warm-up", type=float, default=10, help="minutes before, of the same load, that count for nothing: caches fill")
    parser.add_argument("--streams", type=int, help="live streams of feeds; one for each")
    parser.add_argument("--positions", type=float, help="reports of three positions, a second; one a person in 30 seconds")
    parser.add_argument("--reads", type=float, help="of the map, a second; one a person in 100 seconds")
    parser.add_argument("--geocodes", type=float, help="questions to the geocoder, a second; one a person in 500 seconds")
    parser.add_argument("--writes", type=float, help="of stories and settings, a second; one a person in 500 seconds")
    parser.add_argument("--apart", type=float, default=3_300, help="metres from one place on a road to the next; people drive 11 m/s")
    parser.add_argument("--stories", type=int, default=100_000, help="beside the places that are driven past")
    parser.add_argument("--world", type=pathlib.Path, help="a folder that keeps the first database for another run")
    parser.add_argument("--no-backup", action="store_true", help="make no backup in the middle; without the command none is made")
    parser.add_argument("--exports", type=int, default=0, help="how many people with long stories export, at most 4")
    parser.add_argument("--export-rate", type=float, default=16, help="how fast an export is read, in KB a second")
    parser.add_argument("--erasures-per-minute", type=float, default=0, help="of accounts made for it before")
    parser.add_argument("--erased-stories", type=int, default=5_000, help="how many stories each of them has")
    parser.add_argument("--copies", action="store_true", help="another program copies the database, over and over")
    parser.add_argument("--log", type=float, default=64, help="the limit of the log of the database, in MB")
    parser.add_argument("--read-p99", type=float, default=250, help="the limit of reads of the map, in milliseconds")
    parser.add_argument("--write-p99", type=float, default=1_000, help="the limit of positions and writes, in milliseconds")
    parser.add_argument("--stream-p99", type=float, default=1_000, help="the limit from a position to the stream, in milliseconds")
    parser.add_argument("--growth", type=float, default=0.01, help="the limit of memory's growth in ten minutes, of its mean")
    parser.add_argument("--report", type=pathlib.Path, help="a folder for report.json, report.txt and plots (SVG)")
    options = parser.parse_args()
    people = options.people
    for name, value in (("streams", people), ("positions", people / 30), ("reads", people / 100), ("geocodes", people / 500),
                        ("writes", people / 500)):
        if getattr(options, name) is None:
            setattr(options, name, value)
    # Enough roads that forty people share one.
    options.roads = max(1, people // 40)
    options.churns = bool(options.exports or options.erasures_per_minute or options.copies)
    return options
