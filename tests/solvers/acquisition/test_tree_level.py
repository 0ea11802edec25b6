"""Policies over base classifiers that charge for features."""

import numpy as np
import pytest

from mddag import MDP
from mddag.ensemble.votes import Votes
from mddag.features.features import Features
from mddag.features.prices import FeaturePrices
from mddag.mdp.charges import Charges
from mddag.mdp.grid import Grid
from mddag.ordering.arrangement import Arrangement
from mddag.solvers.acquisition.set_sample import folds_of
from mddag.solvers.acquisition.tree_level import N_DECISIONS, RATIO, TreeLevel


def member(n=600, n_steps=6, charge="tree", seed=0):
    """The first half of the steps read a cheap group that is right where it is sure, the others a
    dear group that is right everywhere."""
    rng = np.random.default_rng(seed)
    y, sure = rng.integers(0, 2, n), rng.random(n) < 0.6
    signs, votes = 2.0 * y - 1, np.zeros((n, n_steps))
    cheap = np.where(sure, signs * 3, rng.choice([-0.2, 0.2], n))
    dear = np.arange(n_steps) >= n_steps // 2
    votes[:, ~dear], votes[:, dear] = cheap[:, None], signs[:, None]
    found = Votes.from_dense(votes[:, :, None])
    prices = FeaturePrices.of(Features(2), [1.0, 5.0])
    wants = np.eye(2, dtype=bool)[dear.astype(int)]
    leaves = np.repeat(wants, found.tables.n_leaves, axis=0)
    mdp = MDP(found, np.eye(2)[y], charges=Charges(prices, wants, leaves, found.tables, charge))
    mdp = mdp.on_grid(Grid.quantile(found, 16))
    return TreeLevel("trees", mdp, Arrangement(np.arange(n_steps)), folds_of(n, 0))


@pytest.mark.parametrize("n_steps", [6, 2 * N_DECISIONS + 3])
def test_the_dear_group_is_bought_where_the_cheap_one_is_not_sure(n_steps):
    of = member(n_steps=n_steps)
    found = of(0.05)
    assert found.loss.mean() < 0.02
    assert 2 < found.cost.mean() < 4.5  # 1 + 0.4 x 5
    scores, _, cost = of.mdp.with_beta(0.05).rollout(found.policy.policy)
    assert cost.mean() == pytest.approx(found.cost.mean(), abs=0.3)
    assert np.mean((scores[:, 0] > 0) != of.mdp.labels.argmax(axis=1)) < 0.02


def test_at_a_prohibitive_price_nothing_is_bought():
    assert member()(10.0).cost.max() == 0.0


def test_prices_nearby_share_a_policy():
    of = member()
    first = of(0.05)
    assert of(0.05 * RATIO**0.4) is first
    assert of(0.05 * RATIO) is not first
    assert len(of.found) == 2


def test_a_price_of_nothing_has_a_policy_of_its_own():
    of, alone = member(), member()(0.0)
    dear = of(10.0)
    for free in (of(0.0), alone):
        assert free.loss.mean() < 0.02 < dear.loss.mean()
    of = member()
    assert of(0.0).cost.mean() > of(10.0).cost.mean() == 0.0


def test_a_row_is_judged_by_other_folds():
    of = member(n=60)
    alone = of(0.01)
    assert alone.loss.shape == alone.cost.shape == (60,)
    assert set(np.unique(alone.loss)) <= {0.0, 1.0}
