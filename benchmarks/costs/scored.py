"""Scored rows: the scores of every set's model on all rows, kept in OUT between runs.

Training models of sets is most of the work; what is learned from their scores afterwards (waves,
members, prices of a round trip) is then quick. Models, rows and seeds are those of ``curves``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np

import mddag
from benchmarks.costs.price_lists import Problem, problem
from benchmarks.places import OUT
from mddag.features.features import Features
from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.tuning.acquisition import Acquisition, learned
from mddag.tuning.given_rows import GivenRows
from mddag.tuning.set_rows import SetRows

SETTINGS = {"n_estimators": 60, "num_leaves": 16, "n_jobs": 1, "verbose": -1, "random_state": 0}
FOLDER = OUT / "costs" / "taught"


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows of a problem with their scores in every set; all have labels.

    taught : policy rows, and training rows with cross-fitted scores
    """

    policy: SetRows
    taught: SetRows
    test: SetRows

    def at_wave_cost(self, wave_cost: float) -> SetRows:
        """The rows that teach, a round trip costing so much."""
        sets = self.policy.sets
        prices = replace(sets.prices, wave_cost=wave_cost)
        return replace(self.taught, sets=FeatureSets(prices, sets.held))


def fitted(given: Problem, seed: int) -> tuple[Acquisition, Any]:
    """What ``acquire`` learns of a problem, and its test rows as the model reads them."""
    (X, y), (X_test, _) = given.train, given.test
    model = lgb.LGBMClassifier(**SETTINGS).fit(X, y)
    ensemble = mddag.as_ensemble(model)
    prices = FeaturePrices.of(ensemble.features, given.costs, given.groups)
    random = np.random.RandomState(seed)
    rows = GivenRows(model, ensemble, *given.policy, X, y, random)
    found = learned(rows, prices, "beta", np.empty(0, np.intp), seed, 1)
    return found, ensemble.features.rows(X_test)


def scored(name: str, seed: int, folder: Path = FOLDER) -> Scored:
    """The rows of a set and seed, from the folder where they are there."""
    given, file = problem(name, seed), folder / f"{name}-{seed}.npz"
    if not file.exists():
        found, rows = fitted(given, seed)
        keep(name, seed, found, found.models.scores(rows, found.ensemble.bias), folder)
    kept = np.load(file)
    features = Features(given.train[0].shape[1])
    sets = FeatureSets(FeaturePrices.of(features, given.costs, given.groups), kept["held"])
    taught = SetRows(sets, kept["taught"], kept["labels"])
    policy = taught.rows(np.arange(len(given.policy[1])))
    test = SetRows(sets, kept["test"], np.asarray(given.test[1], np.intp))
    return Scored(policy, taught, test)


def keep(
    name: str, seed: int, found: Acquisition, test_scores: np.ndarray, folder: Path = FOLDER
) -> None:
    """Write the scores of all rows in every set."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{name}-{seed}.part.npz"
    held, taught, labels = found.models.sets.held, found.taught.scores, found.taught.labels
    np.savez(unfinished, held=held, taught=taught, labels=labels, test=test_scores)
    unfinished.rename(folder / f"{name}-{seed}.npz")
