import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

import mddag
from mddag import MDP, Grid, Policy, _core
from mddag.calibration.calibration import fit_factor
from mddag.ensemble.votes import Tables, Votes, starts_of
from mddag.losses import Logistic
from mddag.mdp.policy import EVAL
from mddag.ordering.arrangement import Arrangement
from mddag.solvers import Portfolio
from mddag.solvers.portfolio.refitting import (
    FOLDS,
    MOST_VOTES,
    RIDGE,
    Refitting,
    are_refitted,
    refitted_sizes,
    refitted_tables,
    second_opinion,
    targets,
)
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


@pytest.fixture(scope="module")
def boosted():
    """A booster that is too sure, and rows that it has not seen: for learning and for choosing."""
    X, y = make_hastie_10_2(3000, random_state=0)
    y = (y > 0).astype(int)
    model = GradientBoostingClassifier(
        n_estimators=60, max_depth=4, learning_rate=0.7, random_state=0
    ).fit(X[:800], y[:800])
    return mddag.as_ensemble(model), X[800:], y[800:]


def test_leaves_of_trees_are_known_and_those_of_arrays_are_not(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    assert are_refitted(mdp.rows(np.arange(10)), mdp.rows(np.arange(10, 20)))
    arrays = MDP(ensemble.votes(X).dense(), y)
    assert not are_refitted(arrays, arrays)
    other = MDP(ensemble.truncated(60).votes(X[:10]), y[:10])
    assert not are_refitted(mdp, other)  # which has tables of its own
    by_probabilities = MDP(ensemble.votes(X), y, loss=Logistic())
    assert not are_refitted(by_probabilities, by_probabilities)


def test_numbers_are_left_as_they_are(boosted):
    _, X, _ = boosted
    model = GradientBoostingRegressor(n_estimators=12, random_state=0).fit(X[:500], X[:500, 0])
    mdp = MDP(mddag.as_ensemble(model).votes(X), X[:, 0], loss=mddag.losses.Squared())
    assert not are_refitted(mdp, mdp)


def test_sizes_are_whole_decisions_that_take_no_long_time(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    assert refitted_sizes(mdp, 100) == [5, 10, 20, 40]
    assert refitted_sizes(mdp, 100, every=4) == [8, 12, 20, 40]
    assert refitted_sizes(mdp, MOST_VOTES // 10) == [5, 10]


def test_targets_are_between_label_and_teacher(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    shares = targets(mdp)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[np.arange(len(y)), y] >= 0.5).all()
    soft = mdp.with_labels(shares)
    np.testing.assert_array_equal(targets(soft), shares)
    assert second_opinion(soft, mdp.votes) is None


def test_a_second_opinion_is_better_than_the_first(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    learning, other = np.arange(1200), np.arange(1200, len(y))
    scores = second_opinion(mdp.rows(learning), mdp.votes.rows(other))
    errors = [((f[:, 0] > 0) != y[other]).mean() for f in (scores, mdp.votes.rows(other).scores())]
    assert errors[0] < errors[1]


def test_refitted_candidates_decide_alike_in_the_mdp_and_in_the_dag(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    learning, choosing = mdp.rows(np.arange(1200)), mdp.rows(np.arange(1200, len(y)))
    entries = Portfolio(random_state=0).judged(learning, [1e-3], choosing)
    at, found = 0, []
    for entry in entries.entries:
        if entry.name.endswith("refitted"):
            found.append(at + len(entry.judgements.costs) // 2)
        at += len(entry.judgements.costs)
    assert len(found) >= 4
    for number in found:
        policy = entries.candidate(number)
        assert policy.rescaling.leaves is not None
        run = mddag.compile(ensemble, policy).run(X)
        scores, n_evaluated, _ = mdp.rollout(policy)
        np.testing.assert_allclose(run.scores, scores, atol=1e-5)
        assert np.array_equal(run.n_evaluated, n_evaluated)


def test_sizes_of_the_users_own_are_not_refitted(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    entries = Portfolio(sizes=(10,), random_state=0).judged(mdp, [1e-3])
    assert not any("refitted" in entry.name for entry in entries.entries)


def test_a_model_with_leaves_of_its_own_is_saved(boosted, tmp_path):
    ensemble, X, y = boosted
    fast = mddag.sparsify(ensemble, X[:1600], y[:1600], budget=6)
    votes = np.isin(fast.dag_.ensemble.tables.values, ensemble.tables.values)
    assert not votes.all()
    fast.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    assert np.array_equal(loaded.predict(X), fast.predict(X))
