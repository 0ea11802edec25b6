"""Overlapping hits as objects: an object is hit by windows of many places and scales.

`group_by_evidence`: the hit of the most evidence, and all that overlap it (intersection over
union), are one object, then the next. Its evidence is the sum over its hits, its box their mean
weighted by evidence. Objects of less than a cut are dropped: one window alone is seldom an object.

`group_neighbours`: OpenCV's rule, chains of similar boxes with more than `min_neighbours` members.

`cut_for` finds the cut for a wanted number of false objects. Images held out, without the object,
are searched, and what is found there is known to be false. At a useful cut less than one of these
is left, so the cut lies beyond all evidence seen: the tail is taken to be exponential,

    false(c) = n exp(-(c - s_n) / m),     m = mean of s_1 - s_n, … s_n - s_n,

s_1 >= … >= s_n being the strongest of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.checks import check_between, check_whole

SIMILAR = 0.2  # of a side, by which edges of boxes of a chain may differ


class Groups(NamedTuple):
    """Objects, that of the most evidence first.

    boxes : int64 (g, 4); evidence : float64 (g,); members : int64 (g,), hits of each
    """

    boxes: NDArray[np.int64]
    evidence: NDArray[np.float64]
    members: NDArray[np.int64]


def group_by_evidence(
    boxes: ArrayLike,
    evidence: ArrayLike,
    *,
    overlap: float = 0.3,
    cut: float = 0.0,
    strongest: int | None = None,
) -> Groups:
    """Hits that overlap the strongest one of them by `overlap` or more, as objects.

    boxes : (m, 4), xmin, ymin, xmax, ymax
    evidence : (m,), above 0, such as scores above the accepting threshold
    cut : the least summed evidence of an object
    strongest : hits of an object that are summed, its strongest; None: all
    """
    hits, weights = _checked(boxes, evidence)
    check_between("overlap", overlap, 1e-6, 1, "a share of the union, above 0 and at most 1")
    group = np.empty(len(hits), np.int64)
    n = _core.group_greedily(hits, weights, float(overlap), group)
    groups = _summed(hits, weights, group, n)
    if strongest is not None:
        check_whole("strongest", strongest, 1)
        groups = groups._replace(evidence=_of_strongest(weights, group, n, strongest))
    return _chosen(groups, groups.evidence >= cut)


def without_nested(groups: Groups) -> Groups:
    """The objects, less those whose centre lies in a stronger one, or that hold the centre of one.

    Hits of parts of an object, or of much more than it, overlap it too little to be grouped.
    """
    centres = (groups.boxes[:, :2] + groups.boxes[:, 2:]) / 2
    left = np.ones(len(centres), np.bool_)
    keep = np.zeros(len(centres), np.bool_)
    for i, box in enumerate(groups.boxes):  # by falling evidence
        if not left[i]:
            continue
        keep[i] = True
        left &= ~((centres > box[:2]) & (centres < box[2:])).all(axis=1)
        around = (groups.boxes[:, :2] < centres[i]) & (centres[i] < groups.boxes[:, 2:])
        left &= ~around.all(axis=1)
    return _chosen(groups, keep)


def group_neighbours(boxes: ArrayLike, min_neighbours: int = 3) -> Groups:
    """Chains of similar boxes, as `cv2.groupRectangles` makes them; each hit is evidence of 1.

    Chains of `min_neighbours` members or fewer are dropped, and weak ones inside stronger ones.
    With 0 every hit is an object of its own.
    """
    check_whole("min_neighbours", min_neighbours, 0)
    hits, ones = _checked(boxes, np.ones(len(np.asarray(boxes))))
    if min_neighbours == 0:
        return Groups(hits, ones, np.ones(len(hits), np.int64))
    group = np.empty(len(hits), np.int64)
    n = _core.group_similar(hits, SIMILAR, group)
    groups = _summed(hits, ones, group, n)
    groups = _chosen(groups, groups.members > min_neighbours)
    return _chosen(groups, ~_inside_stronger(groups))


def _checked(
    boxes: ArrayLike, evidence: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    hits = np.ascontiguousarray(boxes, np.int64).reshape(-1, 4)
    weights = np.ascontiguousarray(evidence, np.float64)
    if weights.shape != (len(hits),) or not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError(
            f"evidence is of shape {weights.shape}, or not finite and above 0; wanted a number "
            f"above 0 for each of {len(hits)} boxes"
        )
    return hits, weights


def _summed(
    hits: NDArray[np.int64], weights: NDArray[np.float64], group: NDArray[np.int64], n: int
) -> Groups:
    """Mean corners and sizes, weighted and rounded; summed weights; members."""
    evidence = np.bincount(group, weights, n).astype(np.float64)
    corner_and_size = np.concatenate([hits[:, :2], hits[:, 2:] - hits[:, :2]], axis=1)
    means = [np.bincount(group, weights * column, n) / evidence for column in corner_and_size.T]
    boxes = np.rint(np.stack(means, axis=1)).astype(np.int64)
    boxes[:, 2:] += boxes[:, :2]
    return Groups(boxes, evidence, np.bincount(group, minlength=n))


def _of_strongest(
    weights: NDArray[np.float64], group: NDArray[np.int64], n: int, strongest: int
) -> NDArray[np.float64]:
    """The sum over the strongest hits of each group."""
    order = np.lexsort((-weights, group))
    starts = np.searchsorted(group[order], np.arange(n))
    rank = np.arange(len(order)) - starts[group[order]]
    counted = order[rank < strongest]
    return np.asarray(np.bincount(group[counted], weights[counted], n), np.float64)


def _chosen(groups: Groups, keep: NDArray[np.bool_]) -> Groups:
    """Those kept, by falling evidence."""
    order = np.argsort(-groups.evidence, kind="stable")
    order = order[keep[order]]
    return Groups(groups.boxes[order], groups.evidence[order], groups.members[order])


def _inside_stronger(groups: Groups) -> NDArray[np.bool_]:
    """Groups inside another one, widened a little, of more than 3 members and more than theirs; a
    group of fewer than 3 inside any."""
    boxes, members = groups.boxes, groups.members
    inside = np.zeros(len(members), np.bool_)
    slack = np.rint((boxes[:, 2:] - boxes[:, :2]) * SIMILAR)
    low, high = boxes[:, :2] - slack, boxes[:, 2:] + slack
    for i, box in enumerate(boxes):
        around = ((box[:2] >= low) & (box[2:] <= high)).all(axis=1)
        stronger = (members > max(3, members[i])) | (members[i] < 3)
        around[i] = False
        inside[i] = (around & stronger).any()
    return inside


TAIL = 40  # false objects of which the tail is made


def cut_for(evidence: NDArray[np.float64], megapixels: float, per_megapixel: float) -> float:
    """The evidence above which `per_megapixel` false objects are expected.

    evidence : (n,), of the false objects found in pictures of that many `megapixels`
    """
    wanted = megapixels * per_megapixel
    strongest = np.sort(np.asarray(evidence))[::-1][:TAIL]
    n = len(strongest)
    if n < 2 or wanted >= len(evidence):
        return 0.0
    if wanted >= n:
        return float(np.sort(evidence)[::-1][int(wanted)])
    mean_excess = float((strongest[:-1] - strongest[-1]).mean())
    return float(strongest[-1]) + mean_excess * math.log(n / wanted)
