import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import MDP, Grid, Policy, Votes
from mddag.policy.arrangement import RIDGE, Condensation
from mddag.policy.ordering import class_covariances, covariances, covariances_with, narrowness
from mddag.policy.policy import EVAL
from tests import strategies
from tests.reference import ordering as twin


def repeated(n_scores=1, n=400, seed=0):
    """Four base classifiers that come again and again with different weights."""
    rng = np.random.default_rng(seed)
    distinct = np.round(rng.normal(size=(n, 4, n_scores)), 1)
    weights = rng.uniform(0.1, 1, 40)
    votes = distinct[:, np.arange(40) % 4] * weights[:, None]
    return Votes.from_dense(votes, rng.normal(size=n_scores))


@pytest.mark.parametrize("n_scores", [1, 3])
def test_one_of_each_kind_stands_for_all(n_scores):
    votes = repeated(n_scores)
    arrangement = Condensation.of(votes, 4).arrangement(4)
    assert sorted(arrangement.kept % 4) == [0, 1, 2, 3]
    condensed = arrangement.votes(votes)
    assert condensed.tables.n_classifiers == 4
    full = votes.scores()
    np.testing.assert_allclose(condensed.scores(), full, atol=0.05 * full.std())


def test_one_stump_takes_over_from_others_of_its_split():
    rng = np.random.default_rng(0)
    sides = rng.choice([-1.0, 1.0], size=(300, 3))
    for_classes = rng.choice([-1.0, 1.0], size=(24, 4))  # whom each votes for
    votes = Votes.from_dense(sides[:, np.arange(24) % 3, None] * for_classes, np.zeros(4))
    arrangement = Condensation.of(votes, 3).arrangement(3)
    assert sorted(arrangement.kept % 3) == [0, 1, 2]
    np.testing.assert_allclose(arrangement.votes(votes).scores(), votes.scores(), atol=0.02)


@given(seed=st.integers(0, 10_000), n_scores=st.sampled_from([1, 2]), priced=st.booleans())
@settings(deadline=None, max_examples=40)
def test_every_choice_gains_most_of_what_is_missing(seed, n_scores, priced):
    rng = np.random.default_rng(seed)
    n, n_classifiers = rng.integers(4, 12), rng.integers(2, 6)
    votes = Votes.from_dense(rng.normal(size=(n, n_classifiers, n_scores)), np.zeros(n_scores))
    costs = rng.uniform(0.5, 3, n_classifiers) if priced else np.ones(n_classifiers)
    weight = rng.uniform(0.1, 2, n)
    condensation = Condensation.of(votes, n_classifiers - 1, costs, weight)

    shares = np.array(twin.row_weights(votes, weight, 1.0))
    centered = votes.dense() - np.average(votes.dense(), axis=0, weights=shares)
    centered *= np.sqrt(shares / shares.sum())[:, None, None]
    full = centered.sum(axis=1)
    ridges = RIDGE * np.mean(np.sum(centered**2, axis=0), axis=0)
    for step, j in enumerate(condensation.chosen):
        some, gains = condensation.chosen[:step], np.zeros(n_classifiers)
        for k, ridge in enumerate(ridges):
            # ridge regression of the full score, as least squares with rows for the ridge
            rows = np.vstack([centered[:, some, k], np.sqrt(ridge) * np.eye(step)])
            wanted = np.concatenate([full[:, k], np.zeros(step)])
            weights = np.linalg.lstsq(rows, wanted, rcond=None)[0]
            missing = full[:, k] - centered[:, some, k] @ weights
            gains += (centered[:, :, k].T @ missing) ** 2 / (
                np.sum(centered[:, :, k] ** 2, axis=0) + ridge
            )
            if step:
                scale = condensation.arrangement(step).rescaling.scale[some, k]
                np.testing.assert_allclose(scale, weights, rtol=1e-2, atol=1e-2)
        left = np.setdiff1d(np.arange(n_classifiers), some)
        gains /= costs
        assert gains[j] == pytest.approx(max(gains[left]), rel=1e-2, abs=1e-4)  # float32 products


def test_the_weighted_mean_is_kept():
    votes = repeated()
    weight = np.random.default_rng(3).random(len(votes))
    arrangement = Condensation.of(votes, 2, weight=weight, focus=0.0).arrangement(2)
    missing = votes.scores()[:, 0] - arrangement.votes(votes).scores()[:, 0]
    assert np.average(missing, weights=weight) == pytest.approx(0, abs=1e-9)
    assert (arrangement.rescaling.scale == 0).sum() == 38


@pytest.mark.parametrize("n_scores", [1, 3])
def test_other_scores_can_be_followed(n_scores):
    votes = repeated(n_scores)
    first_two = votes.dense()[:, :2].sum(axis=1)
    wanted = 3 * first_two + 7.0
    some = Condensation.of(votes, 2, wanted=wanted).arrangement(2)
    assert sorted(some.kept % 4) == [0, 1]
    found = some.votes(votes).scores()
    if n_scores > 1:  # a shift of all scores decides nothing
        found, wanted = (s - s.mean(axis=1, keepdims=True) for s in (found, wanted))
    np.testing.assert_allclose(found, wanted, atol=0.01 * wanted.std())


def test_cheap_ones_are_preferred():
    votes = repeated()
    costs = np.full(40, 10.0)
    costs[4:8] = 1.0
    assert sorted(Condensation.of(votes, 4, costs).chosen) == [4, 5, 6, 7]
    costs[[9, 14]] = 0.0
    assert sorted(Condensation.of(votes, 2, costs).chosen) == [9, 14]


def test_a_policy_on_the_few_runs_on_the_source():
    rng = np.random.default_rng(1)
    ensemble = mddag.Ensemble.from_callables(
        [lambda X, j=j: np.sign(X[:, j % 3]) * (1 + j / 10) for j in range(12)], n_features=3
    )
    X = rng.normal(size=(50, 3))
    votes = ensemble.votes(X)
    arrangement = Condensation.of(votes, 3).arrangement(3)
    mdp = MDP(votes, rng.integers(0, 2, 50)).arranged(arrangement, Grid(np.zeros(1)))
    policy = Policy.constant(EVAL, 3, mdp.grid)
    trace = mddag.compile(ensemble, policy.after(arrangement)).run(X)
    assert (trace.n_evaluated == 3).all()
    np.testing.assert_allclose(trace.scores, mdp.votes.scores())


def test_constants_get_no_weight():
    """Rounding over a variance of nothing was a weight of 1e290."""
    votes = Votes.from_dense(np.ones((80, 30)))
    noise = np.random.default_rng(0).normal(size=(80, 1))
    for wanted in (None, noise, votes.scores()):
        rescaling = Condensation.of(votes, 10, wanted=wanted).arrangement(10).rescaling
        np.testing.assert_array_equal(rescaling.scale, 0.0)


def test_a_first_row_that_does_not_count_is_no_origin():
    rng = np.random.default_rng(0)
    dense = np.concatenate([np.full((1, 12), 1e4), rng.normal(size=(80, 12))])
    weight = np.append(0.0, np.ones(80))
    one = Condensation.of(Votes.from_dense(dense), 6, weight=weight, focus=0.0).arrangement(6)
    other = Condensation.of(Votes.from_dense(dense[1:]), 6, focus=0.0).arrangement(6)
    np.testing.assert_array_equal(one.kept, other.kept)
    np.testing.assert_allclose(one.rescaling.scale, other.rescaling.scale)


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
    centered = [
        twin.about_the_mean(twin.partial_sums(votes, [j]), weight) for j in range(n_classifiers)
    ]
    wanted = [[twin.products(a, b, shares) for b in centered] for a in centered]
    np.testing.assert_allclose(covariances(votes, np.array(weight)), wanted, rtol=1e-4, atol=1e-5)


@given(seed=st.integers(0, 10_000), n_scores=st.sampled_from([1, 2, 3]))
@settings(deadline=None, max_examples=30)
def test_covariances_with_wanted_scores_are_those_of_the_definition(seed, n_scores):
    rng, votes = random_votes(seed, n_scores)
    n, n_classifiers = len(votes), votes.tables.n_classifiers
    scores, weight = rng.normal(size=(n, n_scores)), rng.uniform(0.1, 2, n).tolist()
    share = [w / sum(weight) for w in weight]
    about = twin.about_the_mean(scores.tolist(), weight)
    centered = [
        twin.about_the_mean(votes.dense()[:, j].tolist(), weight) for j in range(n_classifiers)
    ]
    wanted = [
        [twin.products([[r[k]] for r in of_j], [[r[k]] for r in about], share) for of_j in centered]
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


def test_rows_that_are_decided_narrowly_count_most():
    votes = Votes.from_dense(np.array([[0.0], [1.0], [-1.0]]))
    np.testing.assert_allclose(narrowness(votes, 1.0), np.exp([0, -np.sqrt(1.5), -np.sqrt(1.5)]))
    assert narrowness(votes, 0.0).tolist() == [1, 1, 1]
    assert narrowness(Votes.from_dense(np.zeros((2, 1))), 1.0).tolist() == [1, 1]
    several = Votes.from_dense(np.array([[[0.0, 2.0, 2.0]], [[5.0, 1.0, 4.0]]]))
    assert narrowness(several, 1.0) == pytest.approx([1, np.exp(-np.sqrt(2))])


@pytest.mark.parametrize("exponent", [-300, 300])
def test_votes_in_any_unit(exponent):
    """Squares of large or small numbers, such as masses of stars, would not fit into float32."""
    dense, weight = np.random.default_rng(0).normal(size=(9, 4, 2)), np.arange(1.0, 10.0)
    one, other = (Votes.from_dense(dense * 2.0**e, np.zeros(2)) for e in (0, exponent))
    for found in (covariances, class_covariances):
        np.testing.assert_array_equal(found(other, weight), found(one, weight) * 4.0**exponent)
