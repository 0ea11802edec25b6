"""Rules in words, and changes of one feature at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import Features
from mddag.inspection.explanation.rules import (
    best_changes,
    leaf_rules,
    number,
    path_of,
    rule_of_path,
    tries_of,
)
from tests import strategies
from tests.inspection.explanation.models import nominal_ensemble


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_the_leaf_is_that_of_the_kernels(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    codes = ensemble.votes(X).codes
    for i, row in enumerate(X):
        for t in range(ensemble.n_trees):
            assert path_of(ensemble.tree(t), row)[1] == codes[i, t]


def rule(row, t=0):
    ensemble, row = nominal_ensemble(), np.array(row)
    splits, _ = path_of(ensemble.tree(t), row)
    return rule_of_path(splits, ensemble.tree(t), ensemble.features, row)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([35.0, 0.0], "age > 30"),
        ([25.0, 0.0], "age <= 30 and work is private or none"),
        ([25.0, 1.0], "age <= 30 and work is not private or none"),
        ([25.0, np.nan], "age <= 30 and work is missing"),
        ([np.nan, 0.0], "age is missing"),
    ],
)
def test_a_path_in_words(row, words):
    assert rule(row) == words


def test_the_rules_of_all_leaves():
    ensemble = nominal_ensemble()
    rules = [(text, votes.tolist()) for text, votes in leaf_rules(ensemble.tree(1), Features(2))]
    assert rules == [
        ("x[0] <= 40 and x[1] is 1", [-1.0]),
        ("x[0] <= 40 and x[1] is not 1", [0.5]),
        ("x[0] > 40", [1.0]),
    ]


def test_a_number_stays_on_its_side():
    assert number(7055.5) == "7055.5"
    assert number(0.12345678, 0.1234568) == "0.12345678"
    assert number(1 / 3, 0.2) == "0.333333"


FEATURES = nominal_ensemble().features
TREES = [nominal_ensemble().tree(t) for t in range(2)]


def tries(row):
    return tries_of(TREES, FEATURES, np.array(row))


def test_values_at_and_above_thresholds_and_other_categories_are_tried():
    found = {(t.feature, t.to): (t.tried, t.far) for t in tries([35.0, 1.0])}
    assert found == {
        (0, "<= 30"): (30.0, 0.5),
        (0, "> 40"): (np.nextafter(40.0, np.inf), 0.5),
        (1, "is private"): (0.0, 0.5),
        (1, "is none"): (2.0, 0.5),
    }
    assert {t.far for t in tries([20.0, 1.0]) if t.feature == 0} == {0.5, 1.0}


def test_a_missing_value_may_become_any():
    found = [(t.to, t.value) for t in tries([np.nan, np.nan]) if t.feature == 0]
    assert found == [("<= 30", None), ("<= 40", None), ("> 40", None)]


@pytest.mark.parametrize(
    ("predict", "of_numbers", "wanted"),
    [
        (lambda rows: (rows[:, 0] > 25) * 1, False, [("age", "> 30", 20.0, 1)]),
        (
            lambda rows: rows[:, 0] - 3 * rows[:, 1],
            True,
            [("age", "> 40", 20.0, np.nextafter(40, 41) - 3), ("work", "is private", "state", 20)],
        ),
    ],
)
def test_the_best_change_of_each_feature_counts(predict, of_numbers, wanted):
    def answers(rows):
        return predict(np.asarray(rows))

    row = np.array([20.0, 1.0])
    found = best_changes(tries(row), row, FEATURES, answers, of_numbers=of_numbers)
    assert [(c.name, c.to, c.value, c.prediction) for c in found] == wanted
