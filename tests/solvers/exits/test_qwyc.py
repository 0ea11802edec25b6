import numpy as np
import pytest

from mddag import MDP, Grid, Votes
from mddag.ordering import QWYCOrder
from mddag.solvers import QWYC
from tests.solvers.problems import mdp_of


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
@pytest.mark.parametrize("order", [None, QWYCOrder()])
def test_the_bound_on_disagreement_is_kept(weighted, every, order):
    mdp = noisy(weighted=weighted)
    full = mdp.votes.scores()[:, 0] > 0
    solver = QWYC(order, every=every, rates=(0.0, 0.01, 0.05))
    evaluated = []
    for rate, policy in zip((0.0, *solver.rates), solver.candidates(mdp), strict=True):
        scores, n_evaluated, _ = mdp.rollout(policy)
        wrong = (scores[:, 0] > 0) != full
        assert mdp.weight[wrong].sum() <= rate * mdp.weight.sum() + 1e-9
        evaluated.append(n_evaluated.mean())
    assert evaluated[0] == 40
    assert evaluated[1] < 40
    assert evaluated[3] < evaluated[1]


def test_its_own_order_helps_where_the_given_one_is_bad():
    rng = np.random.default_rng(0)
    votes = 0.01 * rng.normal(size=(300, 20))
    votes[:, 19] = rng.choice([-1.0, 1.0], size=300)
    mdp = MDP(votes, (votes[:, 19] > 0).astype(int), beta=1e-3)
    given, own = (mdp.evaluate(QWYC(order).solve(mdp)) for order in (None, QWYCOrder()))
    assert given.n_evaluated > 19
    assert own.n_evaluated == 1
    assert own.loss == given.loss == 0


def test_by_hand():
    """After h_1 the outer rows are sure; the inner two change sides, so they stay."""
    votes = np.array([[-3.0, 1.0], [-2.0, 1.0], [-0.5, 1.0], [0.5, -1.0], [2.0, -1.0], [3.0, -1.0]])
    mdp = MDP(votes, [0, 0, 1, 0, 1, 1], grid=Grid([-1.0, 0.0, 1.0]))
    policy = QWYC(rates=(0.0,)).candidates(mdp)[1]
    _, n_evaluated, _ = mdp.rollout(policy)
    assert n_evaluated.tolist() == [1, 1, 2, 2, 1, 1]


def test_several_classes_are_refused():
    with pytest.raises(ValueError, match="votes have 3 scores; QWYC has a low and a high end"):
        QWYC().solve(mdp_of(0, n_scores=3))


@pytest.mark.parametrize("rates", [(), (0.1, -0.1), (1.5,)])
def test_refuses_rates_that_make_no_sense(rates):
    with pytest.raises(ValueError, match="rates"):
        QWYC(rates=rates)
