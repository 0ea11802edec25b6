import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP, Grid, Votes, _core
from mddag.losses import Logistic
from mddag.policy.policy import QUIT
from mddag.solvers import QWYC, Portfolio, Prefix, Residual, Stopping
from mddag.solvers.exits import SHARES, cuts, lines
from mddag.solvers.stopping import MIN_COUNT, beyond_thresholds
from tests.reference import solvers as reference
from tests.reference import solvers as twin
from tests.solvers.problems import LOSSES, mdp_of


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
def test_thresholds_gain_as_much_as_any(gains):
    chosen = sum(
        g for g, quits in zip(gains, beyond_thresholds(np.array(gains)), strict=True) if quits
    )
    best = reference.by_thresholds(gains, None)
    assert chosen == sum(g for g, quits in zip(gains, best, strict=True) if quits)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("shape", ["cells", "thresholds"])
def test_it_decides_as_its_twin(seed, n_scores, every, shape):
    mdp = mdp_of(seed, n_scores=n_scores, loss=LOSSES["logistic"], n=5 * MIN_COUNT, n_steps=5)
    mdp = mdp.read_by(np.linspace(2.0, 1.0, 6))
    policy = Stopping(shape, n_cells=4, every=every).solve(mdp)
    decide = reference.by_groups(4) if shape == "cells" else reference.by_thresholds
    wanted = np.array(reference.quits(mdp, decide, every))
    seen = np.array(
        [
            np.bincount(mdp.grid.cells(f) % wanted.shape[1], minlength=wanted.shape[1]) > 0
            for f in reference.sums(mdp)[:-1:every]
        ]
    )
    for actions in np.split(policy.actions, n_scores, axis=1):
        np.testing.assert_array_equal((actions == QUIT)[seen], wanted[seen])


def test_without_quit_everything_is_evaluated():
    mdp = mdp_of(0, actions=("eval", "skip"))
    assert mdp.evaluate(Stopping().solve(mdp)).n_evaluated == mdp.n_steps


def easy_and_hard(seed, n=2000, n_steps=60):
    """Half of the rows are settled by the first vote; of the others every vote tells a little.

    Votes are half as large as log-odds would be, as in a shrunken ensemble.
    """
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(size=(n, n_steps)) * 1.5 / np.sqrt(n_steps)
    easy = rng.random(n) < 0.5
    log_odds[easy] *= 0.1
    log_odds[easy, 0] = rng.choice([-5.0, 5.0], easy.sum())
    labels = (rng.random(n) < 1 / (1 + np.exp(-log_odds.sum(axis=1)))).astype(int)
    votes = np.round(log_odds / 2, 3)
    grid = Grid(np.linspace(-4, 4, 161))
    return MDP(votes, labels, loss=Logistic(2.0), beta=1e-3, grid=grid)


@pytest.mark.parametrize("members", [None, (Stopping(),), (Stopping("thresholds"),)])
def test_easy_rows_quit_and_hard_ones_do_not(members):
    learning, fresh = easy_and_hard(0), easy_and_hard(1)
    found = fresh.evaluate(Portfolio(members, random_state=0).solve(learning)).objective
    assert found < fresh.evaluate(Prefix().solve(learning)).objective - 0.005


def random_walk(n=2000, n_steps=30, n_scores=1, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 1, n_scores))
    votes = 0.1 * truth + 0.1 * rng.normal(size=(n, n_steps, n_scores))
    labels = truth[:, 0, 0] > 0 if n_scores == 1 else truth[:, 0].argmax(axis=1)
    votes = Votes.from_dense(votes)
    grid = Grid.quantile(votes)
    return MDP(votes, labels.astype(int), beta=1e-3, grid=grid)


def test_lines_are_weighted_regressions():
    """The same normal equations, solved by numpy on weighted rows."""
    mdp = random_walk(n=200)
    full = mdp.votes.scores()[:, 0]
    slope, intercept, deviation = lines(mdp)
    for j in (1, 10, 29):
        f = mdp.votes.dense()[:, :j, 0].sum(axis=1)
        w = np.exp(-(np.abs(f) - np.abs(f).min()) / f.std())
        design = np.stack([f, np.ones_like(f)], axis=1)
        (a, b), *_ = np.linalg.lstsq(design * w[:, None], full * w, rcond=None)
        s = np.sqrt(np.average((full - design @ (a, b)) ** 2, weights=w**2))
        assert (slope[j], intercept[j], deviation[j]) == pytest.approx((a, b, s))


@pytest.mark.parametrize("n_scores", [1, 3])
def test_it_saves_evaluations_on_rows_it_has_not_seen(n_scores):
    learning, fresh = (random_walk(n_scores=n_scores, seed=s) for s in (0, 1))
    policy = Residual().solve(learning)
    full, value = fresh.evaluate(fresh.evaluate_all()), fresh.evaluate(policy)
    assert value.n_evaluated < 20
    assert value.loss < full.loss + 0.02
    assert value.objective < full.objective


@pytest.mark.parametrize("every", [1, 4])
def test_a_larger_z_evaluates_more(every):
    _, costs = Residual(every).candidates(mdp := random_walk()).evaluate(mdp)
    assert costs[0] == 30
    assert (np.diff(costs) <= 1e-9).all()


def test_a_bias_far_from_zero_leaves_weight_for_the_rows():
    votes = 1e-4 * np.random.default_rng(0).normal(size=(50, 5))
    mdp = MDP(votes, np.zeros(50, int))
    mdp.votes.tables.bias[:] = -1.0
    assert np.isfinite(lines(mdp)).all()
    assert mdp.evaluate(Residual().solve(mdp)).n_evaluated == 0


def test_where_nothing_varies_all_is_certain():
    mdp = MDP(np.ones((40, 30)), np.arange(40) % 2)
    assert mdp.evaluate(Residual().solve(mdp)).n_evaluated == 1


def test_lines_of_weighted_rows_are_those_of_copies():
    mdp, weight = random_walk(n=200), np.random.default_rng(1).integers(0, 3, 200)
    weighted = MDP(mdp.votes, mdp.labels, weight=weight, grid=mdp.grid)
    copies = mdp.rows(np.repeat(np.arange(200), weight))
    np.testing.assert_allclose(lines(weighted), lines(copies), rtol=1e-9, atol=1e-12)


def noisy(seed=0, n=500, n_steps=40, weighted=False):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 1))
    votes = 0.1 * truth + 0.15 * rng.normal(size=(n, n_steps))
    weight = rng.uniform(0.1, 3, n) if weighted else None
    votes = Votes.from_dense(votes)
    grid = Grid.quantile(votes, 100)
    return MDP(votes, (truth[:, 0] > 0).astype(int), beta=1e-3, weight=weight, grid=grid)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("every", [1, 5])
def test_the_bound_on_disagreement_is_kept(weighted, every):
    mdp = noisy(weighted=weighted)
    full = mdp.votes.scores()[:, 0] > 0
    solver = QWYC(every=every, rates=(0.0, 0.01, 0.05))
    evaluated = []
    for rate, policy in zip((0.0, *solver.rates), solver.candidates(mdp), strict=True):
        scores, n_evaluated, _ = mdp.rollout(policy)
        wrong = (scores[:, 0] > 0) != full
        assert mdp.weight[wrong].sum() <= rate * mdp.weight.sum() + 1e-9
        evaluated.append(n_evaluated.mean())
    assert evaluated[0] == 40
    assert evaluated[1] < 40
    assert evaluated[3] < evaluated[1]


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_cuts_keep_the_budget_and_end_at_rows(data):
    n_cells = data.draw(st.integers(1, 6))
    count = st.integers(0, 4)
    there = np.array(data.draw(st.lists(count, min_size=n_cells, max_size=n_cells)), float)
    wrong = np.array([data.draw(st.integers(0, int(n))) for n in there], float)
    budget = data.draw(st.integers(0, 6))
    (low,), (high,), (quits,) = cuts(there[None], wrong[None], budget)
    leaves = (np.arange(n_cells) <= low) | (np.arange(n_cells) >= high)
    assert wrong[leaves].sum() <= budget
    assert there[leaves].sum() == quits
    assert low == -1 or there[low] > 0
    assert high == n_cells or there[high] > 0
    one_sided = [np.cumsum(t)[np.cumsum(w) <= budget] for t, w in both_ways(there, wrong)]
    assert quits >= max([0, *(s.max(initial=0) for s in one_sided)])


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(0, 4),
    n_cells=st.integers(1, 12),
    weighted=st.booleans(),
)
@settings(deadline=None, max_examples=100)
def test_cuts_are_the_twins(seed, m, n_cells, weighted):
    rng = np.random.default_rng(seed)
    there = rng.integers(0, 4, (m, n_cells)) * (rng.random((m, n_cells)) if weighted else 1.0)
    wrong = there * rng.choice([0.0, 0.0, 1.0], (m, n_cells))
    budgets = rng.choice([-1e-17, 0.0, 0.3, 1.0, 2.0, 5.0, 1000.0], m)
    found = zip(*cuts(there, wrong, budgets), strict=True)
    wanted = [
        twin.cut(*one, SHARES)
        for one in zip(there.tolist(), wrong.tolist(), budgets.tolist(), strict=True)
    ]
    assert [tuple(cut) for cut in found] == wanted


def test_cuts_refuse_arrays_that_do_not_fit():
    there, budget, cells = np.ones((2, 3)), np.zeros(2), np.zeros(2, np.int64)
    for other in (np.ones((2, 4)), np.ones((1, 3))):
        with pytest.raises(ValueError, match="histograms, budgets and cuts do not fit"):
            _core.quit_cuts(there, other, budget, budget, cells, cells, budget)


def both_ways(there, wrong):
    return (there, wrong), (there[::-1], wrong[::-1])
