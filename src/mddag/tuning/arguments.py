"""Arguments of ``sparsify``, checked: the knob, its confidence, and whether the model supports it.

The knob is the one number that is given of beta, budget, max_loss and max_disagreement; the last
two are bounds on what is lost against the full ensemble.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import NDArray

from mddag._internal.weights import are_equal
from mddag.ensemble.ensemble import Ensemble
from mddag.mdp.arguments import checked_beta
from mddag.tuning.excess_loss import Measure

BOUNDS = ("max_loss", "max_disagreement")


def one_knob(**knobs: float | None) -> tuple[str, float]:
    """The name and the number of the one knob that is given."""
    given = {name: value for name, value in knobs.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value}" for name, value in given.items()) or "none"
        raise ValueError(f"got {got}; wanted exactly one of {', '.join(knobs)}")
    ((name, value),) = given.items()
    if name == "beta":
        return name, checked_beta(value)
    largest = 1.0 if name in BOUNDS else np.inf
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < value < largest:
        raise ValueError(f"{name} is {value!r}; wanted a number above 0 and below {largest:g}")
    return name, float(value)


def check_confidence(confidence: float | None) -> None:
    """Refuse what is no probability of at least a half, nor None."""
    if confidence is not None and not (isinstance(confidence, Real) and 0.5 <= confidence < 1):
        raise ValueError(
            f"confidence is {confidence!r}; wanted a number from 0.5 to below 1, or None for the "
            "point estimate"
        )


def check_provable(knob: str, confidence: float, weight: NDArray[np.float64] | None) -> None:
    """Refuse to prove a mean over rows that count differently."""
    if not are_equal(weight):
        raise ValueError(
            f"sample_weight differs from row to row, but what proves {knob} with confidence "
            f"{confidence} counts rows, each as one; give confidence=None for the point estimate "
            "by weight, or leave sample_weight out"
        )


def supported(ensemble: Ensemble, knob: str) -> Ensemble:
    """The ensemble, if the knob can be given to its estimator."""
    if not ensemble.task.predicts_classes and knob == "max_disagreement":
        quality = ensemble.task.quality.name
        raise ValueError(
            f"a {ensemble.kind} has no labels to disagree on; give max_loss, in units of {quality}"
        )
    ensemble.require_link()
    return ensemble


def measure_of(ensemble: Ensemble, knob: str) -> Measure:
    """The measure of excess loss that the knob is about."""
    if not ensemble.task.predicts_classes:
        return "mean"
    return "share" if knob == "max_disagreement" else "difference"
