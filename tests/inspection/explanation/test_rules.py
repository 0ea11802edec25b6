import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import Features
from mddag.features.patches import PatchFeatures
from mddag.inspection.explanation.rules import (
    feature_name,
    leaf_rules,
    number,
    one_line,
    path_of,
    rule_of_path,
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


def test_names_are_on_one_line():
    assert one_line("a\n b\tc") == "a b c"
    assert one_line("a\x00\u202eb") == "a\\u0000\\u202eb"
    assert one_line("") == "''"
    assert feature_name(Features(2), 1) == "x[1]"
    patches = PatchFeatures.of((4, 4), np.zeros((1, 3, 5), np.int32))
    assert feature_name(patches, 0) == "Haar feature 0"
