"""LazyResult: predictions, and what was fetched for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Name = str | int


@dataclass(frozen=True)
class Fault:
    """A fetch that failed.

    group : its name
    rows  : the rows that wanted it, and quit without it
    error : what went wrong
    """

    group: Name
    rows: NDArray[np.int64]
    error: Exception

    def __str__(self) -> str:
        return f"group {self.group!r}, {len(self.rows)} rows: {type(self.error).__name__}: " + str(
            self.error
        )


@dataclass(frozen=True, eq=False)
class LazyResult:
    """Predictions of n rows, with the price paid for them.

    predictions   : (n,), as ``predict`` gives them
    probabilities : float64 (n, n_classes), as ``predict_proba``; None where the model has none
    scores        : float64 (n, K), raw
    exit_step     : int32 (n,), as ``Trace.exit_step``
    failed        : bool (n,), rows that quit early because a fetch failed; their predictions are
                    made from what they had
    names         : of the G groups
    groups        : bool (n, G), the groups that each row got
    feature_cost  : float64 (n,), their prices, and those of the waves
    waves         : int64 (n,), how many times a row waited for groups that are not free
    n_calls       : calls of the fetch
    n_rounds      : times that all rows together waited
    faults        : the fetches that failed
    """

    predictions: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    scores: NDArray[np.float64]
    exit_step: NDArray[np.int32]
    failed: NDArray[np.bool_]
    names: tuple[Name, ...]
    groups: NDArray[np.bool_]
    feature_cost: NDArray[np.float64]
    waves: NDArray[np.int64]
    n_calls: int
    n_rounds: int
    faults: tuple[Fault, ...] = ()

    def __len__(self) -> int:
        return len(self.failed)

    def __repr__(self) -> str:
        failed = f", {self.failed.sum()} failed" if self.failed.any() else ""
        return (
            f"<LazyResult of {len(self)} rows{failed}: {self.groups.sum(axis=1).mean():.1f} of "
            f"{len(self.names)} groups each on average, {self.n_calls} calls>"
        )
