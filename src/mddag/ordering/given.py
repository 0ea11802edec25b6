"""Given: the order in which the base classifiers came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.parameters import Parameters
from mddag.ensemble.votes import Votes, check_votes


@dataclass
class Given(Parameters):
    """The sequence as it is: AdaBoost's, or one that was sorted before."""

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """See `Ordering`."""
        check_votes(votes)
        return np.arange(votes.tables.n_classifiers)
