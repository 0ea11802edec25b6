"""scikit-learn AdaBoostClassifier (SAMME) over decision trees of any depth.

h_j votes w_j for the class its tree predicts and -w_j / (K - 1) for the others, divided by the sum
of all w; for two classes f = f_1 - f_0 of these, which is ±2 w_j / sum(w).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import _build, _sklearn
from mddag.adapters.adapter import as_columns, lineage, refuse_unfitted
from mddag.ensemble.ensemble import Ensemble


class AdaBoost:
    library = "sklearn"
    models = "scikit-learn AdaBoostClassifier over decision trees"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "sklearn.AdaBoostClassifier" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "estimators_")
        _refuse_other_learners(model)
        weights = (
            model.estimator_weights_[: len(model.estimators_)] / model.estimator_weights_.sum()
        )
        votes = [
            weight * _votes(tree, model.classes_)
            for tree, weight in zip(model.estimators_, weights, strict=True)
        ]
        return _build.build(
            _sklearn.read_trees([tree.tree_ for tree in model.estimators_], votes),
            features=_sklearn.features_of(model, model.predict),
            bias=np.zeros(len(model.classes_)),
            kind="classifier",
            classes=model.classes_,
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        return as_columns(model.decision_function(X))


def _votes(tree: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """+1 for the class that each node predicts, -1 / (K - 1) for the others, (n_nodes, K)."""
    predicted = tree.classes_[tree.tree_.value[:, 0].argmax(axis=1)]
    return np.where(predicted[:, None] == classes, 1.0, -1.0 / (len(classes) - 1))


def _refuse_other_learners(model: Any) -> None:
    for j, learner in enumerate(model.estimators_):
        if "sklearn.DecisionTreeClassifier" not in lineage(learner):
            raise ValueError(
                f"this AdaBoostClassifier boosts {type(learner).__name__} (estimator {j}), which "
                "is not a decision tree; pass its votes to Ensemble.from_callables"
            )
