"""Groups of boxes by comparing every pair. Twin of native/scan/grouping.hpp."""

import numpy as np


def overlap(a, b):
    """Intersection over union of two boxes."""
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


def greedy(boxes, weights, least):
    """The number of each box's group: the heaviest box left takes all left that overlap it."""
    group, n = [-1] * len(boxes), 0
    for seed in np.argsort(-np.asarray(weights), kind="stable"):
        if group[seed] >= 0:
            continue
        for i, box in enumerate(boxes):
            if group[i] < 0 and (i == seed or overlap(boxes[seed], box) >= least):
                group[i] = n
        n += 1
    return group


def similar(boxes, part):
    """The number of each box's chain of similar boxes, by the first box of the chain."""

    def near(a, b):
        sides = min(a[2] - a[0], b[2] - b[0]) + min(a[3] - a[1], b[3] - b[1])
        return all(abs(a[k] - b[k]) <= part * sides * 0.5 for k in range(4))

    chain = list(range(len(boxes)))
    changed = True
    while changed:
        changed = False
        for i, a in enumerate(boxes):
            for j, b in enumerate(boxes):
                if near(a, b) and chain[j] != chain[i]:
                    chain[i] = chain[j] = min(chain[i], chain[j])
                    changed = True
    firsts = sorted(set(chain))
    return [firsts.index(c) for c in chain]
