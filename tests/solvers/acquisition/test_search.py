"""Members, and the choice among them."""

import numpy as np

from mddag.solvers.acquisition.search import LEAST, Search
from mddag.solvers.acquisition.set_sample import SetSample, folds_of
from tests.solvers.acquisition.problems import all_sets


def sample(n=600, seed=0):
    """The more groups a set has, the more rows it decides rightly."""
    rng, sets = np.random.default_rng(seed), all_sets()
    signal = rng.normal(size=n)
    noise = rng.normal(size=(n, len(sets))) * (4.0 - sets.held.sum(axis=1))
    values = signal[:, None] * 2 + noise
    values[:, 0] = 0.1
    losses = (np.sign(values) != np.sign(signal)[:, None]).astype(float)
    return SetSample(sets, values, losses, losses, folds_of(n, 0), np.ones(n))


def test_the_best_member_has_the_smallest_objective():
    search = Search.of({"mean": sample()}, [[0, 1, 4, 7]])
    found = search.at(0.01)
    assert {c.member.split(",")[0] for c in found} == {"lattice", "chain 0", "cascade", "static"}
    best = search.best(0.01)
    ones = np.ones(600)
    assert best.objective(0.01, ones) == min(c.objective(0.01, ones) for c in found)
    assert search.at(0.01) is found


def test_dearer_features_are_bought_less():
    search = Search.of({"mean": sample()}, [[0, 1, 4, 7]])
    costs = [search.best(beta).cost.mean() for beta in search.prices(0.5, 0.0)]
    assert costs[0] > costs[-1]
    assert costs[-1] == 0.0


def test_sets_that_hardly_any_row_evaluates_are_left_out():
    rows = sample(2000)
    search = Search.of({"mean": rows}, [[0, 1, 4, 7]])
    lattice = next(c for c in search.at(0.02) if c.member.startswith("lattice"))
    share = lattice.policy.follow(rows.sets, rows.values).seen.mean(axis=0)
    assert ((share == 0) | (share >= LEAST)).sum() >= len(share) - 1
