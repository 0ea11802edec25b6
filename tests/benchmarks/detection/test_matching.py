"""Boxes that are hits, and what is counted of them."""

import numpy as np
import pytest

from benchmarks.detection.matching import curve, matched, overlaps

FACES = np.array([[0, 0, 10, 10], [20, 0, 30, 10]])


def test_overlap_is_intersection_over_union():
    assert overlaps(FACES[0], FACES).tolist() == [1.0, 0.0]
    assert overlaps(np.array([5, 0, 15, 10]), FACES)[0] == pytest.approx(1 / 3)


def test_a_face_is_hit_once():
    boxes = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [20, 1, 30, 11], [50, 50, 60, 60]])
    assert matched(boxes, FACES).tolist() == [True, False, True, False]
    assert matched(boxes, FACES[:0]).tolist() == [False] * 4


def test_the_curve_counts_over_all_pictures():
    found = [(FACES, np.array([3.0, 1.0])), (np.array([[50, 50, 60, 60]]), np.array([2.0]))]
    of_all = curve(found, [FACES, FACES[:1]])
    assert of_all.scores.tolist() == [3.0, 2.0, 1.0]
    assert of_all.is_hit.tolist() == [True, False, True]
    assert (of_all.at(2.0), of_all.at(0.0)) == ((1, 1), (2, 1))
    assert (of_all.hits_with(0), of_all.hits_with(1)) == (1, 2)
    assert of_all.average_precision == pytest.approx((1 + 2 / 3) / 3)


def test_nothing_found_is_no_precision():
    nothing = (np.empty((0, 4)), np.empty(0))
    assert curve([nothing], [FACES]).average_precision == 0.0
