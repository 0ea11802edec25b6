"""The rounds equal their plain-Python twin, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mddag import _core, learners
from mddag.boosting.rounds import rounds, scored, start, vote
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import NODE, Nodes, TreeBuilder
from mddag.learners import Stump
from mddag.learners.columns import Columns
from tests.reference import boosting as twin
from tests.reference.trees import leaf_code

LEARNERS = [getattr(learners, name)() for name in learners.__all__ if name != "Learner"]


def problem(seed, n=40, d=4, n_classes=2, levels=None, missing=0.0, weighted=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if levels is not None:
        X = np.round(X * levels) / levels
    labels = (np.arange(n) + (X[:, 0] > 0) * rng.integers(0, n_classes, n)) % n_classes
    X[rng.random(X.shape) < missing] = np.nan
    weight = rng.integers(1, 5, n) * (0.3 if seed % 2 else 1.0) if weighted else np.ones(n)
    return X, labels.astype(np.intp), n_classes, weight.astype(np.float64)


PROBLEMS = {
    "two classes": problem(0),
    "ties": problem(1, levels=1, weighted=True),
    "three classes, missing": problem(2, n_classes=3, missing=0.2),
    "five classes, weights": problem(3, n=60, n_classes=5, weighted=True),
    "a constant column": problem(4, n_classes=3, levels=2, missing=0.1, weighted=True),
}
PROBLEMS["a constant column"][0][:, 1] = 7.0


def played_by_both(X, labels, n_classes, weight, learner, n_rounds):
    factors = np.linspace(1, 2, n_classes)
    columns = Columns.from_rows(X)
    boosted = start(labels, n_classes, weight, factors)

    def learn(targets, weights):
        nodes = learner.fit(columns, np.array(targets, np.int8), np.array(weights))
        return [nodes.votes[leaf_code(nodes, row)].astype(int).tolist() for row in X.tolist()]

    wanted = twin.boost(
        labels.tolist(), n_classes, weight.tolist(), factors.tolist(), learn, n_rounds
    )
    got = rounds(boosted, learner, columns)
    return boosted, got, wanted


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("name", PROBLEMS)
def test_twenty_rounds_equal_the_twin(name, learner):
    boosted, got, wanted = played_by_both(*PROBLEMS[name], learner, 20)
    assert wanted
    for j, w in enumerate(wanted):
        r = next(got)
        assert (r.edge, r.alpha) == (w.edge, w.alpha), f"round {j}"
        assert r.error == pytest.approx(w.error, abs=1e-12)
        assert_array_equal(boosted.weights, w.weights)
        assert_array_equal(boosted.scores, w.scores)
    assert len(wanted) == 20 or next(got, None) is None


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_small_problem_equals_the_twin(data):
    n_classes = data.draw(st.integers(2, 4))
    n = data.draw(st.integers(n_classes, 12))
    labels = np.array(data.draw(st.permutations([i % n_classes for i in range(n)])), np.intp)
    values = st.sampled_from([0.0, 1.0, 2.0, float("nan")])
    X = np.array(data.draw(st.lists(st.tuples(values, values), min_size=n, max_size=n)))
    masses = st.floats(0.5, 1e3) | st.integers(1, 4).map(float)
    weight = np.array(data.draw(st.lists(masses, min_size=n, max_size=n)))
    boosted, got, wanted = played_by_both(X, labels, n_classes, weight, Stump(), 6)
    for w in wanted:
        assert next(got).alpha == w.alpha
        assert_array_equal(boosted.weights, w.weights)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9, 1e200])
def test_the_scale_of_sample_weights_hardly_matters(scale):
    X, labels, n_classes, weight = problem(6, n=200, weighted=True)
    columns = Columns.from_rows(X)
    played = []
    for factor in (1.0, scale):
        boosted = start(labels, n_classes, weight * factor, np.ones(2))
        assert np.isfinite(boosted.weights).all()
        assert boosted.weights.sum() == pytest.approx(1)
        played.append(next(rounds(boosted, Stump(), columns)))
    assert played[0].edge == pytest.approx(played[1].edge, rel=1e-9)


def test_repeated_rows_equal_whole_weights_bit_for_bit():
    X, labels, n_classes, weight = problem(2, n=50, n_classes=3, levels=2, weighted=True)
    times = weight.astype(int)
    alone = start(labels, n_classes, weight, np.ones(3))
    again = start(labels.repeat(times), n_classes, np.ones(times.sum()), np.ones(3))
    short = rounds(alone, Stump(), Columns.from_rows(X))
    long = rounds(again, Stump(), Columns.from_rows(X.repeat(times, axis=0)))
    for _ in range(30):
        a, b = next(short), next(long)
        assert (a.alpha, a.edge, a.error) == (b.alpha, b.edge, b.error)
        assert_array_equal(a.nodes.records, b.nodes.records)


def test_threads_change_nothing():
    X, labels, n_classes, weight = problem(8, n=60_000, d=2, n_classes=3, levels=9, weighted=True)
    columns = Columns.from_rows(X)
    one = start(labels, n_classes, weight / 7, np.ones(3), n_jobs=1)
    many = start(labels, n_classes, weight / 7, np.ones(3), n_jobs=3)
    for _, a, b in zip(
        range(4), rounds(one, Stump(), columns), rounds(many, Stump(), columns), strict=False
    ):
        assert (a.alpha, a.error) == (b.alpha, b.error)
    assert_array_equal(one.weights, many.weights)
    assert_array_equal(one.scores, many.scores)


def test_sums_by_leaf_of_wide_codes():
    leaf = np.array([0, 299, 299], np.uint16)
    targets = np.array([[1, -1], [-1, -1], [1, -1]], np.int8)
    weights = np.array([[1, 2], [3, 4], [5, 6]]) * 2.0**-60
    sums = np.zeros((300, 2), np.int64)
    total = _core.sum_by_leaf(leaf, targets, weights, sums, 1)
    assert total == 21
    assert sums[[0, 299]].tolist() == [[1, -2], [2, -10]]


def test_fixed_point_rounds_halves_up():
    weights = np.array([[0.5], [1.5], [0.49999999999999994], [2.0**52 + 1]]) * 2.0**-60
    for w, wanted in zip(weights, [1, 2, 0, 2**52 + 1], strict=True):
        sums = np.zeros((1, 1), np.int64)
        args = np.zeros(1, np.uint8), np.ones((1, 1), np.int8), w[None]
        assert _core.sum_by_leaf(*args, sums, 1) == wanted == twin.fixed(float(w[0]))


def test_votes_of_held_out_rows_add_up():
    tree = TreeBuilder()
    leaves = tree.leaf(np.array([-0.5])), tree.leaf(np.array([0.5]))
    nodes = tree.finish(tree.split(0, 1.0, *leaves, True))
    X = np.array([[0.0], [1.0], [2.0], [np.nan]])
    rows = scored(np.array([0, 1, 1, 0], np.intp), 2, np.array([1.0, 2.0, 1.0, 1.0]))
    leaf = Ensemble.from_trees([nodes], features=Features(1)).votes(X).codes[:, 0]
    assert vote(rows, nodes, leaf) == 2 / 5
    assert vote(rows, nodes, leaf) == 2 / 5
    assert rows.scores.ravel().tolist() == [-1.0, -1.0, 1.0, -1.0]


class Stray:
    """Splits a column that is not there."""

    def fit(self, columns, targets, weights):
        tree, votes = TreeBuilder(), np.ones(targets.shape[1])
        leaves = tree.leaf(-votes), tree.leaf(votes)
        return tree.finish(tree.nominal_split(99, np.array([0]), *leaves, True))


class Broken:
    """Leaf codes that no row of the votes has."""

    def fit(self, columns, targets, weights):
        leaf = np.array([(0.0, -1, 10**6, -1, 0, 0, False)], NODE)
        return Nodes(leaf, np.ones((1, targets.shape[1])))


class Mute:
    """Leaves that abstain."""

    def fit(self, columns, targets, weights):
        tree = TreeBuilder()
        return tree.finish(tree.leaf(np.zeros(targets.shape[1])))


class Vague:
    """Votes without a tree."""

    def fit(self, columns, targets, weights):
        return np.ones(targets.shape)


@pytest.mark.parametrize(
    ("learner", "error", "message"),
    [
        (Stray(), ValueError, r"node 0 splits column 99; columns are numbered 0\.\.3"),
        (Broken(), ValueError, r"node 0 is a leaf of code 1000000; wanted each of 0\.\.0"),
        (Vague(), TypeError, "Vague.* returned a ndarray; wanted Nodes"),
        (Mute(), ValueError, r"Mute.*shape \(1, 1\), from 0.0 to 0.0; wanted \+1 or -1"),
    ],
)
def test_what_is_no_tree_of_signs_is_refused(learner, error, message):
    X, labels, n_classes, weight = PROBLEMS["two classes"]
    boosted = start(labels, n_classes, weight, np.ones(2))
    with pytest.raises(error, match=message):
        next(rounds(boosted, learner, Columns.from_rows(X)))
