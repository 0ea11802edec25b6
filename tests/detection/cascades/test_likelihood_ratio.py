import numpy as np
import pytest

from mddag.detection.cascades.likelihood_ratio import (
    BINS,
    NORMAL_RULE,
    Surviving,
    wald_reject,
    wald_rejects,
)
from tests.reference import cascades as reference


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("miss", [0.02, 0.2, 0.6])
def test_equals_sums_of_gaussians(seed, miss):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.normal(1, 1, 80), rng.normal(-1, 1, 120)
    found = wald_reject(positives, negatives, (1 / 100, 1 / 300), miss, 0.5)
    width = 0.5 * NORMAL_RULE * positives.std() * 80**-0.2
    low, high = min(negatives.min(), positives.min()), positives.max()
    grid = np.linspace(low - 3 * width, high, 400)
    wanted = reference.wald_reject(positives, negatives, (1 / 100, 1 / 300), miss, width, grid)
    assert found == pytest.approx(wanted, abs=3 * (high - low) / BINS + 0.1 * width)


def test_a_larger_miss_rate_rejects_more():
    rng = np.random.default_rng(0)
    rows = rng.normal(1, 1, 500), rng.normal(-1, 1, 500)
    found = [wald_reject(*rows, (1 / 500, 1 / 500), miss, 0.5) for miss in (0.01, 0.1, 0.5)]
    assert found == sorted(found)
    assert [np.mean(rows[0] <= r) < miss for r, miss in zip(found, (0.01, 0.1, 0.5), strict=True)]


def test_a_class_without_rows_has_no_threshold():
    some = np.array([0.0, 1.0])
    assert wald_reject(some, some[:0], (1.0, 1.0), 0.1, 0.5) == -np.inf
    assert wald_reject(some[:0], some, (1.0, 1.0), 0.1, 0.5) == -np.inf


def test_equal_scores_of_both_classes_are_not_told_apart():
    assert wald_reject(np.zeros(10), np.zeros(10), (0.1, 0.1), 0.1, 0.5) < 0


def test_thresholds_are_those_of_the_rows_that_survive():
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 150
    votes = 0.5 * rng.choice([-1.0, 1.0], (400, 12)) + 0.3 * positive[:, None]
    rejects = wald_rejects(votes, positive, miss=0.2, smoothing=0.5)
    first = wald_rejects(votes[:, :6], positive, miss=0.2, smoothing=0.5)
    np.testing.assert_array_equal(rejects[:6], first)
    assert np.isfinite(rejects).any()


def test_rows_that_replace_others_stand_for_as_much():
    positive = np.array([True, True, False, False])
    tested = Surviving.of(np.array([1.0, 2.0, 0.5, 3.0]), positive)
    tested.reject(0.7)
    assert tested.n_left.tolist() == [1, 2]
    assert tested.survived == (0.5, 1.0)
    refilled = Surviving.of(np.zeros(6), np.arange(6) < 2, tested.survived)
    assert refilled.share == (0.125, 0.5)
