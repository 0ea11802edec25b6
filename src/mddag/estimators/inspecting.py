"""Inspecting: how a fitted estimator is looked into: one row explained, all of it in one page."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any

import numpy as np

from mddag.ensemble.ensemble import Ensemble
from mddag.features.rows import Patches, Rows
from mddag.inspection.explanation import Explanation, explain
from mddag.inspection.report import Facts, write_report
from mddag.serving.predictor import Predictor


class Inspecting:
    """``explain`` and ``report`` of what has a Predictor."""

    transformer_: Any = None
    ensemble_: Ensemble
    n_threads: int

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

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        qid: Any = None,
        curve: Any = None,
    ) -> None:
        """Write one HTML file that shows the model: what it does, how, and on which rows.

        path  : of the file, which needs nothing else to be opened, no network either
        X, y  : rows to show the model on, best those that it has not seen, and their targets;
                without X only what is known of the model itself is shown, without y no errors
        qid   : the query of each row, for rankers
        curve : a Curve of ``mddag.sweep``, to show the trade-off and the model's place on it
        """
        fitted = self.untransformed().model
        more: dict[str, Any] = {
            "title": f"{type(self).__name__} of {len(self.ensemble_)} base classifiers",
            "source": self.ensemble_,
            "rows": None if X is None else self._rows(X),
            "targets": None if y is None else np.asarray(y),
        }
        summary, rates = (getattr(self, name, None) for name in ("summary_", "realised_rates_"))
        if summary is not None:
            more["lines"] = summary.lines()
        if rates is not None:
            more["rates"] = rates
        given = {"qid": qid, "curve": curve, "n_threads": self.n_threads}
        write_report(path, Facts.of_model(fitted, **more, **given))
