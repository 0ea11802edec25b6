"""Pricing: what rows pay for features, by a fitted estimator."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import Dag
from mddag.features.prices import FeaturePrices
from mddag.serving.predictor import Predictor


class Pricing:
    """``with_prices``, ``feature_cost`` and ``groups_bought`` of what has a Predictor.

    Features are those that the ensemble reads; behind a Pipeline, those that its steps make.
    """

    dag_: Dag
    _predictor: Predictor

    @abstractmethod
    def untransformed(self) -> Predictor:
        """The Predictor of rows as the ensemble reads them."""

    @abstractmethod
    def _rows(self, X: Any) -> Any:
        """X as the ensemble reads it, checked."""

    def with_prices(
        self,
        feature_costs: Any = None,
        feature_groups: Any = None,
        wave_cost: float = 0.0,
    ) -> Self:
        """A copy of the fitted estimator whose features have prices; predictions are the same.

        feature_costs  : an array (d,), or a dict by feature or group; None is 1 for each group
        feature_groups : {name: [features]} of what comes together; by default each by itself
        wave_cost      : the price of a round trip
        """
        priced = self.untransformed().with_prices(feature_costs, feature_groups, wave_cost)
        other = copy(self)
        other._predictor, other.dag_ = priced, priced.model.dag
        return other

    @property
    def feature_prices(self) -> FeaturePrices | None:
        """The groups of features and their prices; None where there are none."""
        return self.untransformed().feature_prices

    def feature_cost(self, X: Any) -> NDArray[np.float64]:
        """What the features cost that each row of X needs, (n,)."""
        return self.untransformed().feature_cost(self._rows(X))

    def groups_bought(self, X: Any) -> NDArray[np.bool_]:
        """The groups of features that each row of X needs, (n, G), in the order of
        ``feature_prices.names``."""
        return self.untransformed().groups_bought(self._rows(X))
