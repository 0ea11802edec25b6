"""Rates of detection: thresholds, intervals, realised rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from mddag.metrics import rate_interval, threshold_at_fpr, tpr_at_fpr


@st.composite
def scored(draw):
    """Few distinct scores, so that ties are common; one row of each class at least."""
    n = draw(st.integers(2, 30))
    scores = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    labels = draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))
    return np.array(scores, float), np.array([True, False, *labels])


def rate(scores, rows, threshold):
    return (scores[rows] > threshold).mean()


@given(scored(), st.floats(0, 1))
def test_no_smaller_threshold_meets_the_fpr(rows, fpr):
    scores, positive = rows
    threshold = threshold_at_fpr(scores, positive, fpr)
    assert rate(scores, ~positive, threshold) <= fpr + 1e-9
    for smaller in np.unique(scores):
        if smaller < threshold:
            assert rate(scores, ~positive, smaller) > fpr
    tpr, same = tpr_at_fpr(scores, positive, fpr)
    assert (tpr, same) == (rate(scores, positive, threshold), threshold)


@given(scored(), st.integers(0, 100).map(lambda k: k / 100))  # a rate next to a corner counts as it
def test_split_ties_read_the_roc_curve(rows, fpr):
    scores, positive = rows
    wrong, found, _ = roc_curve(positive, scores, drop_intermediate=False)
    tpr = tpr_at_fpr(scores, positive, fpr, ties="split")[0]
    right = min(np.searchsorted(wrong, fpr, side="right"), len(wrong) - 1)
    between = np.interp(fpr, wrong[right - 1 : right + 1], found[right - 1 : right + 1])
    assert tpr == pytest.approx(found[-1] if fpr == 1 else between, abs=1e-8)
    assert tpr >= tpr_at_fpr(scores, positive, fpr)[0]


def test_a_rate_that_floating_point_rounds_down_keeps_its_rows():
    assert 0.29 * 100 < 29
    assert (
        rate(
            np.arange(100.0),
            np.ones(100, bool),
            threshold_at_fpr(np.arange(101.0), [0] * 100 + [1], 0.29),
        )
        == 0.29
    )


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [False, True], [0.0, 1.0]])
def test_labels_of_two_values(labels):
    assert tpr_at_fpr([0.0, 1.0], labels, 0.0) == (1.0, 0.0)


def test_interval_of_clopper_and_pearson():
    assert rate_interval(0, 10) == pytest.approx((0, 1 - 0.025**0.1))
    assert rate_interval(10, 10) == pytest.approx((0.025**0.1, 1))
    assert rate_interval(3, 1000) == pytest.approx((0.00061911, 0.00874187), rel=1e-4)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_observed_rate(seen):
    count, n = seen
    low, high = rate_interval(count, n)
    assert 0 <= low <= count / n <= high <= 1
