"""Prices by nodes have what the contract names."""

import numpy as np

import mddag
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, Policy
from mddag.tuning.node_prices import NodePrices


def test_evaluating_everything_costs_everything(hastie):
    model, X, _, _, _ = hastie
    ensemble = mddag.as_ensemble(model)
    votes = ensemble.votes(X[:50])
    prices = NodePrices.of(ensemble, votes)
    assert prices.means.shape == (len(ensemble),)
    counted = prices.on(votes)
    assert counted.votes is votes
    policy = Policy.constant(EVAL, len(ensemble), Grid(np.empty(0), 1))
    assert (counted.under(policy) == counted.everything()).all()
