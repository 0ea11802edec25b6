"""scikit-learn RandomForest and ExtraTrees: h_j is one tree, f the mean over trees.

Classifiers average probabilities: f_k = p_k for K > 2, f = p_1 - p_0 for two classes. Every tree's
mean vote goes into the bias, so that an instance that skips trees keeps the prior.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import _build, _sklearn
from mddag.adapters.adapter import as_columns, lineage, refuse_multi_output, refuse_unfitted
from mddag.ensemble.ensemble import Ensemble

_KNOWN = {
    f"sklearn.{family}{kind}"
    for family in ("RandomForest", "ExtraTrees")
    for kind in ("Classifier", "Regressor")
}


class Forest:
    library = "sklearn"
    models = "scikit-learn RandomForest and ExtraTrees classifiers and regressors"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return not lineage(model).isdisjoint(_KNOWN)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "estimators_")
        refuse_multi_output(model, model.n_outputs_)
        trees = [tree.tree_ for tree in model.estimators_]
        flat = _sklearn.read_trees(trees, [tree.value[:, 0] for tree in trees])
        n_scores = flat.votes.shape[1]
        score = np.full(len(trees), -1 if n_scores > 1 else 0, np.int32)
        flat, bias = _build.averaged(flat, score, n_scores, len(trees))
        classes = getattr(model, "classes_", None)
        return _build.build(
            flat,
            features=_sklearn.features_of(model, model.predict),
            bias=bias,
            score=score,
            kind="regressor" if classes is None else "classifier",
            classes=classes,
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        if hasattr(model, "predict_proba"):
            return as_columns(model.predict_proba(X))
        return as_columns(model.predict(X))
