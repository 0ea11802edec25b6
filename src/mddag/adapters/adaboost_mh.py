"""Our own AdaBoostMHClassifier: it holds its Ensemble already."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters.adapter import lineage, refuse_unfitted
from mddag.ensemble.ensemble import Ensemble


class AdaBoostMH:
    library = "mddag"
    models = "mddag AdaBoostMHClassifier"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "mddag.AdaBoostMHClassifier" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "ensemble_")
        ensemble: Ensemble = model.ensemble_
        return ensemble

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = model.ensemble_.scores(X)
        return scores
