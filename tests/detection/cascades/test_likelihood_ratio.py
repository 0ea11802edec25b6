import numpy as np
import pytest

from mddag.detection.cascades.likelihood_ratio import BINS, NORMAL_RULE, wald_reject
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
