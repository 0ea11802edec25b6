"""Buying: what rows pay for features, of an estimator whose features have prices."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.dag.trace import Trace


class Buying:
    """``feature_cost`` and ``groups_bought`` of what has a trace."""

    @abstractmethod
    def trace(self, X: Any) -> Trace:
        """Raw scores and classification paths of every row."""

    def feature_cost(self, X: Any) -> NDArray[np.float64]:
        """What each row pays for features, waves included, (n,)."""
        cost = self.trace(X).feature_cost
        return _priced(cost)

    def groups_bought(self, X: Any) -> NDArray[np.bool_]:
        """The groups of features that each row buys, bool (n, G), those that are free included;
        their names are in ``dag_.purchases.prices``."""
        groups = self.trace(X).groups
        return _priced(groups)


def _priced(found: NDArray[Any] | None) -> NDArray[Any]:
    if found is None:
        raise ValueError(
            "the features of this model have no prices; wanted one that mddag.acquire made, with "
            "feature_costs"
        )
    return found
