import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, confusion_matrix, log_loss

from mddag.metrics import Accuracy, Brier, CostMatrix, LogLoss
from tests.metrics.problems import check_soft_labels, rated_rows

TWO = rated_rows(n_classes=st.just(2))


@given(rated_rows())
def test_as_scikit_learn_has_them(rows):
    p, labels, weight = rows
    assert Accuracy()(p, labels, weight) == pytest.approx(
        accuracy_score(labels, p.argmax(axis=1), sample_weight=weight)
    )
    found = log_loss(labels, p, sample_weight=weight, labels=np.arange(p.shape[1]))
    assert LogLoss()(p, labels, weight) == pytest.approx(found)
    costs = np.arange(p.shape[1] ** 2, dtype=float).reshape(p.shape[1], -1)
    np.fill_diagonal(costs, 0)
    counts = confusion_matrix(
        labels, p.argmax(axis=1), sample_weight=weight, labels=np.arange(p.shape[1])
    )
    paid = (counts * costs).sum() / weight.sum()
    assert CostMatrix(costs)(p, labels, weight) == pytest.approx(paid)


@given(TWO)
def test_brier_of_two_classes(rows):
    p, labels, weight = rows
    found = brier_score_loss(labels, p[:, 1], sample_weight=weight)
    assert Brier()(p, labels, weight) == pytest.approx(found)
    assert Brier()(p[:, 1], labels, weight) == pytest.approx(found)


@given(rated_rows(n_classes=st.just(4)))
def test_brier_of_more_classes(rows):
    p, labels, weight = rows
    squares = np.square(p - np.eye(4)[labels]).sum(axis=1)
    assert Brier()(p, labels, weight) == pytest.approx(np.average(squares, weights=weight))


@given(rated_rows(n_classes=st.just(3)))
def test_soft_labels_are_weights(rows):
    for metric in (Accuracy(), LogLoss(), Brier(), CostMatrix(1 - np.eye(3))):
        check_soft_labels(metric, rows)


def test_only_bounded_ones_have_a_span():
    assert LogLoss().span is None
    clipped = LogLoss(0.01)
    assert clipped.span == pytest.approx(-np.log(0.01))
    assert clipped([0.0], [1]) == pytest.approx(-np.log(0.01))
    assert CostMatrix([[0, 1], [20, 0]]).span == 20
    assert CostMatrix([[0, 1], [20, 0]]).largest == 20
    assert Accuracy().span == 1.0


def test_worse_is_positive_whatever_the_direction():
    p, q = np.array([[0.1, 0.9]]), np.array([[0.8, 0.2]])
    shares, weight = np.array([[0.0, 1.0]]), np.ones(1)
    for metric in (Accuracy(), LogLoss(), Brier(), CostMatrix([[0, 1], [2, 0]])):
        assert metric.lost(p, q, shares, weight)[0] > 0
        assert metric.lost(q, p, shares, weight)[0] < 0


def test_a_metric_prints_as_it_was_made():
    assert repr(CostMatrix(np.array([[0, 1], [20, 0]]))) == (
        "CostMatrix(costs=((0.0, 1.0), (20.0, 0.0)))"
    )
    assert CostMatrix([[0, 1], [20, 0]]) == CostMatrix(((0, 1), (20, 0)))
