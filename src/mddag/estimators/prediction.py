"""Prediction: what our classifiers make of their raw scores f.

The winning class, calibrated probabilities and log-odds agree with each other: calibration is a
positive factor for each exit, so it never changes the winner.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mddag.calibration.calibration import Calibration
from mddag.ensemble.ensemble import Ensemble
from mddag.features.checks import checked_rows
from mddag.features.features import Encoded, Rows


class Scoring:
    """For estimators with ``scores(X)``, ``ensemble_`` and ``calibration_``."""

    ensemble_: Ensemble
    calibration_: Calibration

    def scores(self, X: Any) -> NDArray[np.float64]:
        """The raw scores f, float64 (n, K); K = 1 for two classes."""
        raise TypeError(f"{type(self).__name__} must say how it scores")

    def _exits(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """The raw scores (n, K) and the step at which each row left, (n,): here the last."""
        scores = self.scores(X)
        return scores, np.full(len(scores), self.ensemble_.n_classifiers, np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        return tags

    def encode(self, X: Any) -> Encoded:
        """X as every method here reads it, float (n, d): encode a frame once, use it often."""
        return Encoded.of(self._rows(X))

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        return checked_rows(self, X, self.ensemble_.features)


class ScoringClassifier(Scoring):
    """Labels, probabilities and log-odds of scores."""

    def predict(self, X: Any) -> NDArray[Any]:
        """The winning class of each row, (n,); a tie goes to the first class."""
        scores = self.scores(X)
        return self.ensemble_.labels(scores)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, float64 (n, n_classes)."""
        scores, exit_step = self._exits(X)
        return self.calibration_.probabilities(scores, exit_step)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Calibrated log-odds: (n,) for two classes, (n, n_classes) up to a constant per row."""
        scores, exit_step = self._exits(X)
        if scores.shape[1] == 2:  # two classes with a score each
            scores = scores[:, 1:] - scores[:, :1]
        calibrated = self.calibration_.calibrated(scores, exit_step)
        return calibrated.ravel() if calibrated.shape[1] == 1 else calibrated


class ScoringRegressor(Scoring):
    """Means of scores."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The expected target of each row, float64 (n,)."""
        scores, exit_step = self._exits(X)
        return self.ensemble_.means(self.calibration_.calibrated(scores, exit_step))
