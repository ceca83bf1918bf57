"""Makes the lines of US states and counties for `build-outlines` from the Census Bureau's boundaries 1:500,000.

A line is made of edges that two counties share. An edge that only one county has is coast or the country's border. It
is left out: GSHHG draws the coast, and two versions of it side by side would look wrong.
"""

from collections import defaultdict

import numpy as np

CELLS = 4  # cells of the zone per degree


def shared_edges(counties):
    """Returns the edges of two counties, {(a, b): (first, second)}, and counts edges of more than two."""
    owners, crowded = {}, 0
    for number, (area, _) in enumerate(counties):
        for ring in area.rings:
            for a, b in zip(ring, ring[1:]):
                if a == b:
                    continue
                key = (a, b) if a < b else (b, a)
                sides = owners.setdefault(key, (number,))
                if number not in sides:
                    crowded += len(sides) > 1
                    owners[key] = (*sides, number)
    return {edge: sides for edge, sides in owners.items() if len(sides) == 2}, crowded


def neighbours(edges, name):
    """Returns the pairs of names whose counties share an edge."""
    pairs = set()
    for first, second in edges.values():
        a, b = name(first), name(second)
        if a != b:
            pairs.add((a, b) if a < b else (b, a))
    return pairs


def chains(edges):
    """Joins edges, {(a, b): kind}, to lines that end where edges of another kind or more than two edges meet."""
    near = defaultdict(list)
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    for around in near.values():
        around.sort()

    def kind(a, b):
        return edges[(a, b) if a < b else (b, a)]

    def ends(vertex):
        around = near[vertex]
        return len(around) != 2 or kind(vertex, around[0]) != kind(vertex, around[1])

    left = set(edges)

    def follow(a, b):
        line = [a]
        while True:
            left.discard((a, b) if a < b else (b, a))
            line.append(b)
            if ends(b):
                return line
            following = near[b][0] if near[b][1] == a else near[b][1]
            if ((b, following) if b < following else (following, b)) not in left:
                return line
            a, b = b, following

    lines = []
    # Start at ends first. Rings have none and are left for the second turn: counties inside one other county.
    for starts in ([vertex for vertex in sorted(near) if ends(vertex)], sorted(near)):
        for a in starts:
            for b in near[a]:
                if ((a, b) if a < b else (b, a)) in left:
                    lines.append((kind(a, b), follow(a, b)))
    return lines


def borders(counties, edges):
    """Returns the lines between counties as pairs: whether the line also divides states, and its vertices."""
    state = [row["STATEFP"] for _, row in counties]
    return chains({edge: state[first] != state[second] for edge, (first, second) in edges.items()})


def joined(lines):
    """Joins simplified lines wherever exactly two meet, because fewer and longer lines make a smaller file."""
    meeting = defaultdict(list)
    for number, line in enumerate(lines):
        meeting[line[0]].append((number, False))
        meeting[line[-1]].append((number, True))
    left = set(range(len(lines)))
    result = []

    def follow(number, backwards):
        points = []
        while True:
            left.discard(number)
            line = lines[number][::-1] if backwards else lines[number]
            points += line if not points else line[1:]
            ways = [way for way in meeting[points[-1]] if way[0] in left]
            if len(meeting[points[-1]]) != 2 or len(ways) != 1:
                return points
            number, backwards = ways[0]

    for lonely in (True, False):
        for number, line in enumerate(lines):
            for backwards in (False, True):
                at = line[-1] if backwards else line[0]
                if number in left and (not lonely or len(meeting[at]) != 2):
                    result.append(follow(number, backwards))
    return result


class Zone:
    """Marks the cells of a grid in or near the United States and their territories, where the map is drawn finer."""

    def __init__(self, states, counties):
        near = np.zeros((180 * CELLS, 360 * CELLS), bool)
        for area, _ in counties:
            for ring in area.rings:
                x, y = np.array(ring).T
                near[self._row(y), self._column(x)] = True
        for area, _ in states:
            for row in range(self._row(area.south), self._row(area.north) + 1):
                for column in range(self._column(area.low), self._column(area.high) + 1):
                    if not near[row, column]:
                        near[row, column] = area.contains((column + 0.5) / CELLS - 180, (row + 0.5) / CELLS - 90)
        # Widen the zone by a cell, because the two sources draw the coast a little apart.
        for axis in (0, 1):
            near = near | np.roll(near, 1, axis) | np.roll(near, -1, axis)
        self.near = near

    @staticmethod
    def _row(latitude):
        return np.clip(np.floor((np.asarray(latitude) + 90) * CELLS).astype(int), 0, 180 * CELLS - 1)

    @staticmethod
    def _column(longitude):
        return np.floor((np.asarray(longitude) + 180) * CELLS).astype(int) % (360 * CELLS)

    def contains(self, longitude, latitude):
        return self.near[self._row(latitude), self._column(longitude)]
