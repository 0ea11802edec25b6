"""Metrics of classifiers, compared with scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from mddag.metrics import Accuracy, LogLoss, RocAuc

METRICS = [Accuracy(), LogLoss(), LogLoss(0.01), RocAuc()]


@st.composite
def rated_rows(draw):
    """Probabilities (n, K) with ties, class numbers (n,) of all classes, and weights (n,)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k, n = draw(st.sampled_from([2, 3, 5])), draw(st.integers(8, 60))
    scores = rng.normal(size=(n, k))
    if draw(st.booleans()):
        scores = scores.round()
    p = np.exp(scores)
    labels = rng.integers(0, k, n)
    labels[:k] = np.arange(k)
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    return p / p.sum(axis=1, keepdims=True), labels, weight


@given(rated_rows())
def test_as_scikit_learn_has_them(rows):
    p, labels, weight = rows
    k = p.shape[1]
    found = accuracy_score(labels, p.argmax(axis=1), sample_weight=weight)
    assert Accuracy()(p, labels, weight) == pytest.approx(found)
    found = log_loss(labels, p, sample_weight=weight, labels=np.arange(k))
    assert LogLoss()(p, labels, weight) == pytest.approx(found)
    said = p[:, 1] if k == 2 else p
    found = roc_auc_score(labels, said, sample_weight=weight, multi_class="ovr")
    assert RocAuc()(p, labels, weight) == pytest.approx(found)


@given(rated_rows())
def test_soft_labels_are_weights(rows):
    p, labels, weight = rows
    k = p.shape[1]
    shares = 0.75 * np.eye(k)[labels] + 0.25 * np.eye(k)[(labels + 1) % k]
    both = np.concatenate([labels, (labels + 1) % k])
    copied = np.concatenate([0.75 * weight, 0.25 * weight])
    for metric in METRICS:
        found = metric(np.concatenate([p, p]), both, copied)
        np.testing.assert_allclose(metric(p, shares, weight), found, rtol=1e-9)


@settings(deadline=None)
@given(rated_rows())
def test_numbers_of_rows_are_influences(rows):
    """The number of a row is the value and its derivative by the weight of the row."""
    p, labels, weight = rows
    shares, step = np.eye(p.shape[1])[labels], 1e-6
    numbers = RocAuc().of_rows(p, shares, weight)
    value = np.average(numbers, weights=weight)
    for i in (0, len(p) // 2):
        more = weight.copy()
        more[i] += step * weight.sum()
        slope = (np.average(RocAuc().of_rows(p, shares, more), weights=more) - value) / step
        np.testing.assert_allclose(numbers[i] - value, slope, atol=1e-3, rtol=1e-3)


def test_the_standard_error_is_that_of_resampling():
    """Of a difference of two models on the same rows."""
    rng, metric = np.random.default_rng(0), RocAuc()
    y = rng.integers(0, 2, 1500)
    one = y + rng.normal(size=1500)
    two = one + 0.3 * rng.normal(size=1500)
    p, q = (np.column_stack([1 - s, s]) for s in (1 / (1 + np.exp(-s)) for s in (one, two)))
    lost = metric.lost(p, q, np.eye(2)[y], np.ones(1500))
    again = [rng.integers(0, 1500, 1500) for _ in range(400)]
    drawn = [metric(p[i], y[i]) - metric(q[i], y[i]) for i in again]
    assert lost.mean() == pytest.approx(metric(p, y) - metric(q, y))
    assert lost.std() / 1500**0.5 == pytest.approx(np.std(drawn), rel=0.12)


def test_classes_without_rows_are_left_out():
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.6, 0.2, 0.2]])
    assert RocAuc()(p, [0, 1, 0]) == 1.0


def test_worse_is_positive_whatever_the_direction():
    p, q = np.array([[0.1, 0.9]]), np.array([[0.8, 0.2]])
    shares, weight = np.array([[0.0, 1.0]]), np.ones(1)
    for metric in (Accuracy(), LogLoss()):
        assert metric.lost(p, q, shares, weight)[0] > 0
        assert metric.lost(q, p, shares, weight)[0] < 0


def test_only_bounded_ones_have_a_span():
    assert LogLoss().span is RocAuc().span is None
    clipped = LogLoss(0.01)
    assert clipped.span == clipped([0.0], [1]) == pytest.approx(-np.log(0.01))
    assert Accuracy().span == 1.0


def test_forms_of_probabilities_and_labels():
    assert Accuracy()([0.25, 1.0], [0, 1]) == 1.0  # those of the second class
    assert Accuracy()([0.5], [0]) == 1.0  # a tie goes to the first class
    assert Accuracy()([0.25, 1.0], [True, False]) == 0.0
    assert Accuracy()([0.25, 1.0], [0.0, 1.0]) == 1.0


def test_metrics_are_parameters():
    assert clone(LogLoss(0.01), safe=False) == LogLoss(0.01)
    assert LogLoss().set_params(smallest=0.1) == LogLoss(0.1)
    assert repr(RocAuc()) == "RocAuc()"


BAD = [
    (lambda: LogLoss()([0.5, 2.0], [0, 1]), r"probabilities\[1\]"),
    (lambda: LogLoss()(np.ones((2, 1)), [0, 1]), r"probabilities.*\(2, 1\)"),
    (lambda: LogLoss()([[0.5, 0.6]], [0]), r"probabilities\[0\].*0.6"),
    (lambda: LogLoss()([0.5], ["a"]), "labels"),
    (lambda: RocAuc()([0.5, 0.1], [0, 2]), "labels"),
    (lambda: LogLoss()([0.5], [0, 1]), r"labels.*\(2,\)"),
    (lambda: RocAuc()([0.1, 0.2], [1, 1]), "ROC AUC.*one class"),
    (lambda: LogLoss(0), "smallest.*0"),
    (lambda: LogLoss().set_params(smallest=0.7), "smallest.*0.7"),
]


@pytest.mark.parametrize(("call", "words"), BAD)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
