import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import Votes
from mddag.ordering.covariances import (
    _blocks,
    class_covariances,
    covariances,
    covariances_with,
    mean_votes,
    narrowness,
    sampled,
    shares,
)
from tests import strategies
from tests.reference import ordering as twin


def random_votes(seed, n_scores):
    rng = np.random.default_rng(seed)
    n, n_classifiers = rng.integers(2, 12), rng.integers(1, 6)
    votes = Votes.from_dense(rng.normal(size=(n, n_classifiers, n_scores)), np.zeros(n_scores))
    return rng, votes


@given(seed=st.integers(0, 10_000), n_scores=st.sampled_from([1, 2, 3]))
@settings(deadline=None, max_examples=30)
def test_covariances_are_those_of_the_definition(seed, n_scores):
    rng, votes = random_votes(seed, n_scores)
    n, n_classifiers = len(votes), votes.tables.n_classifiers
    weight = twin.row_weights(votes, rng.uniform(0.1, 2, n), 1.0)
    shares = [w / sum(weight) for w in weight]
    centred = [
        twin.about_the_mean(twin.partial_sums(votes, [j]), weight) for j in range(n_classifiers)
    ]
    wanted = [[twin.products(a, b, shares) for b in centred] for a in centred]
    np.testing.assert_allclose(covariances(votes, np.array(weight)), wanted, rtol=1e-4, atol=1e-5)


@given(seed=st.integers(0, 10_000), n_scores=st.sampled_from([1, 3]))
@settings(deadline=None, max_examples=20)
def test_covariances_of_each_class(seed, n_scores):
    rng = np.random.default_rng(seed)
    dense, weight = rng.normal(size=(9, 4, n_scores)), rng.uniform(0.1, 2, 9)
    found = class_covariances(Votes.from_dense(dense, np.zeros(n_scores)), weight)
    for k in range(n_scores):
        wanted = np.cov(dense[:, :, k].T, aweights=weight, ddof=0)
        np.testing.assert_allclose(found[k], wanted, rtol=1e-4, atol=1e-5)


@given(seed=st.integers(0, 10_000), n_scores=st.sampled_from([1, 2, 3]))
@settings(deadline=None, max_examples=30)
def test_covariances_with_wanted_scores_are_those_of_the_definition(seed, n_scores):
    rng, votes = random_votes(seed, n_scores)
    n, n_classifiers = len(votes), votes.tables.n_classifiers
    scores, weight = rng.normal(size=(n, n_scores)), rng.uniform(0.1, 2, n).tolist()
    share = [w / sum(weight) for w in weight]
    about = twin.about_the_mean(scores.tolist(), weight)
    centred = [
        twin.about_the_mean(votes.dense()[:, j].tolist(), weight) for j in range(n_classifiers)
    ]
    wanted = [
        [twin.products([[r[k]] for r in of_j], [[r[k]] for r in about], share) for of_j in centred]
        for k in range(n_scores)
    ]
    found = covariances_with(votes, np.array(weight), scores)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_trees_for_one_score_each_are_followed_as_votes_of_all(data):
    ensemble = data.draw(strategies.ensembles())
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    seed = data.draw(st.integers(0, 100))
    scores = np.random.default_rng(seed).normal(size=(len(votes), ensemble.n_scores))
    found = covariances_with(votes, np.ones(len(votes)), scores)
    if found.size:
        wanted = covariances_with(Votes.from_dense(votes.dense()), np.ones(len(votes)), scores)
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert found.shape == (ensemble.n_scores, ensemble.n_classifiers)


def test_shares_sum_to_one():
    assert shares(np.array([1.0, 3.0])).tolist() == [0.25, 0.75]
    assert shares(np.zeros(2)).tolist() == [0, 0]


def test_rows_that_are_decided_narrowly_count_most():
    votes = Votes.from_dense(np.array([[0.0], [1.0], [-1.0]]))
    np.testing.assert_allclose(narrowness(votes, 1.0), np.exp([0, -np.sqrt(1.5), -np.sqrt(1.5)]))
    assert narrowness(votes, 0.0).tolist() == [1, 1, 1]
    assert narrowness(Votes.from_dense(np.zeros((2, 1))), 1.0).tolist() == [1, 1]
    several = Votes.from_dense(np.array([[[0.0, 2.0, 2.0]], [[5.0, 1.0, 4.0]]]))
    assert narrowness(several, 1.0) == pytest.approx([1, np.exp(-np.sqrt(2))])


def test_blocks_cover_the_rows_once():
    votes = Votes.from_dense(np.zeros((10, 3)))
    rows = np.arange(2_000_000)
    parts = [rows[part] for part in _blocks(len(rows), votes)]
    np.testing.assert_array_equal(np.concatenate(parts), rows)
    assert max(map(len, parts)) * 3 <= 250_000


def test_few_rows_are_looked_at_as_they_are():
    votes = Votes.from_dense(np.arange(10.0)[:, None])
    assert sampled(votes, 10)[0] is votes
    some, rows = sampled(votes, 4)
    assert rows.tolist() == [0, 3, 6, 9]
    assert some.scores().ravel().tolist() == [0, 3, 6, 9]


@pytest.mark.parametrize("n_scores", [1, 3])
def test_mean_votes(n_scores):
    rng = np.random.default_rng(0)
    dense, weight = np.round(rng.normal(size=(30, 4, n_scores)), 1), rng.random(30)
    votes = Votes.from_dense(dense)
    wanted = np.average(dense, axis=0, weights=weight)
    np.testing.assert_allclose(mean_votes(votes, weight), wanted, atol=1e-12)
    assert not mean_votes(votes, np.zeros(30)).any()


@pytest.mark.parametrize("exponent", [-300, 300])
def test_votes_in_any_unit(exponent):
    """Squares of large or small numbers, such as masses of stars, would not fit into float32."""
    dense, weight = np.random.default_rng(0).normal(size=(9, 4, 2)), np.arange(1.0, 10.0)
    one, other = (Votes.from_dense(dense * 2.0**e, np.zeros(2)) for e in (0, exponent))
    for found in (covariances, class_covariances):
        np.testing.assert_array_equal(found(other, weight), found(one, weight) * 4.0**exponent)


def test_narrowness_measures_margins_by_weight():
    votes, weight = Votes.from_dense([[1.0], [-2.0], [3.0]]), np.array([1.0, 2.0, 0.0])
    copies = Votes.from_dense([[1.0], [-2.0], [-2.0]])
    found = narrowness(votes, 1.0, weight)
    np.testing.assert_allclose(found[[0, 1, 1]], narrowness(copies, 1.0))
    assert narrowness(votes, 1.0, np.zeros(3)).tolist() == [1, 1, 1]
