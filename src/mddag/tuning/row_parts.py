"""Row parts: the rows given to ``sparsify``, split into those that learn, choose and certify.

Policies are learned on the first part, and the second chooses among them. Where a guarantee is
wanted, the third part does nothing but test it: it has no influence on any policy before. Votes and
full scores are computed here, once for all parts; nothing after this reads X.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from mddag._utils.arrays import mass, part
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.policy.calibration import fit_factor, probabilities

Shares = tuple[float, float, float]
SHARES = (0.6, 0.4, 0.0)  # learning, choosing
CERTIFIED_SHARES = (0.4, 0.1, 0.5)  # the same, and rows that only certify


@dataclass(frozen=True, eq=False)
class RowParts:
    """Rows in their parts.

    votes    : of the base classifiers on all rows
    scores   : float64 (n, K), those of the full ensemble
    full     : (n,), what the full ensemble predicts
    truth    : (n,), y; what the full ensemble predicts where y was not given
    labelled : whether y was given
    learning, choosing, certifying : intp, the parts
    weight   : (n,), weight of the rows, above 0; None where all are alike
    """

    ensemble: Ensemble
    votes: Votes
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
        n_jobs: int = 1,
        shares: Shares | None = None,
    ) -> RowParts:
        """The rows of X, checked and split at random.

        shares : of the three parts; SHARES or CERTIFIED_SHARES by default
        """
        rows = ensemble.features.rows(X)
        task, truth = ensemble.task, None
        if y is not None:
            truth = task.checked_targets(y)
            check_consistent_length(rows, truth)
            task.coded(truth)  # refuses labels that are not among the classes
        if shares is None:
            shares = CERTIFIED_SHARES if certified else SHARES
        learning, choosing, certifying = _split(len(rows), shares, random)
        votes = ensemble.votes(rows, n_jobs=n_jobs)
        scores = votes.scores()
        full = task.predictions(scores)
        truth = full if truth is None else truth
        known = ensemble, votes, scores, full, truth, y is not None
        return cls(*known, learning, choosing, certifying, weight)

    @property
    def seen(self) -> NDArray[np.intp]:
        """The rows for learning and choosing."""
        return np.sort(np.concatenate([self.learning, self.choosing]))

    def soft_targets(self, price: float = 0.0) -> NDArray[np.float64]:
        """The full ensemble's probabilities (n, n_classes), calibrated on the rows seen.

        As soft targets they price a changed label by the accuracy that it is expected to cost, with
        less noise than the true labels, and never reward it. Where something is to be proved each
        change has a `price` of its own, from 0 to 1, by which targets move towards the label.
        """
        codes = self.ensemble.task.coded(self.truth[self.seen])
        weight = part(self.weight, self.seen)
        factor = fit_factor(self.scores[self.seen], codes, None if weight is None else mass(weight))
        targets = (1 - price) * probabilities(self.scores, factor)
        targets[np.arange(len(targets)), self.ensemble.task.coded(self.full)] += price
        return targets


def _split(n: int, shares: Shares, random: np.random.RandomState) -> list[NDArray[np.intp]]:
    """Rows for learning, choosing and certifying, each part sorted."""
    fewest = 3 if shares[-1] else 2
    if n < fewest:
        raise ValueError(
            f"X has {n} row(s), too few to learn from some and choose by others; give "
            f"at least {fewest}"
        )
    learning, judged = np.round(np.cumsum(shares)[:-1] * n).astype(int)
    ends = min(learning, judged - 1), judged  # of few rows one chooses
    return [np.sort(rows) for rows in np.split(random.permutation(n), ends)]
