import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from mddag.learners import Stump
from mddag.learners.columns import Columns
from tests.learners.problems import assert_same, many_codes, problems
from tests.reference.stump import stump


@given(problems())
def test_equals_its_twin(problem):
    _, columns, targets, weights = problem
    assert_same(Stump().fit(columns, targets, weights), stump(columns, targets, weights))


@pytest.mark.parametrize("n_classes", [1, 3, 10])
@pytest.mark.parametrize("n_rows", [3, 40, 400])
def test_equals_its_twin_on_columns_with_many_codes(n_rows, n_classes):
    _, columns, targets, weights = many_codes(n_rows, n_rows, n_classes=n_classes)
    assert_same(Stump().fit(columns, targets, weights), stump(columns, targets, weights))


@settings(max_examples=30)
@given(problems())
def test_leaves_vote_opposite_signs(problem):
    _, columns, targets, weights = problem
    nodes = Stump().fit(columns, targets, weights)
    assert np.isin(nodes.votes, [-1.0, 1.0]).all()
    assert nodes.n_leaves == 1 or (nodes.votes[0] == -nodes.votes[1]).all()


def test_finds_the_threshold_of_the_paper():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    targets = np.array([[-1], [-1], [1], [1]], np.int8)
    nodes = Stump().fit(Columns.from_rows(X), targets, np.full((4, 1), 0.25))
    assert nodes.records["threshold"][0] == 1.5
    assert nodes.votes.tolist() == [[-1.0], [1.0]]


def test_being_missing_can_be_what_counts():
    X = np.array([[0.0], [1.0], [np.nan], [np.nan]])
    targets = np.array([[-1], [-1], [1], [1]], np.int8)
    nodes = Stump().fit(Columns.from_rows(X), targets, np.full((4, 1), 0.25))
    assert nodes.records["threshold"][0] == np.inf
    assert not nodes.records["missing_left"][0]
    assert nodes.votes.tolist() == [[-1.0], [1.0]]


def test_one_class_finds_the_best_of_all_category_sets():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    targets = np.array([[1], [-1], [1], [-1]], np.int8)
    columns = Columns.from_rows(X, nominal=[True])
    nodes = Stump().fit(columns, targets, np.full((4, 1), 0.25))
    assert (nodes.votes[columns.leaf_codes(nodes)] == targets).all()


@pytest.mark.parametrize(
    "X", [[[5.0]], [[1.0], [1.0], [1.0]], [[np.nan], [np.nan]]], ids=["one row", "same", "missing"]
)
def test_nothing_to_split_gives_a_constant_vote(X):
    targets = np.full((len(X), 2), [1, -1], np.int8)
    nodes = Stump().fit(Columns.from_rows(X), targets, np.full(targets.shape, 0.5 / len(X)))
    assert nodes.votes.tolist() == [[1.0, -1.0]]
    assert len(nodes.records) == 1


def test_no_candidates_gives_a_constant_vote():
    columns = Columns.from_rows([[0.0], [1.0]]).restricted([])
    nodes = Stump().fit(columns, np.array([[1], [-1]], np.int8), np.array([[0.25], [0.75]]))
    assert nodes.votes.tolist() == [[-1.0]]


@pytest.mark.skipif(not os.environ.get("MDDAG_ANCHORS"), reason="MDDAG_ANCHORS is not set")
@pytest.mark.parametrize("name", ["two", "hastie"])
def test_boosted_stumps_equal_those_of_multiboost(name):
    """Stump for stump; far behind, sums of floats there decide a near tie otherwise than ours."""
    anchors = Path(os.environ["MDDAG_ANCHORS"])
    rows = np.load(anchors / f"{name}_train.npz")
    targets = np.where(rows["y"] > 0, 1, -1).astype(np.int8)[:, None]
    weights, columns = np.full(targets.shape, 1 / len(targets)), Columns.from_rows(rows["X"])
    for wanted in json.loads((anchors / f"{name}_stumps.json").read_text())["stumps"][:500]:
        nodes = Stump().fit(columns, targets, weights)
        assert nodes.records["feature"][0] == wanted["feature"]
        assert nodes.records["threshold"][0] == pytest.approx(wanted["threshold"], abs=1e-6)
        right = nodes.votes[columns.leaf_codes(nodes)] == targets
        weights = weights * np.where(right, np.exp(-wanted["alpha"]), np.exp(wanted["alpha"]))
        weights /= weights.sum()


COLUMNS = Columns.from_rows([[0.0], [1.0]])
TARGETS = np.array([[1], [-1]], np.int8)


@pytest.mark.parametrize(
    ("targets", "weights", "message"),
    [
        (TARGETS, np.array([[0.5], [-0.5]]), r"weights\[1, 0\] is -0.5; wanted weights >= 0"),
        (TARGETS, np.array([[np.nan], [0.5]]), r"weights\[0, 0\] is nan"),
        (TARGETS, np.array([[1.0], [0.5]]), "weights sum to 1.5; wanted 1"),
        (TARGETS, np.full((3, 1), 0.1), r"targets \(2, 1\) and weights \(3, 1\) do not fit 2 rows"),
        (TARGETS[:, 0], np.full(2, 0.5), r"targets is int8 \(2,\)"),
        (TARGETS.astype(int), np.full((2, 1), 0.5), "targets is int64"),
        (TARGETS, np.full((2, 1), 0.5, np.float32), "weights is float32"),
    ],
)
def test_refuses_what_does_not_fit(targets, weights, message):
    with pytest.raises(ValueError, match=message):
        Stump().fit(COLUMNS, targets, weights)
