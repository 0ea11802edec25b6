"""Callbacks: scikit-learn's callback protocol where there is one (1.9 and later).

In older versions the mixin is empty and the decorator changes nothing, so that an estimator uses
both in every version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method itself."""
        return method


__all__ = ["CallbackSupportMixin", "Tasks", "with_callbacks"]

Fitted = Callable[[], dict[str, Any]]


class Tasks:
    """Reports the fit and each of its rounds to the callbacks of an estimator, if it has any."""

    def __init__(self, estimator: Any, n_rounds: int, X: Any, y: Any, sample_weight: Any) -> None:
        self._fit: Any = None
        self._round: Any = None
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._given = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        if hasattr(estimator, "_init_callback_context"):
            context = estimator._init_callback_context(max_subtasks=n_rounds)
            self._fit = context if getattr(estimator, "_skl_callbacks", None) else None
        if self._fit is not None:
            self._fit.call_on_fit_task_begin(**self._given)

    def begin_round(self) -> None:
        """The next round begins."""
        if self._fit is not None:
            self._round = self._fit.subcontext(task_name="round")
            self._round.call_on_fit_task_begin(**self._given)

    def end_round(self, fitted: Fitted) -> bool:
        """The round is over, `fitted` makes the fitted attributes; whether a callback stops it."""
        return self._fit is not None and self._end(self._round, fitted)

    def end(self, fitted: Fitted) -> None:
        """The fit is over."""
        if self._fit is not None:
            self._end(self._fit, fitted)

    def _end(self, task: Any, fitted: Fitted) -> bool:
        return bool(task.call_on_fit_task_end(**self._given, reconstruction_attributes=fitted))
