"""Serving: how fitted estimators leave scikit-learn: a Predictor, a file, a C header."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from mddag.calibration import Calibration
from mddag.export import export_c
from mddag.mdp import Evaluation
from mddag.model_file import Model
from mddag.predictor import Predictor


class Served:
    """For estimators with ``dag_``, ``calibration_``, both evaluations and ``beta``."""

    dag_: Any
    calibration_: Calibration
    evaluation_: Evaluation
    full_evaluation_: Evaluation
    beta: float
    n_threads: int

    def predictor(self) -> Predictor:
        """The fitted model without scikit-learn; its predictions are the same."""
        check_is_fitted(self)
        transformer = getattr(self, "transformer_", None)
        if transformer is not None:
            raise ValueError(
                f"the model reads rows after {transformer}, which only scikit-learn can run; "
                "pickle the estimator, or save the sparse model of the last step instead: "
                "sparsify(pipeline[-1], pipeline[:-1].transform(X), y, …)"
            )
        model = Model(
            self.dag_, self.calibration_, self.beta, self.evaluation_, self.full_evaluation_
        )
        return Predictor(model, n_threads=self.n_threads)

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
