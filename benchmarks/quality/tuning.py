"""The full model that a good user would ship, and the smaller ones that are trained on the way.

A grid of leaves, learning rates and rows per leaf is trained; the two best shapes by the error on
validation rows are tried again with lower rates and with more leaves. Rounds are those of the least
validation error. That error is averaged over neighbouring numbers of rounds, or the luckiest of
thousands would win. Libraries with one shape (AdaBoost.MH) are trained as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.quality.boosters import MANY_COLUMNS, Shape, trained
from benchmarks.quality.rows import Parts
from benchmarks.quality.walks import walk
from mddag import Ensemble

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
