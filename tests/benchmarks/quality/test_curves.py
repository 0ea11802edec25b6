"""How the curves of the quality benchmark are chosen on policy rows and read on test rows."""

import numpy as np
import pytest

from benchmarks.quality.curves import N_BINS, chosen, cost, reading

FULL = (500.0, 0.1)


@pytest.mark.parametrize(
    ("points", "read", "at"),
    [
        ([(10, 0.2), (50, 0.102), (80, 0.1)], 50, 1),  # at the tolerance is within it
        ([(10, 0.112), (50, 0.092)], 30, 1),  # halfway between the two
        ([(10, 0.112), (20, 0.2), (50, 0.092)], 30, 2),  # from the best before it
        ([(50, 0.09), (80, 0.1)], 50, 0),  # the cheapest is good enough
        ([(10, 0.122)], 10 + 490 * 20 / 22, 1),  # rows drawn for the full model
        ([(600, 0.09)], 500, 1),  # dearer than the full model
        ([], 500, 0),
    ],
)
def test_the_cost_within_the_tolerance(points, read, at):
    assert reading(points, FULL, 0.002) == (pytest.approx(read), at)


def test_each_ratio_of_costs_has_the_least_error_on_policy_rows():
    costs = np.array([2.0, 2.01, 90.0, 91.0, 400.0])
    errors = np.array([0.11, 0.105, 0.104, 0.101, 0.1])
    assert chosen(costs, errors, 500.0, 0.12) == [1, 3, 4]


def test_candidates_without_hope_or_dearer_than_the_full_model_are_left_out():
    costs = np.array([1.0, 5.0, 700.0])
    errors = np.array([0.4, 0.1, 0.05])
    assert chosen(costs, errors, 500.0, 0.12) == [1]


def test_where_all_are_without_hope_the_best_remains():
    assert chosen(np.array([1.0, 5.0]), np.array([0.4, 0.3]), 500.0, 0.12) == [1]


def test_no_curve_has_more_points_than_bins():
    costs = np.geomspace(1, 499, 5000)
    assert len(chosen(costs, np.full(5000, 0.1), 500.0, 0.12)) == N_BINS


def test_costs_are_one_at_least():
    assert cost((0.1, 0.0, 7.0), "evaluations") == 1
    assert cost((0.1, 0.0, 7.0), "nodes") == 7
