"""Place: where this model stands in the picture of a sweep.

A sweep learns policies of its own, at its own prices, on its own rows; a point of its curve is
not this model, even where the price is the same. So with rows and targets the model is measured,
by the loss of the curve. Without them all that is known is the point with the price of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.report.facts import Facts
from mddag.losses import ZeroOne
from mddag.mdp.curve import Curve


@dataclass(frozen=True)
class Place:
    """Evaluations and loss of this model on the rows of the report.

    full_loss : of the full model on the same rows; None where it is not at hand
    """

    n_evaluated: float
    loss: float
    full_loss: float | None


def place_of(curve: Curve, facts: Facts) -> Place | None:
    """None where there are no rows or no targets, and for rankers and losses of probabilities:
    what those are in a sweep, scores of single rows do not say."""
    if facts.rows is None or facts.targets is None:
        return None
    if facts.ensemble.kind == "ranker" or curve.loss.of_probabilities:
        return None
    own = _loss(curve, facts, facts.trace.scores, facts.predicted)
    full = None
    if facts.source is not None:
        scores = facts.source.scores(facts.columns, n_threads=facts.n_threads)
        full = _loss(curve, facts, scores, facts.full_predicted)
    return Place(float(facts.trace.n_evaluated.mean()), own, full)


def _loss(
    curve: Curve, facts: Facts, scores: NDArray[np.float64], predicted: NDArray[Any] | None
) -> float:
    """The mean loss of rows with these final scores and labels."""
    if facts.codes is None:
        return float(np.mean(curve.loss(scores, np.asarray(facts.targets, np.float64))))
    if counts_errors(curve):  # by labels: a policy may give others than the scores say
        return float(np.mean(predicted != facts.codes))
    return float(np.mean(curve.loss(scores, facts.codes)))


def counts_errors(curve: Curve) -> bool:
    """Whether the loss is the share of wrong labels."""
    return isinstance(curve.loss, ZeroOne) and curve.loss.weights is None


def at_price(curve: Curve, beta: float | None) -> int | None:
    """The point of the curve with this price; None where it was not swept."""
    if beta is None:
        return None
    nearest = int(abs(curve.beta - beta).argmin())
    return nearest if abs(curve.beta[nearest] - beta) <= 1e-9 * beta else None
