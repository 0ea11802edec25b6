"""The model that a user passes on to something else that serves it."""

from __future__ import annotations

from typing import Any

from mddag._internal.checks import described
from mddag.serving.predictor import Predictor


def given_predictor(
    model: Any, wanted: str = "a fitted estimator of mddag or a Predictor"
) -> Predictor:
    """The Predictor of a fitted estimator, or the one that was given; anything else is refused."""
    fitted = hasattr(model, "predictor") and not isinstance(model, type)
    predictor = model.predictor() if fitted else model
    if not isinstance(predictor, Predictor):
        raise TypeError(
            f"model is {described(model)}; wanted {wanted}: mddag.sparsify makes an estimator of "
            "other models"
        )
    return predictor
