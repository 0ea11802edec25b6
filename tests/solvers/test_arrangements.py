import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

import mddag
from mddag import MDP, Grid, Policy, _core
from mddag.ensemble.votes import Tables, Votes, starts_of
from mddag.losses import Logistic
from mddag.policy import Correlation
from mddag.policy.arrangement import Arrangement
from mddag.policy.calibration import fit_factor, probabilities, sigmoid
from mddag.policy.policy import EVAL
from mddag.solvers import Portfolio
from mddag.solvers.arrangements import (
    FOLDS,
    LEAF_RIDGE,
    LENGTHS,
    Refitting,
    are_refitted,
    condensed,
    exit_factors,
    mixture_scores,
    mixture_shares,
    refitted_scores,
    refitted_tables,
    targets,
)
from tests.reference import solvers as twin


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
    ridge=st.sampled_from([1.0, LEAF_RIDGE]),
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


def test_targets_are_between_label_and_teacher(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    shares = targets(mdp)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[np.arange(len(y)), y] >= 0.5).all()
    soft = mdp.with_labels(shares)
    np.testing.assert_array_equal(targets(soft), shares)
    assert refitted_scores(soft, mdp.votes) is None


def test_a_second_opinion_is_better_than_the_first(boosted):
    ensemble, X, y = boosted
    mdp = MDP(ensemble.votes(X), y)
    learning, other = np.arange(1200), np.arange(1200, len(y))
    scores = refitted_scores(mdp.rows(learning), mdp.votes.rows(other))
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
            found.append(at + len(entry.measurements.costs) // 2)
        at += len(entry.measurements.costs)
    assert len(found) >= 4
    for number in found:
        policy = entries.candidate(number)
        assert policy.rescaling.leaves is not None
        run = mddag.compile(ensemble, policy).run(X)
        scores, n_evaluated, _ = mdp.rollout(policy)
        np.testing.assert_allclose(run.scores, scores, atol=1e-5)
        assert np.array_equal(run.n_evaluated, n_evaluated)


def test_a_model_with_leaves_of_its_own_is_saved(boosted, tmp_path):
    ensemble, X, y = boosted
    fast = mddag.sparsify(ensemble, X[:1600], y[:1600], budget=6)
    votes = np.isin(fast.dag_.ensemble.tables.values, ensemble.tables.values)
    assert not votes.all()
    fast.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    assert np.array_equal(loaded.predict(X), fast.predict(X))


def overfitted(seed, n=4000, n_scores=1):
    """Eight votes that tell, and as many as follow that only disturb."""
    rng = np.random.default_rng(seed)
    votes = rng.normal(size=(n, 3 * LENGTHS[1], n_scores)) * 0.3
    told = votes[:, : LENGTHS[0]].sum(axis=1)
    if n_scores == 1:
        labels = (rng.random(n) < sigmoid(told[:, 0])).astype(int)
    else:
        labels = (told + rng.gumbel(size=told.shape)).argmax(axis=1)
    return MDP(np.round(votes, 2), labels, loss=Logistic(), grid=None)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_teacher_knows_better_than_an_overfitted_ensemble(n_scores):
    learning, fresh = (overfitted(seed, n_scores=n_scores) for seed in (0, 1))
    teacher = mixture_shares(learning, fresh)[1]
    told = fresh.votes.dense()[:, : LENGTHS[0]].sum(axis=1)
    powers = np.exp(told if n_scores > 1 else np.hstack([0 * told, told]))
    truth = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(teacher - truth).mean() < 0.05
    assert np.abs(teacher.sum(axis=1) - 1).max() < 1e-9


def test_an_ensemble_that_could_go_on_is_followed_itself():
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(4000, 300)) * 0.1
    # what it has learned last counts twice
    labels = (votes[:, 128:].sum(axis=1) + 0.5 * votes[:, :128].sum(axis=1) > 0).astype(int)
    mdp = MDP(np.round(votes, 2), labels)
    np.testing.assert_allclose(mixture_scores(mdp), mdp.votes.scores(), rtol=0.05, atol=0.05)


def test_factors_are_those_of_each_exit_in_units_of_the_loss():
    mdp = overfitted(0)
    factors = exit_factors(mdp)
    assert factors.shape == (mdp.n_steps + 1,)
    assert factors[LENGTHS[0]] == pytest.approx(1.0, abs=0.1)
    assert factors[-1] < 0.3
    scaled = MDP(mdp.votes, mdp.labels, loss=Logistic(2.0), grid=mdp.grid)
    np.testing.assert_allclose(exit_factors(scaled), factors / 2)


def test_scores_are_read_by_the_factor_of_their_exit():
    mdp = overfitted(0, n=50)
    factors = np.linspace(0.5, 2.0, mdp.n_steps + 1)
    policy = Policy.prefix(7, mdp.n_steps, mdp.grid)
    scores = mdp.rollout(policy)[0]
    wanted = mdp.losses(factors[7] * scores).mean()
    assert mdp.read_by(factors).evaluate(policy).loss == pytest.approx(wanted)
    assert mdp.evaluate(policy).loss == pytest.approx(mdp.losses(scores).mean())


def taught(n=4000, seed=0, scale=1.0):
    """Twelve votes, of which a teacher heeds the first three, thrice as much as their sum does."""
    rng = np.random.default_rng(seed)
    votes = Votes.from_dense(np.round(rng.normal(size=(n, 12, 1)) * 0.5, 1))
    wanted = 3 * votes.dense()[:, :3].sum(axis=1)
    return MDP(votes, probabilities(scale * wanted, 1.0), loss=Logistic(scale)), wanted


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_few_follow_the_teacher_in_units_of_the_scores(scale):
    mdp, wanted = taught(scale=scale)
    arrangement = condensed(mdp, 3, 4000).arrangement(3)
    assert sorted(arrangement.kept) == [0, 1, 2]
    found = arrangement.votes(mdp.votes).scores()
    np.testing.assert_allclose(found, wanted, atol=0.2 * wanted.std())  # the ridge draws to 0


def test_rows_without_doubt_count_too():
    """A vote that tells a little of doubtful rows, and one without which sure rows are lost."""
    signs = np.tile([-1.0, 1.0], 500)
    votes = np.zeros((2000, 2, 1))
    votes[:1000, 0, 0], votes[1000:, 1, 0] = 0.2 * signs, 10.0 * signs
    mdp = MDP(votes, probabilities(votes.sum(axis=1), 1.0), loss=Logistic())
    assert condensed(mdp, 1, 2000).chosen[0] == 1


def test_the_portfolio_condenses_to_what_labels_say():
    """The full ensemble drowns the votes that tell; a teacher of few numbers cannot name them, but
    knows that early sums do better, and a few base classifiers follow it."""
    rng = np.random.default_rng(0)
    dense = np.round(rng.normal(size=(3000, 64, 1)) * 0.5, 1)
    truth = 2 * dense[:, :8].sum(axis=1)
    labels = (rng.random(3000) < probabilities(truth, 1.0)[:, 1]).astype(int)
    mdp = MDP(dense, labels, loss=Logistic(), beta=1e-3)
    portfolio = Portfolio(orderings=(Correlation(),), sizes=(8,), random_state=0)
    policy = portfolio.solve(mdp)
    assert mdp.evaluate(policy).n_evaluated < 9
    telling = mdp.rollout(policy)[0][:, 0]
    assert np.corrcoef(telling, truth[:, 0])[0, 1] > 0.9
