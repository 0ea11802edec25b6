import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import f1_score

from mddag.metrics import MacroF1
from tests.metrics.problems import check_influence, check_soft_labels, rated_rows


@given(rated_rows())
def test_as_scikit_learn_has_it(rows):
    p, labels, weight = rows
    found = f1_score(labels, p.argmax(axis=1), average="macro", sample_weight=weight)
    assert MacroF1()(p, labels, weight) == pytest.approx(found)


@given(rated_rows())
def test_numbers_of_rows_are_influences(rows):
    check_influence(MacroF1(), rows)
    check_soft_labels(MacroF1(), rows)


def test_a_class_that_no_row_is_of_counts_zero():
    assert MacroF1()([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]], [0, 1]) == pytest.approx(2 / 3)


def test_prices_are_what_one_changed_row_costs():
    rng = np.random.default_rng(0)
    n = 4000
    labels = rng.integers(0, 3, n)
    chosen = np.where(rng.random(n) < 0.8, labels, rng.integers(0, 3, n))
    chosen[0] = labels[0] = 2
    before, changed = np.eye(3)[chosen], chosen.copy()
    prices = MacroF1().prices(before, np.eye(3)[labels], np.ones(n))
    for other in (0, 1):
        changed[0] = other
        lost = MacroF1()(before, labels) - MacroF1()(np.eye(3)[changed], labels)
        assert lost * n == pytest.approx(prices[2, other], rel=0.01)
    assert np.diag(prices).tolist() == [0, 0, 0]
