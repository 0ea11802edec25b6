import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import MDP, Grid, Policy, _core
from mddag.calibration.platt import fit_factor
from mddag.ensemble.votes import Tables, Votes, starts_of
from mddag.mdp.policy import EVAL
from mddag.ordering.arrangement import Arrangement
from mddag.solvers.portfolio.refitting import FOLDS, RIDGE, Refitting, refitted_tables
from tests.reference import refitting as twin


def coded(rng, n_rows, n_scores, n_leaves=3, n_rounds=3, for_all=False):
    """Votes of small trees: each for one score, one tree for each, or for all at once."""
    each = 1 if for_all else n_scores
    n_trees, width = n_rounds * each, n_scores if for_all else 1
    score = [-1] * n_trees if for_all else list(range(n_scores)) * n_rounds
    tables = Tables(
        values=rng.normal(size=n_trees * n_leaves * width) / 2,
        starts=starts_of([n_leaves * width] * n_trees),
        score=np.array(score, np.int32),
        rounds=np.arange(0, n_trees + 1, each, dtype=np.int64),
        bias=rng.normal(size=n_scores) / 4,
    )
    return Votes(rng.integers(0, n_leaves, (n_rows, n_trees)).astype(np.uint8), tables)


def drawn_targets(rng, n_rows, n_scores):
    shares = rng.uniform(0.02, 1, (n_rows, max(n_scores, 2)))
    return shares / shares.sum(axis=1, keepdims=True)


@given(
    seed=st.integers(0, 10_000),
    n_scores=st.sampled_from([1, 3]),
    for_all=st.booleans(),
    ridge=st.sampled_from([1.0, RIDGE]),
)
@settings(deadline=None, max_examples=25)
def test_no_step_away_is_better_by_the_twin(seed, n_scores, for_all, ridge):
    rng = np.random.default_rng(seed)
    votes = coded(rng, 30, n_scores, for_all=for_all)
    targets, mass = drawn_targets(rng, 30, n_scores), rng.uniform(0.5, 2, 30)
    fitted = refitted_tables(votes, targets, mass, ridge)
    given_to_twin = targets, mass, fit_factor(votes.scores(), targets, mass), ridge
    found = twin.objective(votes, fitted.values, *given_to_twin)
    assert found <= twin.objective(votes, votes.tables.values, *given_to_twin) + 1e-9
    for _ in range(6):
        other = fitted.values + 0.05 * rng.normal(size=len(fitted.values))
        assert found <= twin.objective(votes, other, *given_to_twin) + 1e-4
    assert np.array_equal(fitted.bias, votes.tables.bias)


@given(
    seed=st.integers(0, 10_000),
    n_scores=st.sampled_from([1, 3]),
    for_all=st.booleans(),
    dtype=st.sampled_from([np.uint8, np.uint16, np.uint32]),
)
@settings(deadline=None, max_examples=25)
def test_sums_by_leaf_are_the_twins(seed, n_scores, for_all, dtype):
    rng = np.random.default_rng(seed)
    votes = coded(rng, int(rng.integers(0, 20)), n_scores, for_all=for_all)
    numbers, sums = rng.normal(size=(len(votes), n_scores)), np.zeros(len(votes.tables.values))
    _core.add_leaf_sums(votes.tables.native, votes.codes.astype(dtype), numbers, sums)
    assert sums.tolist() == twin.leaf_sums(votes, numbers).tolist()


def test_leaves_without_rows_stay():
    rng = np.random.default_rng(0)
    votes = coded(rng, 40, 1)
    votes = Votes(np.minimum(votes.codes, 1), votes.tables)  # the third leaf is never reached
    fitted = refitted_tables(votes, drawn_targets(rng, 40, 1), np.ones(40))
    unreached = np.arange(2, len(fitted.values), 3)
    np.testing.assert_allclose(fitted.values[unreached], votes.tables.values[unreached])
    assert not np.allclose(fitted.values, votes.tables.values)


def test_a_heavy_penalty_changes_nothing():
    rng = np.random.default_rng(1)
    votes = coded(rng, 40, 1)
    fitted = refitted_tables(votes, drawn_targets(rng, 40, 1), np.ones(40), 1e9)
    np.testing.assert_allclose(fitted.values, votes.tables.values, atol=1e-4)


@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("for_all", [False, True])
def test_rows_that_fit_get_votes_that_they_did_not_fit(n_scores, for_all):
    rng = np.random.default_rng(2)
    votes = coded(rng, 47, n_scores, for_all=for_all)
    targets, mass = drawn_targets(rng, 47, n_scores), np.ones(47)
    crossed = Refitting.of(votes, targets, mass).crossed()
    for fold in range(FOLDS):
        here = np.arange(47) % FOLDS == fold
        others = np.flatnonzero(~here)
        tables = refitted_tables(votes.rows(others), targets[others], mass[others])
        wanted = Votes(np.ascontiguousarray(votes.codes[here]), tables).dense()
        np.testing.assert_array_equal(crossed.rows(here).dense(), wanted)


def test_codes_of_many_leaves_need_more_bytes():
    rng = np.random.default_rng(3)
    votes = coded(rng, 100, 1, n_leaves=100)
    crossed = Refitting.of(votes, drawn_targets(rng, 100, 1), np.ones(100)).crossed()
    assert crossed.codes.dtype == np.uint16


def test_an_arrangement_has_the_fitted_votes_of_what_it_keeps():
    rng = np.random.default_rng(4)
    votes = coded(rng, 60, 1, n_rounds=5)
    before = Arrangement(np.array([3, 1, 0, 2, 4]), None, 2)
    few = before.votes(votes)
    fitting = Refitting.of(few, drawn_targets(rng, 60, 1), np.ones(60))
    after = fitting.arrangement(before, votes.tables)
    np.testing.assert_allclose(after.votes(votes).dense(), Votes(few.codes, fitting.tables).dense())
    policy = Policy.constant(EVAL, 2, Grid.uniform(few)).after(after)
    mdp = MDP(votes, rng.integers(0, 2, 60))
    scores, n_evaluated, _ = mdp.rollout(policy)
    np.testing.assert_allclose(scores, after.votes(votes).scores())
    assert (n_evaluated == 2).all()


def test_rows_held_out_correct_a_booster_that_was_too_sure():
    from sklearn.datasets import make_hastie_10_2
    from sklearn.ensemble import GradientBoostingClassifier

    X, y = make_hastie_10_2(6000, random_state=0)
    y = (y > 0).astype(int)
    model = GradientBoostingClassifier(
        n_estimators=20, max_depth=6, learning_rate=1.0, random_state=0
    ).fit(X[:1000], y[:1000])
    ensemble = mddag.as_ensemble(model)
    policy, test = ensemble.votes(X[1000:3000]), ensemble.votes(X[3000:])
    fitted = refitted_tables(policy, np.eye(2)[y[1000:3000]], np.ones(2000))
    before = ((test.scores()[:, 0] > 0) != y[3000:]).mean()
    after = ((Votes(test.codes, fitted).scores()[:, 0] > 0) != y[3000:]).mean()
    assert after < before - 0.01
