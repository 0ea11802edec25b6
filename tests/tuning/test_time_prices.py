"""Times are those of the cost model, the same for all rows."""

import numpy as np

import mddag
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.tuning.time_prices import TimePrices, batch_time


def test_fewer_evaluations_take_less_time(hastie):
    model, X, _, _, _ = hastie
    ensemble = mddag.as_ensemble(model)
    votes = ensemble.votes(X[:100])
    timed = TimePrices(ensemble).on(votes)
    grid = Grid(np.empty(0), 1)
    actions = np.full((len(ensemble), 1), EVAL, np.uint8)
    actions[8:] = QUIT
    short = Policy(actions, grid, np.arange(len(ensemble)))
    everything = timed.everything()
    assert (timed.under(short) < everything).all()
    assert len(set(everything.tolist())) == 1
    assert everything[0] == batch_time(mddag.compile(ensemble))


def test_base_classifiers_share_the_time(hastie):
    model, X, _, _, _ = hastie
    ensemble = mddag.as_ensemble(model)
    prices = TimePrices(ensemble)
    assert np.isclose(prices.means.sum(), prices.on(ensemble.votes(X[:5])).everything()[0])
