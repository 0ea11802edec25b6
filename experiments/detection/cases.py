"""The cases of Figure 2: rows of three data sets, and a pool of base classifiers for each.

Of the training rows 70 % are boosted on; the others, policy rows, fit cascades and policies, choose
among settings, and give the threshold of the leak-free variant. The base classifiers are stumps of
Haar features, made by AdaBoost with half of the weight on each class.

    vj     Viola-Jones faces, 24 x 24; half of the rows are for tests, drawn anew with each seed
    cbcl   MIT CBCL faces, 19 x 19, official parts
    dped   Daimler pedestrians, 18 x 36; the training sets 1 to 3, tested on T1
"""

from __future__ import annotations

import os
import pickle
import runpy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from mddag import AdaBoostMHClassifier, Ensemble, Votes
from mddag.boosting.training_set import TrainingSet
from mddag.detection import Haar
from mddag.detection.cascade_rows import CascadeRows

NAMES = ("vj", "cbcl", "dped")
TITLES = {"vj": "VJ", "cbcl": "CBCL", "dped": "DPED"}


@dataclass(frozen=True)
class Size:
    """How much is computed."""

    n_features: int = 5000
    n_rounds: int = 500
    n_episodes: int = 10**6
    most_rows: int | None = None
    quick: bool = False


QUICK = Size(n_features=300, n_rounds=60, n_episodes=20_000, most_rows=2500, quick=True)


def patches(name: str, seed: int, most_rows: int | None) -> tuple[np.ndarray, ...]:
    """Patches and labels (1: the object) of training rows and of test rows."""
    load = runpy.run_path(str(Path(os.environ["MDDAG_DATA"]) / "load.py"))
    if name == "cbcl":
        parts = load["cbcl_faces"]()
    elif name == "vj":
        X, y = load["vj_faces"]()
        train, test = train_test_split(
            np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed
        )
        parts = X[train], y[train], X[test], y[test]
    else:
        X, y, subset = load["daimler_ped"]()
        parts = X[subset < 3], y[subset < 3], X[subset == 3], y[subset == 3]
    if most_rows is None:
        return parts
    rng = np.random.default_rng(seed)
    some = [rng.permutation(len(y))[:most_rows] for y in parts[1::2]]
    return parts[0][some[0]], parts[1][some[0]], parts[2][some[1]], parts[3][some[1]]


@dataclass(frozen=True, eq=False)
class Case:
    """One data set and seed.

    pool   : the base classifiers
    policy, test : their votes on policy rows and on test rows
    """

    name: str
    seed: int
    size: Size
    pool: Ensemble
    policy: Votes
    test: Votes
    y_policy: np.ndarray
    y_test: np.ndarray

    @classmethod
    def of(cls, name: str, seed: int, size: Size, folder: Path) -> Case:
        """Read from the folder, or trained and written there."""
        path = folder / f"{name}-{seed}-pool.pickle"
        if path.exists():
            return pickle.loads(path.read_bytes())  # written below
        X, y, X_test, y_test = patches(name, seed, size.most_rows)
        boosted, policy = parted(y, seed)
        boost = AdaBoostMHClassifier(
            learner(size, seed), n_rounds=size.n_rounds, class_weight="balanced", random_state=seed
        ).fit(X[boosted], y[boosted])
        pool = boost.ensemble_
        votes = pool.votes(X[policy]), pool.votes(X_test)
        case = cls(name, seed, size, pool, *votes, y[policy], y_test)
        path.write_bytes(pickle.dumps(case))
        return case

    @cached_property
    def dense(self) -> tuple[np.ndarray, np.ndarray]:
        """The votes on policy rows and on test rows, float64 (n, N)."""
        return self.policy.dense()[:, :, 0], self.test.dense()[:, :, 0]

    @cached_property
    def material(self) -> CascadeRows:
        """Rows to train base classifiers on; policy rows are held out."""
        X, y, _, _ = patches(self.name, self.seed, self.size.most_rows)
        own = learner(self.size, self.seed)
        rows = labelled(own, X, y, self.seed)
        return CascadeRows(*(rows.take(part) for part in parted(y, self.seed)), own)

    @cached_property
    def tested(self) -> TrainingSet:
        """Test rows that further base classifiers vote on."""
        _, _, X, y = patches(self.name, self.seed, self.size.most_rows)
        return labelled(learner(self.size, self.seed), X, y, self.seed)


def parted(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to boost on, and policy rows."""
    boosted, policy = train_test_split(
        np.arange(len(y)), test_size=0.3, stratify=y, random_state=seed
    )
    return boosted, policy


def learner(size: Size, seed: int) -> Haar:
    return Haar(size.n_features, random_state=seed)


def labelled(own: Haar, X: Any, y: np.ndarray, seed: int) -> TrainingSet:
    features = own.features(X, seed)
    labels, weight = y.astype(np.intp), np.ones(len(y))
    nominal = np.zeros(features.n_given, bool)
    return TrainingSet(X, labels, weight, np.arange(2), features, nominal)
