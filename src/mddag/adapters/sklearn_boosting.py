"""scikit-learn GradientBoosting: h_j is one stage, f^(0) the constant that boosting starts from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import _build, _sklearn
from mddag.adapters._probe import source_rows
from mddag.adapters.adapter import as_columns, lineage, refuse_unfitted
from mddag.ensemble.ensemble import Ensemble


class GradientBoosting:
    library = "sklearn"
    models = "scikit-learn GradientBoostingClassifier and GradientBoostingRegressor"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "sklearn.BaseGradientBoosting" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "estimators_")
        _refuse_init(model)
        n_rounds, n_scores = model.estimators_.shape
        trees = [tree.tree_ for tree in model.estimators_.ravel()]
        flat = _sklearn.read_trees(trees, [t.value[:, 0] * model.learning_rate for t in trees])
        classes = getattr(model, "classes_", None)
        votes_alone = _build.build(
            flat,
            features=_sklearn.features_of(model, model.predict),
            bias=np.zeros(n_scores),
            score=np.tile(np.arange(n_scores, dtype=np.int32), n_rounds),
            rounds=np.arange(n_rounds + 1) * n_scores,
            kind="regressor" if classes is None else "classifier",
            classes=classes,
        )
        origin = source_rows(votes_alone.features, np.zeros((1, votes_alone.n_features)))
        start = self.raw_scores(model, origin) - votes_alone.scores(origin)
        return replace(votes_alone, tables=replace(votes_alone.tables, bias=start[0]))

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        if hasattr(model, "decision_function"):
            return as_columns(model.decision_function(X))
        return as_columns(model.predict(X))


def _refuse_init(model: Any) -> None:
    constant = {"sklearn.DummyClassifier", "sklearn.DummyRegressor"}
    if model.init_ != "zero" and lineage(model.init_).isdisjoint(constant):
        raise ValueError(
            f"this {type(model).__name__} starts from init={model.init_!r}, whose score depends on "
            "x; mddag needs a constant start: train with init=None or init='zero'"
        )
