import numpy as np
import pytest
from sklearn.base import clone

from mddag import DoubtfulResult
from mddag.mdp.policy import EVAL, QUIT
from mddag.ordering import Given
from mddag.solvers import Rejection
from tests.solvers.rejection.problems import detection_mdp

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


def rates(mdp, policy):
    above, positive = mdp.rollout(policy)[0][:, 0] > 0, mdp.labels > 0
    return above[positive].mean(), above[~positive].mean()


def cost(mdp, policy):
    return mdp.rollout(policy)[1][mdp.labels == 0].mean()


@pytest.mark.parametrize("every", [1, 3])
def test_rows_are_evaluated_or_rejected(every):
    policy = Rejection(target_fpr=0.05, every=every).solve(detection_mdp())
    assert policy.every == every
    assert set(np.unique(policy.actions)) <= {EVAL, QUIT}
    assert (policy.actions[0] == EVAL).all()
    assert len(policy.grid.edges) == 1


@pytest.mark.parametrize("fpr", [0.02, 0.05, 0.2])
def test_the_fpr_of_other_rows_is_near_the_wanted_one(fpr):
    policy = Rejection(target_fpr=fpr).solve(detection_mdp(0, n=4000, beta=0.005))
    found = rates(detection_mdp(1, n=20_000), policy)[1]
    assert 0.4 * fpr < found < 1.5 * fpr


def test_the_tpr_of_other_rows_is_near_the_wanted_one():
    policy = Rejection(target_tpr=0.8).solve(detection_mdp(0, n=4000, beta=0.001))
    assert 0.77 < rates(detection_mdp(1, n=20_000), policy)[0] < 0.85


def test_realised_rates_are_near_those_of_other_rows():
    found = Rejection(target_fpr=0.05).detector(detection_mdp(0, n=4000))
    tpr, fpr = rates(detection_mdp(1, n=20_000), found.policy)
    assert abs(found.rates.fpr - fpr) < 4 * found.rates.fpr_error
    assert abs(found.rates.tpr - tpr) < 4 * found.rates.tpr_error


@pytest.mark.parametrize("budget", [2, 4, 8])
def test_a_budget_is_mean_evaluations_of_negatives(budget):
    mdp = detection_mdp(0, n=2000)
    found = Rejection(target_fpr=0.05, budget=budget).detector(mdp)
    assert found.rates.n_evaluated <= budget
    assert cost(mdp, found.policy) == pytest.approx(found.rates.n_evaluated)
    assert cost(detection_mdp(1, n=10_000), found.policy) < 1.1 * budget


def test_several_budgets_are_learned_at_once():
    mdp = detection_mdp(0, n=1000)
    found = Rejection(target_fpr=0.05).detectors(mdp, [3, 6, None])
    for budget, one in zip([3, 6], found, strict=False):
        alone = Rejection(target_fpr=0.05, budget=budget).detector(mdp)
        assert (one.rates, one.setting) == (alone.rates, alone.setting)
    assert found[2].setting == Rejection(target_fpr=0.05).detector(mdp).setting


def test_a_budget_below_all_cascades_is_doubted():
    with pytest.warns(DoubtfulResult, match="no cascade is within budget=0.5: the cheapest"):
        Rejection(target_fpr=0.05, budget=0.5).solve(detection_mdp())


def test_a_higher_price_buys_fewer_evaluations():
    costs = [
        cost(detection_mdp(1), Rejection(0.05).solve(detection_mdp(beta=beta)))
        for beta in (1e-3, 0.1, 0.5)
    ]
    assert costs[0] > costs[1] > costs[2]


def test_it_beats_the_best_prefix_at_equal_cost():
    train, test = detection_mdp(0, n=4000), detection_mdp(1, n=20_000)
    policy = Rejection(target_fpr=0.05, budget=4).solve(train)
    negative = test.labels == 0
    prefix = test.votes.dense()[:, :4, 0].sum(axis=1)
    best = (prefix[~negative] > np.quantile(prefix[negative], 0.95)).mean()
    tpr, fpr = rates(test, policy)
    assert tpr > best + 0.02
    assert fpr < 0.06


def test_selection_rows_choose():
    mdp, others = detection_mdp(0), detection_mdp(1)
    found = Rejection(target_fpr=0.05).detector(mdp, others)
    assert (found.rates.n_negatives, found.rates.n_positives) == (
        (others.labels == 0).sum(),
        (others.labels == 1).sum(),
    )


def test_a_seed_decides_everything():
    first, second = (Rejection(0.05, random_state=3).solve(detection_mdp()) for _ in range(2))
    np.testing.assert_array_equal(first.actions, second.actions)
    np.testing.assert_array_equal(first.rescaling.shift, second.rescaling.shift)


def test_one_percent_is_wanted_where_nothing_is_said():
    assert (Rejection().target.name, Rejection().target.rate) == ("target_fpr", 0.01)


def test_parameters_survive_a_clone():
    solver = Rejection(target_tpr=0.9, budget=7.0, every=2)
    assert repr(clone(solver)) == repr(solver)
    assert Rejection().with_order(Given()).ordering == Given()
    assert Rejection().with_every(4).every == 4
