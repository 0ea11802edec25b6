"""The cases of Figure 2: rows of three data sets, and a pool of base classifiers for each.

The base classifiers are stumps of Haar features, made by AdaBoost with half of the weight on each
class. Cascades and policies are fitted, and chosen, on policy rows. There are two protocols:

    paper   1,000 rounds; the rows that AdaBoost is trained on are the policy rows, too
    ours    500 rounds on 70 % of the training rows; the others are policy rows

    vj      Viola-Jones faces, 24 x 24; half of the rows are for tests, another half for each seed
    cbcl    MIT CBCL faces, 19 x 19, official parts
    dped    Daimler pedestrians, 18 x 36; the training sets 1 to 3, tested on T1
"""

from __future__ import annotations

import os
import pickle
import runpy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from mddag import AdaBoostMHClassifier, Ensemble, Votes
from mddag.boosting.training_set import TrainingSet
from mddag.detection import Haar
from mddag.detection.cascade import CascadeRows

NAMES = ("vj", "cbcl", "dped")
TITLES = {"vj": "VJ", "cbcl": "CBCL", "dped": "DPED"}


@dataclass(frozen=True)
class Size:
    """How much is computed, and on which rows.

    Parameters
    ----------
    n_features, n_rounds, n_episodes : int
        Haar features to choose from, rounds of AdaBoost, episodes of SARSA.
    most_rows : int or None
        Rows of each part at most.
    same_rows : bool
        Whether policies learn on the rows that AdaBoost was trained on.
    exploring : bool
        Whether a third of the training rows replaces the test rows, which are not read.
    quick : bool
        Whether few settings will do.
    """

    n_features: int = 5000
    n_rounds: int = 500
    n_episodes: int = 10**6
    most_rows: int | None = None
    same_rows: bool = False
    exploring: bool = False
    quick: bool = False

    @property
    def key(self) -> str:
        """Part of the names of files."""
        rows = "same" if self.same_rows else "other"
        return f"{self.n_rounds}-{rows}" + ("-explore" if self.exploring else "")


PAPER = Size(n_rounds=1000, same_rows=True)
PROTOCOLS = {"paper": PAPER, "ours": Size()}


def quick(size: Size) -> Size:
    """The same in small."""
    few = {"n_features": 300, "n_rounds": 60, "n_episodes": 20_000, "most_rows": 2500}
    return replace(size, **few, quick=True)


def patches(name: str, seed: int, size: Size) -> tuple[np.ndarray, ...]:
    """Patches and labels (1: the object) of training rows and of test rows."""
    load = runpy.run_path(str(Path(os.environ["MDDAG_DATA"]) / "load.py"))
    if name == "cbcl":
        parts = load["cbcl_faces"]()
    elif name == "vj":
        parts = split(*load["vj_faces"](), 0.5, seed)
    else:
        X, y, subset = load["daimler_ped"]()
        parts = X[subset < 3], y[subset < 3], X[subset == 3], y[subset == 3]
    if size.exploring:
        parts = split(*parts[:2], 1 / 3, seed)
    if size.most_rows is None:
        return parts
    rng = np.random.default_rng(seed)
    some = [rng.permutation(len(y))[: size.most_rows] for y in parts[1::2]]
    return parts[0][some[0]], parts[1][some[0]], parts[2][some[1]], parts[3][some[1]]


def split(X: np.ndarray, y: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, ...]:
    """Rows and labels of two parts; `share` is that of the second."""
    first, second = train_test_split(
        np.arange(len(y)), test_size=share, stratify=y, random_state=seed
    )
    return X[first], y[first], X[second], y[second]


@dataclass(frozen=True, eq=False)
class Case:
    """One data set and seed.

    Parameters
    ----------
    name, seed, size
        What it is of.
    pool : Ensemble
        The base classifiers.
    policy, test : Votes
        Their votes on policy rows and on test rows.
    y_policy, y_test : ndarray
        Labels of these rows.
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
        """Read a case from the folder, or train its pool and write it there."""
        path = folder / f"{name}-{seed}-{size.key}-pool.pickle"
        if path.exists():
            return pickle.loads(path.read_bytes())  # written below
        X, y, X_test, y_test = patches(name, seed, size)
        boosted, policy = parted(y, seed, size)
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
        X, y, _, _ = patches(self.name, self.seed, self.size)
        own = learner(self.size, self.seed)
        rows = labelled(own, X, y, self.seed)
        return CascadeRows.of(*(rows.take(part) for part in parted(y, self.seed, self.size)), own)

    @cached_property
    def tested(self) -> TrainingSet:
        """Test rows that further base classifiers vote on."""
        _, _, X, y = patches(self.name, self.seed, self.size)
        return labelled(learner(self.size, self.seed), X, y, self.seed)


def parted(y: np.ndarray, seed: int, size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Rows to boost on, and policy rows."""
    if size.same_rows:
        return np.arange(len(y)), np.arange(len(y))
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
