"""Serving: how fitted estimators leave scikit-learn: a Predictor, a file, a C header."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mddag.calibration.calibration import Calibration
from mddag.mdp.mdp import Evaluation
from mddag.serving.export import export_c
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor


class Served:
    """For estimators with ``dag_``, ``calibration_``, ``beta``, and what was measured."""

    dag_: Any
    calibration_: Calibration
    evaluation_: Evaluation
    full_evaluation_: Evaluation
    measured_against_: str
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
        return self.untransformed()

    def untransformed(self) -> Predictor:
        """The Predictor of rows as the ensemble reads them."""
        model = Model(
            self.dag_,
            self.calibration_,
            self.beta,
            self.evaluation_,
            self.full_evaluation_,
            self.measured_against_,
            getattr(self, "summary_", None),
        )
        return Predictor(model, n_threads=self.n_threads)

    def predict_one(self, x: Any) -> Any:
        """The winning class, or the expected mean, of one row; see ``Predictor.predict_one``."""
        return self._kept_predictor().predict_one(x)

    def predict_proba_one(self, x: Any) -> NDArray[np.float64]:
        """The class probabilities of one row, float64 (n_classes,); x as for predict_one."""
        return self._kept_predictor().predict_proba_one(x)

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

    def _kept_predictor(self) -> Predictor:
        """The Predictor of the last fit, made when it is first asked for."""
        transformer = getattr(self, "transformer_", None)
        if transformer is not None:
            raise ValueError(
                f"the model reads rows after {transformer}, which transform rows together; use "
                "predict or predict_proba of a frame or an array with this one row"
            )
        kept: Predictor | None = self.__dict__.get("_predictor")
        fitted = self.__dict__.get("dag_"), self.__dict__.get("calibration_")
        if kept is None or (kept.model.dag, kept.model.calibration) != fitted:
            kept = self._predictor = self.predictor()
        return kept
