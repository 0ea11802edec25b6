"""Evidence: the rows given to ``sparsify``, what is true of them, and who may look at which.

Three parts: rows that teach policies, rows that choose among them, and, where something is to be
promised, rows that only certify. The last are seen by nobody before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from mddag._internal.weights import mass, part
from mddag.calibration.calibration import probabilities
from mddag.calibration.platt import fit_factor
from mddag.ensemble.ensemble import Ensemble
from mddag.features.rows import Rows

SHARES = (0.6, 0.4, 0.0)  # learning, choosing
CERTIFIED_SHARES = (0.4, 0.1, 0.5)  # the same, and rows that only certify


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows in their parts.

    rows    : X as numbers
    scores  : float64 (n, K), those of the full ensemble
    full    : (n,), what the full ensemble predicts
    truth   : (n,), y; what the full ensemble predicts where y was not given
    labelled : whether y was given
    learning, choosing, certifying : intp, the parts
    weight  : (n,), what rows count for, above 0; None where all count alike
    """

    ensemble: Ensemble
    rows: Rows
    scores: NDArray[np.float64]
    full: NDArray[Any]
    truth: NDArray[Any]
    labelled: bool
    learning: NDArray[np.intp]
    choosing: NDArray[np.intp]
    certifying: NDArray[np.intp]
    weight: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.full)

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        X: Any,
        y: Any,
        *,
        certified: bool,
        random: np.random.RandomState,
        weight: NDArray[np.float64] | None = None,
    ) -> Evidence:
        """The rows of X, checked and parted at random."""
        rows = ensemble.features.rows(X)
        scores = ensemble.scores(rows)
        full = ensemble.task.predictions(scores)
        truth = full
        if y is not None:
            truth = ensemble.task.checked_targets(y)
            check_consistent_length(rows, truth)
            ensemble.task.coded(truth)  # refuses labels that are not among the classes
        fewest = 3 if certified else 2
        if len(rows) < fewest:
            raise ValueError(
                f"X has {len(rows)} row(s), too few to learn from some and choose by others; give "
                f"at least {fewest}"
            )
        shares = CERTIFIED_SHARES if certified else SHARES
        taught, judged = np.round(np.cumsum(shares)[:-1] * len(rows)).astype(int)
        ends = min(taught, judged - 1), judged  # of few rows one chooses
        parts = np.split(random.permutation(len(rows)), ends)
        learning, choosing, certifying = (np.sort(rows_of) for rows_of in parts)
        known = ensemble, rows, scores, full, truth, y is not None
        return cls(*known, learning, choosing, certifying, weight)

    @property
    def seen(self) -> NDArray[np.intp]:
        """The rows that taught and chose."""
        return np.sort(np.concatenate([self.learning, self.choosing]))

    def opinion(self, price: float = 0.0) -> NDArray[np.float64]:
        """The full ensemble's probabilities (n, n_classes), calibrated on the rows seen.

        As soft targets they price a changed label by the accuracy that it is expected to cost, with
        less noise than the true labels, and never reward it. Where something is to be proved each
        change has a `price` of its own, from 0 to 1, by which targets move towards the label.
        """
        codes = self.ensemble.task.coded(self.truth[self.seen])
        weight = part(self.weight, self.seen)
        factor = fit_factor(self.scores[self.seen], codes, None if weight is None else mass(weight))
        said = (1 - price) * probabilities(self.scores, factor)
        said[np.arange(len(said)), self.ensemble.task.coded(self.full)] += price
        return said
