#!/usr/bin/env python3
"""What clustering by a fixed radius, zoom after zoom from the innermost outwards, makes of the same points.

The greedy method of supercluster, written down from its description, for comparison with `waymark bench map --quality`:
radius 40 pixels, tiles of 512, zoom 16 to 0. Needs numpy and scipy.

    scripts/bench-quality-baseline.py POINTS [VIEWPORTS]

POINTS holds pairs of little-endian doubles, longitude and latitude. VIEWPORTS of 1280 by 800 pixels are looked at on each
zoom from 1 to 15 around random points, 21 unless given.
"""
import math
import sys

import numpy as np
from scipy.spatial import cKDTree

RADIUS = 40.0


def level_out(x, y, weight, zoom):
    """Groups the nodes of one zoom further in; returns the new ones and the number of each old one's group."""
    points = np.column_stack([x, y])
    near = cKDTree(points).query_ball_point(points, RADIUS / (512 * 2**zoom), return_sorted=True)
    done = bytearray(len(x))
    group = np.zeros(len(x), int)
    out = []
    for node in range(len(x)):
        if done[node]:
            continue
        done[node] = 1
        members = [node] + [other for other in near[node] if not done[other]]
        total = weight[members].sum()
        for member in members:
            done[member] = 1
            group[member] = len(out)
        out.append(((x[members] * weight[members]).sum() / total, (y[members] * weight[members]).sum() / total, total))
    nodes = np.array(out)
    return nodes[:, 0], nodes[:, 1], nodes[:, 2], group


def main():
    points = np.fromfile(sys.argv[1]).reshape(-1, 2)
    viewports = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    sine = np.sin(np.radians(points[:, 1]))
    px = (points[:, 0] + 180) / 360
    py = 0.5 - 0.25 * np.log((1 + sine) / (1 - sine)) / math.pi
    x, y, weight = px.copy(), py.copy(), np.ones(len(px))
    label = np.arange(len(px))
    chosen = np.random.default_rng(5)
    markers = under30 = under40 = members = 0
    pixels = 0.0
    for zoom in range(16, -1, -1):
        x, y, weight, group = level_out(x, y, weight, zoom)
        label = group[label]
        if not 1 <= zoom <= 15:
            continue
        world = 512 * 2**zoom
        for middle in chosen.integers(0, len(px), viewports):
            cx, cy = px[middle] * world, py[middle] * world
            shown = np.flatnonzero((abs(x * world - cx) <= 640) & (abs(y * world - cy) <= 400))
            places = np.column_stack([x[shown] * world, y[shown] * world])
            if len(places) > 1:
                nearest = cKDTree(places).query(places, 2)[0][:, 1]
                under30 += int((nearest < 30).sum())
                under40 += int((nearest < 40).sum())
            markers += len(places)
            is_shown = np.zeros(len(x), bool)
            is_shown[shown] = True
            inside = np.flatnonzero((abs(px * world - cx) <= 640) & (abs(py * world - cy) <= 400))
            inside = inside[is_shown[label[inside]]]
            members += len(inside)
            pixels += float(np.hypot((px[inside] - x[label[inside]]) * world, (py[inside] - y[label[inside]]) * world).sum())
    print(f"markers {markers}")
    print(f"nearer than 30 pixels to another {100 * under30 / markers:.2f} %, than 40 {100 * under40 / markers:.2f} %")
    print(f"from a story to its marker, mean {pixels / members:.2f} px")


main()
