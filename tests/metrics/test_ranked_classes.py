import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from mddag.metrics import AveragePrecision, RocAuc
from mddag.metrics.ranked_classes import tied
from tests.metrics.problems import check_influence, check_soft_labels, rated_rows

TWO = rated_rows(n_classes=st.just(2))


@given(TWO)
def test_two_classes_as_scikit_learn_has_them(rows):
    p, labels, weight = rows
    found = roc_auc_score(labels, p[:, 1], sample_weight=weight)
    assert RocAuc()(p, labels, weight) == pytest.approx(found)
    found = average_precision_score(labels, p[:, 1], sample_weight=weight)
    assert AveragePrecision()(p, labels, weight) == pytest.approx(found)


@given(rated_rows(n_classes=st.sampled_from([3, 5])))
def test_more_classes_as_scikit_learn_has_them(rows):
    p, labels, weight = rows
    found = roc_auc_score(labels, p, sample_weight=weight, multi_class="ovr")
    assert RocAuc()(p, labels, weight) == pytest.approx(found)
    one = np.eye(p.shape[1])[labels]
    found = average_precision_score(one, p, sample_weight=weight)
    assert AveragePrecision()(p, labels, weight) == pytest.approx(found)


@settings(deadline=None)
@given(rated_rows())
def test_numbers_of_rows_are_influences(rows):
    for metric in (RocAuc(), AveragePrecision()):
        check_influence(metric, rows)
        check_soft_labels(metric, rows)


@pytest.mark.parametrize("metric", [RocAuc(), AveragePrecision()])
def test_the_standard_error_is_that_of_resampling(metric):
    """Of a difference of two models on the same rows."""
    rng = np.random.default_rng(0)
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
    with pytest.raises(ValueError, match="ROC AUC compares rows of a class with others, but all"):
        RocAuc()([0.1, 0.2], [1, 1])


def test_ties_are_one_place():
    assert tied(np.array([0.5, 0.1, 0.5])).tolist() == [1, 0, 1]
