"""Simplifies lines for `build-outlines` after Douglas and Peucker (1973), many at once, and finds lines that cross.

Lines follow each other in two arrays of degrees; `starts` has the index where each begins and, last, where the last one
stops. Only the four operations are used, on one number at a time, so that every machine comes to the same result.
"""

import numpy as np

# A degree of latitude in metres.
DEGREE = 111_195.0
# The output is in 1e-4 degrees, about 11 m.
DIGITS = 4
QUANTUM = 10 ** DIGITS


def cosine(latitude):
    """Approximates the cosine of a latitude without a library, as these differ in the last digit."""
    angle = np.minimum(1.0, np.abs(latitude) / 90.0) * 1.5707963267948966
    square = angle * angle
    return np.maximum(0.02, 1 - square / 2 + square * square / 24 - square * square * square / 720)


def sequences(first, count):
    """Returns first[0], first[0]+1, … (count[0] numbers), then first[1], … in one array."""
    ends = np.cumsum(count)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count, count) + np.repeat(first, count)


def simplify(x, y, starts, tolerance, fixed=None):
    """Tells which vertices to keep. None of the others lies farther from the line than its tolerance in metres.

    Keeps the ends of every line and the vertices marked in `fixed`.
    """
    keep = np.zeros(len(x), bool)
    keep[starts[:-1]] = True
    keep[starts[1:] - 1] = True
    if fixed is not None:
        keep |= fixed
    weight = DEGREE / tolerance
    squeeze = cosine(y)
    marks = np.flatnonzero(keep)
    low, high = marks[:-1], marks[1:]
    while True:
        # Drop pairs with nothing between them, such as the end of one line and the start of the next.
        inner = high - low > 1
        low, high = low[inner], high[inner]
        if not len(low):
            return keep
        far, at = farthest(x, y, low, high, weight, squeeze)
        split = far > 1.0
        low, high, at = low[split], high[split], at[split]
        keep[at] = True
        low, high = np.concatenate([low, at]), np.concatenate([at, high])


def farthest(x, y, low, high, weight, squeeze):
    """Finds the vertex farthest from each chord: its distance in tolerances, squared, and its index."""
    count = high - low - 1
    inner = sequences(low + 1, count)
    shrink = squeeze[(low + high) // 2]
    dx, dy = (x[high] - x[low]) * shrink, y[high] - y[low]
    square = dx * dx + dy * dy
    square[square == 0] = 1.0
    each = np.repeat(np.arange(len(low)), count)
    px, py = (x[inner] - x[low][each]) * shrink[each], y[inner] - y[low][each]
    dx, dy = dx[each], dy[each]
    along = np.clip((px * dx + py * dy) / square[each], 0.0, 1.0)
    px -= along * dx
    py -= along * dy
    off = (px * px + py * py) * weight[inner] * weight[inner]
    begin = np.cumsum(count) - count
    far = np.maximum.reduceat(off, begin)
    where = np.where(off == far[each], inner, np.iinfo(np.int64).max)
    return far, np.minimum.reduceat(where, begin)


def quantised(values):
    """Rounds degrees to whole numbers of the output."""
    return np.rint(values * QUANTUM).astype(np.int64)


def crossings(ax, ay, bx, by, owner, cell=400):
    """Returns the owners of edges (ax, ay)–(bx, by), in whole numbers, that cross another edge."""
    left, right = np.minimum(ax, bx), np.maximum(ax, bx)
    low, high = np.minimum(ay, by), np.maximum(ay, by)
    columns, rows = right // cell - left // cell + 1, high // cell - low // cell + 1
    # Leave out edges longer than any of a coast: they would fill thousands of cells and cross nothing.
    count = np.where(columns * rows > 4000, 0, columns * rows)
    edge = np.repeat(np.arange(len(ax)), count)
    place = sequences(np.zeros(len(ax), np.int64), count)
    key = (left[edge] // cell + place % columns[edge]) * 100_003 + low[edge] // cell + place // columns[edge]
    order = np.lexsort((edge, key))
    key, edge = key[order], edge[order]
    found = set()
    step = 1
    here = np.arange(len(key) - 1)
    while True:
        here = here[here + step < len(key)]
        here = here[key[here] == key[here + step]]
        if not len(here):
            return found
        one, two = edge[here], edge[here + step]
        near = ((left[one] <= right[two]) & (left[two] <= right[one])
                & (low[one] <= high[two]) & (low[two] <= high[one]))
        one, two = one[near], two[near]
        hit = cross(ax, ay, bx, by, one, two) & cross(ax, ay, bx, by, two, one)
        found.update(owner[one[hit]].tolist())
        found.update(owner[two[hit]].tolist())
        step += 1


def cross(ax, ay, bx, by, one, two):
    """Tells whether the ends of edge `two` lie on different sides of edge `one`."""
    ux, uy = bx[one] - ax[one], by[one] - ay[one]
    p = ux * (ay[two] - ay[one]) - uy * (ax[two] - ax[one])
    q = ux * (by[two] - ay[one]) - uy * (bx[two] - ax[one])
    return ((p > 0) & (q < 0)) | ((p < 0) & (q > 0))


class Lines:
    """Simplifies lines together and keeps them from crossing."""

    def __init__(self, x, y, starts, tolerance, fixed=None):
        self.x, self.y, self.starts, self.tolerance, self.fixed = x, y, np.asarray(starts), tolerance, fixed
        self.qx, self.qy = quantised(x), quantised(y)
        self.keep = simplify(x, y, self.starts, tolerance, fixed)
        self.left_over = 0

    def untangle(self, rounds=6):
        """Halves the tolerance of lines that cross until none does or `rounds` are over; counts those left."""
        line_of = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        for turn in range(rounds + 1):
            kept = np.flatnonzero(self.keep)
            a, b = kept[:-1], kept[1:]
            same = line_of[a] == line_of[b]
            a, b = a[same], b[same]
            found = crossings(self.qx[a], self.qy[a], self.qx[b], self.qy[b], line_of[a])
            self.left_over = len(found)
            if not found or turn == rounds:
                return
            self._refine(np.array(sorted(found)))

    def _refine(self, lines):
        count = self.starts[lines + 1] - self.starts[lines]
        picked = sequences(self.starts[lines], count)
        self.tolerance[picked] *= 0.5
        starts = np.concatenate([[0], np.cumsum(count)])
        fixed = None if self.fixed is None else self.fixed[picked]
        self.keep[picked] = simplify(self.x[picked], self.y[picked], starts, self.tolerance[picked], fixed)

    def line(self, number):
        """Returns the kept vertices of a line as whole numbers."""
        part = slice(self.starts[number], self.starts[number + 1])
        keep = self.keep[part]
        return list(zip(self.qx[part][keep].tolist(), self.qy[part][keep].tolist()))
