"""Reads coasts, lakes and rivers for `build-outlines` from GSHHG (Wessel and Smith 1996), in the files made for GMT.

The files cut every outline at whole degrees. The ends of two pieces that belong together are the same whole numbers, so
the pieces can be joined without a tolerance. Each piece gives its polygon; each polygon, its area and its parent.
"""

import os
import subprocess
import tempfile
from collections import defaultdict

import numpy as np

# One degree has this many steps; a step is 1.7 m at the equator.
STEPS = 65_535
AROUND = 360 * STEPS
BINS = 360
INTERIOR = 4  # marks a piece that enters through none of the four sides of its cell: a whole ring


class Source:
    """Reads the columns of a netCDF file with GMT, so that Python needs no library for it."""

    def __init__(self, path):
        self.path = path

    def integers(self, *names):
        return self._columns(names, "i", np.int32)

    def reals(self, name):
        return self._columns([name], "d", np.float64)[0]

    def _columns(self, names, letter, kind):
        command = ["gmt", "convert", "%s?%s" % (self.path, "/".join(names)), "-bo%d%s" % (len(names), letter)]
        # Run in an empty folder, because GMT writes a history file to the current one.
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, GMT_USERDIR=folder, GMT_TMPDIR=folder)
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder, env=environment).stdout
        return np.frombuffer(output, kind).reshape(-1, len(names)).T.astype(np.int64 if letter == "i" else kind)


class Pieces:
    """Holds the pieces of a file. The arrays `x` and `y` count steps east and north of 0, 0."""

    def __init__(self, source, first, count):
        self.first, self.count = first, count
        bins = source.integers("N_segments_in_a_bin")[0]
        bins = np.repeat(np.arange(len(bins)), bins)
        self.bin = bins
        x, y = source.integers("Relative_longitude_from_SW_corner_of_bin", "Relative_latitude_from_SW_corner_of_bin")
        cell = np.repeat(bins, count)
        # Read the numbers as unsigned, although the file declares them signed. Cells run eastwards, from the north.
        self.x = (x & 0xFFFF) + cell % BINS * STEPS
        self.y = (y & 0xFFFF) + (89 - cell // BINS) * STEPS
        if not np.array_equal(np.cumsum(count) - count, first) or count.sum() != len(x):
            raise SystemExit("build-outlines: %s is not laid out as expected" % source.path)
        last = first + count - 1
        self.start = list(zip((self.x[first] % AROUND).tolist(), self.y[first].tolist()))
        self.end = list(zip((self.x[last] % AROUND).tolist(), self.y[last].tolist()))


class Shores(Pieces):
    """Holds the pieces of coasts and lake shores."""

    def __init__(self, path):
        source = Source(path)
        packed, first, self.polygon = source.integers(
            "Embedded_npts_levels_exit_entry_for_a_segment", "Id_of_first_point_in_a_segment", "Id_of_GSHHS_ID")
        super().__init__(source, first, packed >> 9)
        self.level = packed >> 6 & 7
        self.whole = (packed >> 3 & 7) == INTERIOR
        # Drop the sign, which only marks rivers that are wide enough to be polygons.
        self.area = np.abs(source.reals("The_km_squared_area_of_polygons"))
        self.parent = source.integers("Id_of_parent_polygons")[0]

    def rings(self, numbers):
        """Joins the pieces `numbers` to rings, each (polygon, [piece, …]), and counts those that do not close."""
        rings, members = [], defaultdict(list)
        for number in numbers.tolist():
            if self.whole[number]:
                rings.append((int(self.polygon[number]), [number]))
            else:
                members[int(self.polygon[number])].append(number)
        unclosed = 0
        for polygon, pieces in sorted(members.items()):
            for ring, closes in self._join(pieces):
                rings.append((polygon, ring))
                unclosed += not closes
        return rings, unclosed

    def _join(self, pieces):
        by_start = defaultdict(list)
        for number in pieces:
            by_start[self.start[number]].append(number)
        left = set(pieces)
        for number in pieces:
            if number not in left:
                continue
            ring, closes = [], False
            while not closes and number is not None:
                left.discard(number)
                ring.append(number)
                closes = self.end[number] == self.start[ring[0]]
                ways = [way for way in by_start[self.end[number]] if way in left]
                # Go on in another cell, because a shore that touches itself at the edge of one offers two ways.
                number = min(ways, key=lambda way: (self.bin[way] == self.bin[ring[-1]], way), default=None)
            yield ring, closes


class Rivers(Pieces):
    """Holds the pieces of rivers, whose `level` is their class."""

    def __init__(self, path):
        source = Source(path)
        count, self.level, first = source.integers(
            "N_points_for_a_segment", "Hierarchial_level_of_a_segment", "Id_of_first_point_in_a_segment")
        super().__init__(source, first, count & 0xFFFF)

    def chains(self, groups):
        """Joins the pieces of each group, {group: [piece, …]}, to lines: (group, [(piece, whether reversed), …])."""
        for group, pieces in sorted(groups.items()):
            ends = defaultdict(list)
            for number in pieces:
                ends[self.start[number]].append((number, False))
                ends[self.end[number]].append((number, True))
            left = set(pieces)

            def follow(number, backwards):
                line = []
                while True:
                    left.discard(number)
                    line.append((number, backwards))
                    at = self.start[number] if backwards else self.end[number]
                    ways = [way for way in ends[at] if way[0] in left]
                    if len(ends[at]) != 2 or len(ways) != 1:
                        return line
                    number, backwards = ways[0]

            # Start at ends and junctions first. Rings have neither and are left for the second turn.
            for lonely in (True, False):
                for number in pieces:
                    for backwards in (False, True):
                        at = self.end[number] if backwards else self.start[number]
                        if number in left and (not lonely or len(ends[at]) != 2):
                            yield group, follow(number, backwards)


def cut_at_antimeridian(points, half, lowest):
    """Cuts a ring into open rings with longitudes within [-half, half].

    Closes a ring that goes around the pole along the latitude `lowest`.
    """
    turn = 2 * half
    xs = unwind([x for x, _ in points], turn)
    ys = [y for _, y in points]
    if round((xs[0] - unwind([xs[-1], xs[0]], turn)[1]) / turn):
        xs, ys = around_pole(xs, ys, half, lowest)
    pieces = defaultdict(list)
    west, east = min(xs), max(xs)
    for k in range((west + half) // turn, (east + half - 1) // turn + 1):
        inside = clip(clip([list(zip(xs, ys))], k * turn - half, 1), k * turn + half, -1)
        pieces[k] = [[(x - k * turn, y) for x, y in ring] for ring in inside]
    return [ring for k in sorted(pieces) for ring in pieces[k]]


def unwind(xs, turn):
    """Adds whole turns to longitudes, so that none is more than half a turn from the one before."""
    out = [xs[0]]
    for x in xs[1:]:
        out.append(x + round((out[-1] - x) / turn) * turn)
    return out


def around_pole(xs, ys, half, lowest):
    """Turns the ring to begin at the antimeridian and closes it along the lowest latitude."""
    turn = 2 * half
    for at, x in enumerate(xs):
        if (x - half) % turn == 0:
            xs, ys = unwind(xs[at:] + xs[:at], turn), ys[at:] + ys[:at]
            last = xs[0] + (turn if xs[-1] > xs[0] else -turn)
            return xs + [last, last, xs[0]], ys + [ys[0], lowest, lowest]
    raise SystemExit("build-outlines: a ring around a pole does not meet the antimeridian")


def clip(rings, edge, side):
    """Keeps what lies on one side of a meridian (1 east, -1 west). Expects a vertex wherever a ring crosses it."""
    return [part for ring in rings for part in clip_ring(ring, edge, side)]


def clip_ring(ring, edge, side):
    """Cuts one ring; see `clip`."""
    sides = [(x > edge) - (x < edge) for x, _ in ring]
    if side not in sides:
        return []
    if -side not in sides:
        return [ring]
    # Begin on the other side, so that each run of vertices to keep is whole, with one on the meridian at each end.
    start = sides.index(-side)
    ring, sides = ring[start:] + ring[:start], sides[start:] + sides[:start]
    runs, run, last = [], None, 0
    for index, (vertex, where) in enumerate(zip(ring, sides)):
        if where == side:
            if run is None:
                run = ring[last:index]
            run.append(vertex)
        elif where == 0:
            if run is not None:
                run.append(vertex)
            elif sides[index - 1] != 0:
                last = index
        else:
            if run is not None:
                runs.append(run)
            run, last = None, index
    if run is not None:
        runs.append(run)
    if any(run[0][0] != edge or run[-1][0] != edge for run in runs):
        raise SystemExit("build-outlines: a ring crosses the antimeridian without a vertex there")
    return link(runs)


def link(runs):
    """Closes runs that begin and end on one meridian: every other stretch between their ends is inside."""
    ends = sorted([(run[0][1], number, 0) for number, run in enumerate(runs)]
                  + [(run[-1][1], number, 1) for number, run in enumerate(runs)])
    partner = {}
    for (_, *a), (_, *b) in zip(ends[::2], ends[1::2]):
        partner[tuple(a)], partner[tuple(b)] = tuple(b), tuple(a)
    left, rings = set(range(len(runs))), []
    for number in range(len(runs)):
        ring, at = [], number
        while at in left:
            left.discard(at)
            ring += runs[at]
            at, end = partner[at, 1]
            if end != 0:
                raise SystemExit("build-outlines: a ring is not cut properly at the antimeridian")
        if ring:
            rings.append(ring)
    return rings
