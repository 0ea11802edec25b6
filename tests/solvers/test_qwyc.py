import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP, Grid, Votes, _core
from mddag.solvers import QWYC
from mddag.solvers.qwyc import SHARES, cuts
from tests.reference import quit_cuts as twin


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
