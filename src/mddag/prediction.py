"""Prediction: what our classifiers make of their raw scores f.

The winning class, calibrated probabilities and log-odds agree with each other: calibration is a
positive factor, so it never changes the winner.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mddag.calibration import probabilities
from mddag.door import checked_rows
from mddag.ensemble import Ensemble
from mddag.features import Rows


class ScoringClassifier:
    """For estimators with ``scores(X)``, ``ensemble_`` and ``calibration_factor_``."""

    ensemble_: Ensemble
    calibration_factor_: float

    def scores(self, X: Any) -> NDArray[np.float64]:
        """The raw scores f, float64 (n, K); K = 1 for two classes."""
        raise TypeError(f"{type(self).__name__} must say how it scores")

    def predict(self, X: Any) -> NDArray[Any]:
        """The winning class of each row, (n,); a tie goes to the first class."""
        scores = self.scores(X)
        return self.ensemble_.labels(scores)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, float64 (n, n_classes)."""
        scores = self.scores(X)
        return probabilities(scores, self.calibration_factor_)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Calibrated log-odds: (n,) for two classes, (n, n_classes) up to a constant per row."""
        scores = self.scores(X)
        calibrated = scores * self.calibration_factor_
        return calibrated.ravel() if calibrated.shape[1] == 1 else calibrated

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        return tags

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return checked_rows(self, X, self.ensemble_.features)
