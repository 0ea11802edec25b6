import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

import mddag
from mddag import MDP
from mddag.losses import Logistic
from mddag.solvers import Portfolio
from mddag.solvers.portfolio.refitted import (
    MOST_VOTES,
    are_refitted,
    refitted_sizes,
    second_opinion,
    targets,
)


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
