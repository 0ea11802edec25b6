"""Models of a shape: LightGBM, XGBoost, CatBoost and AdaBoost.MH behind one call.

A `Shape` is what a user tunes: leaves of a tree, learning rate, and how many rows a leaf must have
(for XGBoost and CatBoost their nearest parameters). A model of m rounds is the beginning of a
longer one, so one model per shape serves every number of rounds. CatBoost grows symmetric trees of
2^depth leaves.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from benchmarks.quality.nodes import walk
from benchmarks.quality.rows import Parts, Sample
from mddag import AdaBoostMHClassifier, Ensemble, as_ensemble
from mddag.learners import Stump

LIBRARIES = ("LightGBM", "AdaBoost.MH", "XGBoost", "CatBoost")
MANY_COLUMNS = 100  # fewer bins then, as is usual: training takes a third of the time


@dataclass(frozen=True, order=True)
class Shape:
    """leaves and rate; `smooth` asks for more weight and fewer rows in a leaf than the default.

    LightGBM: min_child_samples 20 and min_child_weight 0.001, or with `smooth` 5 and 1.
    """

    leaves: int
    rate: float
    smooth: bool = False

    def __str__(self) -> str:
        return f"{self.leaves} leaves, rate {self.rate:g}" + (", smooth" if self.smooth else "")


def trained(library: str, shape: Shape, n_rounds: int, rows: Sample) -> Ensemble:
    """An ensemble of this shape."""
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    model = MODELS[library](shape, n_rounds, rows.X.shape[1] > MANY_COLUMNS)
    return as_ensemble(model.fit(rows.X, rows.y))


def lightgbm(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=n_rounds,
        num_leaves=shape.leaves,
        learning_rate=shape.rate,
        min_child_samples=5 if shape.smooth else 20,
        min_child_weight=1.0 if shape.smooth else 1e-3,
        max_bin=63 if many_columns else 255,
        n_jobs=1,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )


def xgboost(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=n_rounds,
        max_leaves=shape.leaves,
        max_depth=0,
        grow_policy="lossguide",
        learning_rate=shape.rate,
        min_child_weight=1.0 if shape.smooth else 5.0,
        max_bin=64 if many_columns else 256,
        n_jobs=1,
    )


def catboost(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=n_rounds,
        depth=shape.leaves.bit_length() - 1,
        learning_rate=shape.rate,
        l2_leaf_reg=3.0 if shape.smooth else 1.0,
        border_count=63 if many_columns else 254,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        random_seed=0,
    )


def adaboost(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    """Stumps, whatever the shape."""
    return AdaBoostMHClassifier(Stump(), n_rounds=n_rounds, max_bins=255)


MODELS = dict(zip(LIBRARIES, (lightgbm, adaboost, xgboost, catboost), strict=True))

LEAVES, RATES, FASTEST = (8, 16, 32, 64, 128), (0.1, 0.3), 0.6
FEW_LEAVES = (8, 32, 128)  # where training is slow, and at the fastest rate
MOST_LEAVES, LEAST_RATE = 255, 0.05
ROUNDS = {0.05: 700, 0.1: 350, 0.3: 200, 0.6: 100}  # as many as the rate needs
STUMPS = 500
SMOOTHED = 0.15  # rounds m (1 - this) … m (1 + this) are averaged


@dataclass(frozen=True)
class Trained:
    """A model of one shape, and its smoothed error on validation rows after every round, (N,)."""

    shape: Shape
    ensemble: Ensemble
    errors: np.ndarray

    @property
    def best_error(self) -> float:
        return float(self.errors.min())

    def truncated(self) -> Ensemble:
        """As many rounds as validation rows want."""
        return self.ensemble.truncated(int(self.errors.argmin()) + 1)


@dataclass(frozen=True)
class Tuned:
    """The full model, its shape, and all models of the grid."""

    full: Ensemble
    shape: Shape
    grid: list[Trained]

    def __str__(self) -> str:
        stumps = not self.grid
        return f"{len(self.full)} stumps" if stumps else f"{self.shape}, {len(self.full)} rounds"


def tuned(library: str, rows: Parts, shrink: int = 1) -> Tuned:
    """The full model, and what was trained on the way."""
    if library == "AdaBoost.MH":
        shape = Shape(2, 1.0)
        return Tuned(trained(library, shape, STUMPS // shrink, rows.train), shape, [])
    grid = [fitted(library, shape, rows, shrink) for shape in shapes(rows)]
    further = [fitted(library, shape, rows, shrink) for shape in further_shapes(library, grid)]
    best = min([*grid, *further], key=lambda t: t.best_error)
    return Tuned(best.truncated(), best.shape, grid)


def shapes(rows: Parts) -> list[Shape]:
    """The grid, a smaller one where training takes long."""
    if rows.train.X.shape[1] > MANY_COLUMNS:
        return [Shape(*both, smooth=True) for both in product(FEW_LEAVES, RATES)]
    leaves = FEW_LEAVES if rows.n_classes > 2 else LEAVES
    usual = [Shape(*all_) for all_ in product(leaves, RATES, (False, True))]
    return [*usual, *(Shape(n, FASTEST, smooth=True) for n in FEW_LEAVES)]


def further_shapes(library: str, grid: Sequence[Trained]) -> list[Shape]:
    """Lower rates and more leaves around the two best of the grid."""
    found = set()
    for one in sorted(grid, key=lambda t: t.best_error)[:2]:
        shape = one.shape
        found.add(Shape(shape.leaves, LEAST_RATE, shape.smooth))
        if shape.leaves == max(LEAVES):
            found.add(Shape(MOST_LEAVES + (library == "CatBoost"), shape.rate, shape.smooth))
    return sorted(found)


def fitted(library: str, shape: Shape, rows: Parts, shrink: int) -> Trained:
    """A model of this shape, with its errors on validation rows."""
    n_rounds = ROUNDS[shape.rate] // (3 if rows.n_classes > 2 else 1) // shrink
    ensemble = trained(library, shape, n_rounds, rows.train)
    sample = rows.validation
    errors = walk(ensemble, ensemble.votes(sample.X), sample.y).errors
    return Trained(shape, ensemble, smoothed(errors))


def smoothed(errors: np.ndarray) -> np.ndarray:
    """The mean over neighbouring numbers of rounds, (N,)."""
    m = np.arange(1, len(errors) + 1)
    first = np.ceil(m * (1 - SMOOTHED)).astype(int) - 1
    last = np.minimum(np.floor(m * (1 + SMOOTHED)).astype(int), len(errors))
    sums = np.concatenate([[0.0], np.cumsum(errors)])
    return (sums[last] - sums[first]) / (last - first)
