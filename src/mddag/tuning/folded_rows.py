"""FoldedRows: what each row given to ``train`` is for.

Rows that certify a bound do nothing else. All others train the model that is returned. So that they
can judge too, they are parted into folds, and every fold has models that were trained without it
(cross-fitting): what a row says of a model is always said of one that has not seen it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mddag._internal.row_sampling import spaced_rows, stratified
from mddag._internal.weights import part

FOLDS = 3
CERTIFYING, MOST_CERTIFYING = 0.15, 9_000  # of all rows: a share, and at most
MOST_JUDGING = 20_000  # rows of all folds together that judge; all of them train
LEARNING = 0.6  # of the rows that judge: policies are learned on them
ALL = -1  # the fold of rows that every model is trained on, and that of the model without none


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """The rows of one call.

    fold       : intp (n,), the fold of each row; ALL for rows of classes with too few for folds
    certifying : intp, rows that certify, in no fold
    judging    : intp, those rows of the folds that judge
    given      : the rows that judge, and behind them those that certify, as they were given
    """

    X: Any
    targets: NDArray[Any]
    weight: NDArray[np.float64] | None
    fold: NDArray[np.intp]
    certifying: NDArray[np.intp]
    judging: NDArray[np.intp]
    seed: int
    n_threads: int = 1
    given: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", _safe_indexing(self.X, self.numbers))

    @classmethod
    def of(
        cls,
        X: Any,
        targets: NDArray[Any],
        weight: NDArray[np.float64] | None,
        strata: NDArray[Any],
        proves: bool,
        random: np.random.RandomState,
        n_threads: int = 1,
    ) -> FoldedRows:
        """Rows at random, with equal shares of the strata (n,) for every purpose."""
        n = len(targets)
        certifying = np.empty(0, np.intp)
        if proves:
            certifying = stratified(strata, min(CERTIFYING, MOST_CERTIFYING / n), random)
        seed = int(random.randint(2**31 - 1))
        fold = folds_of(strata, certifying, np.random.RandomState(seed))
        judging = np.flatnonzero(fold >= 0)
        judging = judging[spaced_rows(len(judging), MOST_JUDGING)]
        return cls(X, targets, weight, fold, certifying, judging, seed, n_threads)

    @property
    def numbers(self) -> NDArray[np.intp]:
        """Of the rows `given`."""
        return np.concatenate([self.judging, self.certifying])

    @property
    def given_targets(self) -> NDArray[Any]:
        """Of the rows `given`."""
        return self.targets[self.numbers]

    @property
    def given_weight(self) -> NDArray[np.float64] | None:
        """Of the rows `given`."""
        return part(self.weight, self.numbers)

    def training(self, fold: int) -> NDArray[np.intp]:
        """Rows that the model without a fold is trained on; ALL: the model without none."""
        trains = np.ones(len(self.fold), bool) if fold == ALL else self.fold != fold
        trains[self.certifying] = False
        return np.flatnonzero(trains)

    def judged_by(self, fold: int) -> NDArray[np.intp]:
        """Which of the rows `given` the model without a fold judges; ALL: those that certify."""
        if fold == ALL:
            return np.arange(len(self.judging), len(self.judging) + len(self.certifying))
        return np.flatnonzero(self.fold[self.judging] == fold)

    def some_given(self, rows: NDArray[np.intp]) -> Any:
        """Some of the rows `given`."""
        return _safe_indexing(self.given, rows)

    def fitted(self, model: Any, fold: int) -> Any:
        """A model, trained on the rows of a fold's model."""
        rows = self.training(fold)
        weight = part(self.weight, rows)
        given = {} if weight is None else {"sample_weight": weight}
        return model.fit(_safe_indexing(self.X, rows), self.targets[rows], **given)

    def split(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Some of the rows that judge, for learning and for choosing, at random."""
        shuffled = np.random.RandomState(self.seed).permutation(len(self.judging))
        learns = np.zeros(len(self.judging), bool)
        learns[shuffled[: round(LEARNING * len(shuffled))]] = True
        return rows[learns[rows]], rows[~learns[rows]]


def folds_of(
    strata: NDArray[Any], certifying: NDArray[np.intp], random: np.random.RandomState
) -> NDArray[np.intp]:
    """The fold of each row, (n,); ALL where it has none."""
    fold = np.full(len(strata), ALL, np.intp)
    others = np.setdiff1d(np.arange(len(strata)), certifying)
    shuffled = random.permutation(others)
    for stratum in np.unique(strata[others]):
        rows = shuffled[strata[shuffled] == stratum]
        if len(rows) >= FOLDS:  # else a model would lack the class
            fold[rows] = random.permutation(np.arange(len(rows)) % FOLDS)
    return fold
