"""Inspecting: how a fitted estimator is looked into: one row explained, all of it in one page."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from mddag.features.rows import Patches, Rows
from mddag.inspection.explanation import Explanation, explain
from mddag.serving.predictor import Predictor


class Inspecting:
    """``explain`` of what has a Predictor."""

    transformer_: Any = None

    @abstractmethod
    def untransformed(self) -> Predictor:
        """The Predictor of rows as the ensemble reads them."""

    @abstractmethod
    def _rows(self, X: Any) -> Rows | Patches:
        """X, checked, as the ensemble reads it."""

    def explain(self, x: Any) -> Explanation:
        """What the model does with one row, and why.

        Which rules were evaluated and what each added, what was skipped, why it stopped, and what
        would change the prediction. ``print`` shows it as text; ``to_dict()`` and ``plot()`` give a
        dict and a picture. x is as for ``predict_one``; behind the steps of a Pipeline it is a
        frame or an array (1, n_features), and the features are those that the ensemble reads.
        """
        fitted = self.untransformed()
        if self.transformer_ is None:
            found: Explanation = fitted.explain(x)
            return found
        rows = self._rows(x)
        if len(rows) != 1:
            raise ValueError(f"x has {len(rows)} rows; wanted one row, (1, n_features)")
        ready = fitted.model.dag.ensemble.features.rows(rows)
        return explain(fitted.model.dag, fitted.model.calibration, ready)
