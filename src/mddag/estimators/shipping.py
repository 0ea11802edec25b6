"""Shipping: how a fitted estimator leaves Python, as a model file or as code of other languages."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any

from mddag.serving.export import Exported
from mddag.serving.predictor import Predictor


class Shipping:
    """``save`` and ``export`` of what has a Predictor."""

    @abstractmethod
    def predictor(self) -> Predictor:
        """The fitted model without scikit-learn; its predictions are the same."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that ``mddag.load`` reads, without pickle."""
        self.predictor().save(path)

    def export(
        self,
        path: str | os.PathLike[str],
        language: str = "c",
        *,
        name: str | None = None,
        integer_thresholds: bool = False,
    ) -> Exported:
        """Write the fitted model as source code of another language; see ``mddag.export``."""
        options: dict[str, Any] = {"name": name, "integer_thresholds": integer_thresholds}
        return self.predictor().export(path, language, **options)
