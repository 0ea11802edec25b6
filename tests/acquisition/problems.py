"""Small problems over sets of feature groups."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from mddag.acquisition.feature_sets import FeatureSets
from mddag.acquisition.rows import SetSample
from mddag.ensemble.feature_prices import FeaturePrices


def prices(costs=(1.0, 2.0, 4.0), wave_cost=0.0, needs=()):
    names = tuple(f"g{i}" for i in range(len(costs)))
    columns = tuple((i,) for i in range(len(costs)))
    return FeaturePrices(names, columns, np.array(costs, float), wave_cost, needs)


def all_sets(costs=(1.0, 2.0, 4.0), **given):
    """The lattice of all subsets."""
    n = len(costs)
    chosen = [c for k in range(n + 1) for c in combinations(range(n), k)]
    held = [np.isin(np.arange(n), groups) for groups in chosen]
    return FeatureSets.of(prices(costs, **given), held)


@st.composite
def samples(draw, sets=None):
    """A sample and losses to learn from; all are whole multiples of 1/8, so that sums are exact."""
    sets = all_sets(draw(st.sampled_from([(1.0, 2.0), (1.0, 1.0, 2.0)]))) if sets is None else sets
    n, m = draw(st.integers(2, 24)), len(sets)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    losses, measured = rng.integers(0, 9, size=(2, n, m)) / 8
    values = rng.integers(-6, 7, size=(n, m)) / 2
    fold = rng.permutation(n) % draw(st.integers(1, 3))
    return SetSample(sets, values, measured, fold, draw(st.sampled_from([0.0, None]))), losses


def nested(n=600, seed=0):
    """A sample and its losses: the more groups a set has, the more rows it decides rightly."""
    rng, sets = np.random.default_rng(seed), all_sets()
    signal = rng.normal(size=n)
    noise = rng.normal(size=(n, len(sets))) * (4.0 - sets.held.sum(axis=1))
    values = signal[:, None] * 2 + noise
    values[:, 0] = 0.1
    losses = (np.sign(values) != np.sign(signal)[:, None]).astype(float)
    return SetSample(sets, values, losses, np.arange(n) % 5), losses
