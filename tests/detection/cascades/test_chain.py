import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import Ensemble, Features
from mddag import compile as compile_dag
from mddag.detection.cascades.chain import Chain, highest_reject
from mddag.ensemble.nodes import TreeBuilder
from tests.reference import cascades as reference


def random_chain(rng, n_classifiers, kind):
    """A chain over some of the base classifiers."""
    n = int(rng.integers(1, n_classifiers + 1))
    order = rng.permutation(n_classifiers)[:n]
    if kind == "steps":
        return Chain.of_steps(order, rng.normal(size=n) - 0.5)
    ends = np.unique(np.append(rng.integers(1, n + 1, rng.integers(1, 4)), n))
    stage = np.searchsorted(ends, np.arange(n), side="right")
    counts = stage[:, None] == np.arange(len(ends))
    if kind == "inherited":
        counts |= (rng.random(n) < 0.5)[:, None] & (stage[:, None] < np.arange(len(ends)))
    rejects = rng.normal(size=len(ends)) - 0.5
    rejects[rng.random(len(ends)) < 0.2] = -np.inf
    return Chain(order, ends, rejects, counts)


def stumps(rng, n):
    """An ensemble of n stumps of 3 features."""
    trees = []
    for vote in rng.normal(size=n):
        tree = TreeBuilder()
        leaves = tree.leaf(np.array([vote])), tree.leaf(np.array([-vote]))
        trees.append(tree.finish(tree.split(int(rng.integers(3)), rng.normal(), *leaves, True)))
    return Ensemble.from_trees(trees, features=Features(3), classes=[0, 1])


@given(st.integers(0, 10**6), st.sampled_from(["steps", "own", "inherited"]))
def test_rows_leave_as_in_the_row_by_row_twin(seed, kind):
    rng = np.random.default_rng(seed)
    votes = rng.normal(size=(20, 6))
    chain = random_chain(rng, 6, kind)
    found = chain.left(votes)
    for i, row in enumerate(votes):
        stage, score, accepted = reference.left(
            row, chain.order, chain.ends, chain.rejects, chain.counts
        )
        assert (found.stage[i], found.accepted[i]) == (stage, accepted)
        assert found.score[i] == pytest.approx(score)
        assert found.n_evaluated[i] == chain.ends[stage]


@given(st.integers(0, 10**6), st.sampled_from(["steps", "own", "inherited"]))
def test_the_dag_of_a_chain_does_the_same(seed, kind):
    rng = np.random.default_rng(seed)
    ensemble = stumps(rng, 6)
    chain = random_chain(rng, 6, kind)
    X = rng.normal(size=(30, 3))
    found = chain.left(ensemble.votes(X).dense()[:, :, 0], ensemble.tables.reach())
    trace = compile_dag(ensemble, chain.policy(6)).run(X)
    np.testing.assert_array_equal(trace.verdict, found.accepted)
    np.testing.assert_array_equal(trace.n_evaluated, found.n_evaluated)
    np.testing.assert_allclose(trace.scores[:, 0], found.score, atol=1e-6)
    reach = chain.reach(ensemble.tables.reach())
    ranks = chain.ranks(trace.scores[:, 0], trace.exit_step, reach)
    np.testing.assert_allclose(ranks, found.rank, atol=1e-5)


def test_later_exits_rank_higher_and_accepted_rows_above_the_boundary():
    chain = Chain.of_steps(np.arange(3), np.array([-0.5, 0.0, 1.5]))
    votes = np.array([[-1.0, 1, 1], [1, -1, 1], [1, 1, -1], [1, 1, 1], [1, 1, 0.9]])
    found = chain.left(votes, np.ones(3))
    assert found.stage.tolist() == [0, 1, 2, 2, 2]
    assert (np.diff(found.rank[:4]) > 0).all()
    boundary = chain.boundary(chain.reach(np.ones(3)))
    np.testing.assert_array_equal(found.rank > boundary, found.accepted)


def test_the_first_stages_alone():
    chain = Chain.of_stages([2, 1, 3], [0.0, 0.5, 1.0])
    first = chain.truncated(2)
    assert first.order.tolist() == [0, 1, 2]
    assert first.counts.tolist() == [[True, False], [True, False], [False, True]]
    assert first.rejects.tolist() == [0.0, 0.5]


def test_the_bias_is_part_of_every_score():
    chain = Chain.of_steps(np.arange(2), np.array([0.0, 2.0]), bias=1.0)
    found = chain.left(np.array([[0.5, 0.6], [-1.0, 5.0]]))
    assert found.accepted.tolist() == [True, False]
    assert found.score.tolist() == [2.1, 0.0]


@pytest.mark.parametrize(
    ("n_lost", "wanted"),
    [(0, 0.5), (1, 2.5), (2, 3.5), (3, -np.inf)],
)
def test_the_highest_threshold_that_loses_so_many(n_lost, wanted):
    positives, negatives = np.array([1.0, 3.0, 4.0]), np.array([0.0, 2.0])
    assert highest_reject(positives, negatives, n_lost) == wanted


def test_equal_scores_are_kept_or_lost_together():
    assert highest_reject(np.array([1.0, 1.0, 2.0]), np.array([0.0]), 1) == 0.5


def test_a_threshold_is_clear_of_the_lowest_score():
    assert highest_reject(np.array([1.0, 2.0]), np.array([3.0]), 0) == pytest.approx(1.0, abs=1e-3)
    assert highest_reject(np.array([1.0, 2.0]), np.array([3.0]), 0) < 1.0
