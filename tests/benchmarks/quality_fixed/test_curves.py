"""How the curves of the quality benchmark are read."""

import numpy as np
import pytest

from benchmarks.quality_fixed.curves import N_POINTS, Point, reading, spread

FULL = Point("full", 0.0, 500.0, 0.1)


def curve(*pairs):
    return [Point("some", 0.0, evaluations, error) for evaluations, error in pairs]


@pytest.mark.parametrize(
    ("points", "fewest"),
    [
        (curve((10, 0.2), (50, 0.102), (80, 0.1)), 50),  # at the tolerance is within it
        (curve((80, 0.1), (50, 0.09), (60, 0.05)), 50),  # better than the full ensemble
        (curve((10, 0.2), (50, 0.11)), 500),  # none: the full ensemble remains
        (curve((0.25, 0.1)), 1),  # ratios need one
        ([], 500),
    ],
)
def test_the_fewest_evaluations_within_the_tolerance(points, fewest):
    assert reading(points, FULL, 0.002) == fewest


def test_a_curve_lies_where_the_policy_rows_lose_between_two_points_and_nothing():
    evaluations = np.arange(1, 501)
    errors = 0.1 + np.maximum(0.05 - evaluations / 2000, 0.0)  # 2 points at 60, nothing from 100
    chosen = evaluations[spread(evaluations, errors, 0.1)]
    assert chosen.min() == 61
    assert chosen.max() == 200
    assert len(chosen) == N_POINTS


def test_a_curve_of_candidates_that_all_lose_much_ends_with_the_dearest():
    chosen = spread(np.array([5.0, 1.0, 9.0]), np.array([0.5, 0.6, 0.4]), 0.1)
    assert chosen.tolist() == [2]
