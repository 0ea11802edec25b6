"""Rates of detection: thresholds, intervals, the protocol of Figure 2 and its display."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from sklearn.metrics import roc_curve

from mddag import DetectionDisplay
from mddag.metrics import (
    DetectionRun,
    RealisedRates,
    Scored,
    best_within,
    fpr_at_tpr,
    rate_interval,
    threshold_at_fpr,
    threshold_at_tpr,
    tpr_at_fpr,
)


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


@given(scored(), st.floats(0, 1))
def test_no_larger_threshold_meets_the_tpr(rows, tpr):
    scores, positive = rows
    threshold = threshold_at_tpr(scores, positive, tpr)
    assert rate(scores, positive, threshold) >= tpr - 1e-9
    for larger in np.unique(scores):
        if larger > threshold:
            assert rate(scores, positive, larger) < tpr
    fpr, same = fpr_at_tpr(scores, positive, tpr)
    assert (fpr, same) == (rate(scores, ~positive, threshold), threshold)


def test_by_hand():
    scores, labels = [5, 4, 3, 2, 1, 0], [1, 0, 1, 0, 1, 0]
    assert tpr_at_fpr(scores, labels, 0.4) == (2 / 3, 2.0)
    assert tpr_at_fpr(scores, labels, 0.3) == (1 / 3, 4.0)
    assert threshold_at_fpr(scores, labels, 1.0) == -np.inf
    assert threshold_at_tpr(scores, labels, 0.0) == np.inf


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


def run(tpr, cost):
    return DetectionRun(tpr, cost, tpr - 0.1, cost + 1, tpr - 0.2, 0.02)


def test_a_run_has_both_thresholds():
    train = Scored([0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 1, 1], [1, 1, 9, 4, 9, 9])
    test = Scored([0, 2, 4, 3, 3.5, 5], [0, 0, 0, 1, 1, 1], [2, 2, 2, 9, 9, 9])
    found = DetectionRun.of(train, test, fpr=0.34)
    assert found == DetectionRun(1.0, 2.0, 1.0, 2.0, 1.0, 2 / 3)
    strict = DetectionRun.of(train, test, 0.34, validation=Scored([3, 4, 9], [0, 0, 1], [1] * 3))
    assert (strict.test_tpr, strict.held_out_tpr, strict.held_out_fpr) == (1.0, 1 / 3, 0.0)


def test_a_run_may_split_ties():
    rows = Scored([1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1] * 5)
    whole, split = (DetectionRun.of(rows, rows, 0.5, ties=ties) for ties in ("whole", "split"))
    assert (whole.train_tpr, whole.test_tpr) == (0.0, 0.0)
    assert (split.train_tpr, split.test_tpr, split.held_out_tpr) == (0.5, 0.5, 0.0)


def test_the_best_by_train_within_each_bound():
    runs = [run(0.5, 3), run(0.8, 9), run(0.7, 5), run(0.8, 7)]
    assert best_within(runs, [1, 3, 6, 8, 100]) == [None, runs[0], runs[2], runs[3], runs[1]]


NUMBERS = {
    "fpr": 0.0013, "fpr_error": 0.0005, "fpr_interval": (0.0004, 0.003),
    "tpr": 0.91, "tpr_error": 0.012, "tpr_interval": (0.88, 0.93),
    "n_negatives": 5000, "n_positives": 700, "n_evaluated": 9.5,
}  # fmt: skip


def test_the_realised_rate_stands_beside_the_wanted_one():
    found = RealisedRates(target="target_fpr", wanted=0.001, **NUMBERS)
    assert found.line("fpr") == (
        "FPR: 0.001 wanted, 0.0013 +- 0.0005 realised on 5000 negatives held out "
        "(95 %: 0.0004 to 0.003)"
    )
    assert "wanted" not in found.line("tpr")
    assert str(found).splitlines() == [found.line("fpr"), found.line("tpr")]


def test_intervals_are_pairs():
    assert RealisedRates(
        target="target_fpr", wanted=0.1, **NUMBERS | {"fpr_interval": [0, 1]}
    ).fpr_interval == (0.0, 1.0)
    with pytest.raises(ValueError, match="target is 'fpr'"):
        RealisedRates(target="fpr", wanted=0.1, **NUMBERS)


BOUNDS = (2, 10, 100)


@pytest.fixture(autouse=True)
def _closed_figures():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def detection_run(tpr, cost):
    return DetectionRun(tpr, cost, tpr - 0.1, cost, tpr - 0.2, 0.01)


@pytest.fixture
def runs():
    """Two seeds of two methods."""
    ours = [
        [detection_run(0.6, 2), detection_run(0.9, 8)],
        [detection_run(0.7, 2), detection_run(0.8, 50)],
    ]
    theirs = [
        [detection_run(0.5, 5), detection_run(0.85, 60)],
        [detection_run(0.5, 5), detection_run(0.95, 60)],
    ]
    return {"ours": ours, "theirs": theirs}


def drawn(display):
    return {c.get_label(): c.lines[0] for c in display.ax_.containers}


def test_means_of_the_chosen_runs(runs):
    lines = drawn(DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS))
    np.testing.assert_allclose(lines["ours"].get_xdata(), BOUNDS)
    np.testing.assert_allclose(lines["ours"].get_ydata(), [0.55, 0.7, 0.75])


def test_no_point_where_every_setting_needs_more(runs):
    theirs = drawn(DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS))["theirs"]
    np.testing.assert_allclose(theirs.get_ydata(), [np.nan, 0.4, 0.8])


def test_the_threshold_of_held_out_rows(runs):
    display = DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS, threshold="held_out")
    np.testing.assert_allclose(drawn(display)["ours"].get_ydata(), [0.45, 0.6, 0.65])


def test_the_highlighted_line_is_thick_and_axes_are_labelled(runs):
    _, ax = plt.subplots()
    display = DetectionDisplay.from_runs(runs, fpr=0.001, bounds=BOUNDS, highlight="ours", ax=ax)
    assert display.ax_ is ax
    lines = drawn(display)
    assert lines["ours"].get_linewidth() > lines["theirs"].get_linewidth()
    assert ax.get_ylabel() == "TPR at FPR 0.1 %"
    assert ax.get_xscale() == "log"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["ours", "theirs"]
