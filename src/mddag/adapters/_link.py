"""The link of a regressor: what it does to its scores before it predicts.

Nothing, or exp (Poisson, gamma, tweedie). It is found from the model's own predictions of the probe
batch, so there is no list of objectives to be out of date. Any other link is "unknown".
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mddag.adapters._probe import probe_rows, source_rows
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks.task import Link

TOLERANCE = 1e-3  # float32 sums of many trees, and exp of them; links differ by far more


def link_of(model: Any, ensemble: Ensemble) -> Link:
    """Which of the links makes the model's predictions of its scores."""
    rows = probe_rows(ensemble)
    scores = ensemble.scores(rows)[:, 0]
    given = source_rows(ensemble.features, rows)
    with warnings.catch_warnings():  # the user did not make these predictions
        warnings.simplefilter("ignore")
        if hasattr(model, "inplace_predict"):  # XGBoost's Booster takes plain rows nowhere else
            predicted = np.ravel(model.inplace_predict(given))
        else:
            predicted = np.ravel(model.predict(given))
    with np.errstate(over="ignore"):
        links: dict[Link, Any] = {"identity": scores, "exp": np.exp(scores)}
    for link, means in links.items():
        if np.allclose(predicted, means, rtol=TOLERANCE, atol=TOLERANCE * np.ptp(scores)):
            return link
    return "unknown"
