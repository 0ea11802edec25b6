"""What holds for every learner."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.learners import Learner, Stump, Tree
from mddag.learners.columns import Columns
from tests.learners.one_column import OneColumn
from tests.learners.problems import assert_same, labels, many_codes, problems
from tests.reference.growing import stump, tree
from tests.reference.trees import leaf_code
from tests.shipped import needed


@given(problems(), st.integers(2, 9))
def test_learners_equal_their_twins(problem, n_leaves):
    _, columns, targets, weights = problem
    assert_same(Stump().fit(columns, targets, weights), stump(columns, targets, weights))
    got = Tree(n_leaves).fit(columns, targets, weights)
    assert_same(got, tree(columns, targets, weights, n_leaves))


@pytest.mark.parametrize("n_classes", [1, 3, 10])
@pytest.mark.parametrize("n_rows", [3, 40, 400])
def test_learners_equal_their_twins_on_columns_with_many_codes(n_rows, n_classes):
    _, columns, targets, weights = many_codes(n_rows, n_rows, n_classes=n_classes)
    assert_same(Stump().fit(columns, targets, weights), stump(columns, targets, weights))
    if n_rows * n_classes <= 400:  # the twin is slow
        got = Tree(4).fit(columns, targets, weights)
        assert_same(got, tree(columns, targets, weights, 4))


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


@settings(max_examples=30)
@given(problems())
def test_grows_until_every_row_is_right_or_no_split_helps(problem):
    _, columns, targets, weights = problem
    nodes = Tree(256).fit(columns, targets, weights)
    again = Tree(nodes.n_leaves if nodes.n_leaves > 1 else 2).fit(columns, targets, weights)
    assert_same(nodes, again)


@settings(max_examples=30)
@given(problems())
def test_is_never_worse_than_a_constant_vote(problem):
    _, columns, targets, weights = problem
    nodes = Tree(4).fit(columns, targets, weights)
    edge = (weights * targets * nodes.votes[columns.leaf_codes(nodes)]).sum()
    assert edge >= np.abs((weights * targets).sum(axis=0)).sum() - 1e-12


def test_256_leaves_fit_a_byte():
    rng = np.random.default_rng(0)
    columns = Columns.from_rows(rng.normal(size=(4000, 20)), max_bins=255)
    nodes = Tree(256).fit(columns, *labels(rng, 4000, 1))
    leaves = columns.leaf_codes(nodes)
    assert nodes.n_leaves == 256
    assert leaves.dtype == np.uint8
    assert np.unique(leaves).tolist() == list(range(256))


def test_histograms_too_large_to_keep_change_nothing():
    """Thirty copies of the columns pass the bound on memory; ties go to the first copy."""
    rng = np.random.default_rng(0)
    columns = Columns.from_rows(np.tile(rng.normal(size=(300, 4)), 30), max_bins=255)
    targets, weights = labels(rng, 300, 9)
    few = columns.restricted(np.arange(4))
    assert_same(Tree(256).fit(columns, targets, weights), Tree(256).fit(few, targets, weights))


def test_stops_where_no_split_gains():
    """Signs that alternate by place: no single cut of the rest improves on its constant vote."""
    columns = Columns.from_rows(np.arange(6.0)[:, None])
    targets = np.array([[1], [-1], [1], [-1], [1], [-1]], np.int8)
    assert Tree(6).fit(columns, targets, np.full((6, 1), 1 / 6)).n_leaves == 2


@pytest.mark.parametrize("n_leaves", [1, 257, 2.0, None])
def test_refuses_other_numbers_of_leaves(n_leaves):
    columns = Columns.from_rows([[0.0], [1.0]])
    with pytest.raises(
        ValueError, match=f"n_leaves is {n_leaves}; wanted a whole number from 2 to 256"
    ):
        Tree(n_leaves).fit(columns, np.ones((2, 1), np.int8), np.full((2, 1), 0.5))


LEARNERS: list[Learner] = [Stump(), Tree(4), OneColumn()]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@settings(max_examples=20)
@given(problem=problems())
def test_votes_are_signs_for_every_class_of_every_row(learner, problem):
    X, columns, targets, weights = problem
    if columns.nominal[0] and isinstance(learner, OneColumn):
        return
    nodes = learner.fit(columns, targets, weights)
    leaves = columns.leaf_codes(nodes)
    assert leaves.tolist() == [leaf_code(nodes, x) for x in X]
    assert nodes.votes[leaves].shape == targets.shape
    assert np.isin(nodes.votes, [-1.0, 1.0]).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n_classes", [1, 3, 10])
@pytest.mark.parametrize("max_bins", [255, None])
def test_threads_do_not_matter(learner, n_classes, max_bins):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 30))
    X[:, 5] = X[:, 6]
    targets, weights = labels(rng, 6000, n_classes)
    fits = [
        learner.fit(Columns.from_rows(X, max_bins=max_bins, n_jobs=t), targets, weights)
        for t in (1, 2, 3)
    ]
    assert_same(fits[0], fits[1])
    assert_same(fits[0], fits[2])


def test_learners_do_not_import_scikit_learn():
    code = "import sys, mddag.learners; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_guide_quotes_the_learner_that_is_tested_here():
    guide = (needed("docs") / "learners.md").read_text()
    source = (Path(__file__).parent / "one_column.py").read_text()
    assert source.partition("\n\n")[2].strip() in guide
