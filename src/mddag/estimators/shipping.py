"""Shipping: how a fitted estimator leaves Python, as a model file or as a C header."""

from __future__ import annotations

import os
from abc import abstractmethod

from mddag.serving.export import export_c
from mddag.serving.predictor import Predictor


class Shipping:
    """``save`` and ``export_c`` of what has a Predictor."""

    @abstractmethod
    def predictor(self) -> Predictor:
        """The fitted model without scikit-learn; its predictions are the same."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that ``mddag.load`` reads, without pickle."""
        self.predictor().save(path)

    def export_c(
        self,
        path: str | os.PathLike[str],
        *,
        name: str = "model",
        integer_thresholds: bool = False,
    ) -> None:
        """Write the fitted model as one C99 header; see ``mddag.export_c``."""
        export_c(self.predictor(), path, name=name, integer_thresholds=integer_thresholds)
