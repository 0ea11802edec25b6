"""Small problems with prices of features, and what ``acquire`` makes of them; samples over sets."""

from functools import cache
from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag.acquisition.feature_sets import FeatureSets
from mddag.acquisition.front import SetFront
from mddag.acquisition.rows import SetSample, SplitRows
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.tuning.targets import target_of

GROUPS = {"cheap": [0, 1], "expensive": [2, 3]}
COSTS = {"cheap": 1.0, "expensive": 5.0, 4: 0.0}


@cache
def rows(n_classes=2, n=1600, seed=0):
    """The expensive group decides where the cheap one does not; column 4 is free noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    sure = np.abs(X[:, 0]) > 0.6
    signal = np.where(sure, X[:, 0], X[:, 2])
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    return X, y


@cache
def model(n_classes=2):
    X, y = rows(n_classes)
    fitted = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
    return fitted.fit(X[:500], y[:500])


@cache
def bought(n_classes=2, **given):
    """The estimator, rows and labels that it has not seen."""
    X, y = rows(n_classes)
    given = given or {"beta": 0.02}
    found = mddag.acquire(
        model(n_classes),
        X[500:1100],
        y[500:1100],
        feature_costs=COSTS,
        feature_groups=GROUPS,
        X_train=X[:500],
        y_train=y[:500],
        **given,
    )
    return found, X[1100:], y[1100:]


@cache
def front(n_classes=2):
    """What `bought` chooses from."""
    (X, y), of = rows(n_classes), model(n_classes)
    ensemble = mddag.as_ensemble(of)
    priced = FeaturePrices.of(ensemble.features, COSTS, GROUPS)
    parts = X[500:1100], y[500:1100], X[:500], y[:500]
    given = SplitRows(of, ensemble, *parts, np.random.RandomState(0))
    target = target_of(beta=0.01).measured(ensemble.task)
    return SetFront.learned(given, priced, np.empty(0, np.intp), target)


# Small problems over sets of feature groups.


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
