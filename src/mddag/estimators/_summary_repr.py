"""``repr`` of an estimator of ``sparsify`` or ``acquire``: its summary."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator


class SummaryRepr:
    """``repr`` of an estimator: the summary of its making, else scikit-learn's.

    Inside of pipelines and searches scikit-learn prints an estimator only if its class has the
    ``__repr__`` of BaseEstimator, so the class keeps that one.
    """

    def __get__(self, estimator: Any, owner: type) -> Callable[..., str]:
        plain: Callable[..., str] = BaseEstimator.__repr__
        if estimator is None:
            return plain
        known = vars(estimator)
        summary = known.get("summary_", known.get("acquisition_"))
        return partial(plain, estimator) if summary is None else partial(str, summary)
