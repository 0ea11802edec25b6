"""ModelParts: a model, and the transformer that makes the rows it reads from the rows given.

A fitted scikit-learn Pipeline has two parts: its last step, which votes, and the steps before it,
which only transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Transformer:
    """Fitted steps, each of which transforms what the one before it gives.

    `absent` are entries that a sparse matrix does not hold: 0, but NaN for XGBoost.
    """

    steps: tuple[Any, ...]
    absent: float = 0.0

    def __str__(self) -> str:
        return ", ".join(type(step).__name__ for step in self.steps)

    def transform(self, X: Any) -> Any:
        """Return the rows that the model reads, a dense array or a DataFrame."""
        rows = X
        for step in self.steps:
            rows = step.transform(rows)
        if hasattr(rows, "tocoo"):
            held = rows.tocoo()
            rows = np.full(held.shape, self.absent, np.result_type(held.dtype, np.float32))
            rows[held.row, held.col] = held.data
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if np.shape(rows)[:1] != (n_rows,):
            raise ValueError(
                f"{self} makes {np.shape(rows)} of {n_rows} rows; wanted transformers that keep "
                "every row"
            )
        return rows

    def describe(self, estimator: Any) -> None:
        """Give `estimator` the number and names of the columns that the first step was fitted on.

        If it has recorded none, those that the estimator has seen stay.
        """
        for about in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.steps[0], about):
                setattr(estimator, about, getattr(self.steps[0], about))


@dataclass(frozen=True, eq=False)
class ModelParts:
    """A model, given or read from the file `path`, and what transforms its rows, if anything.

    `threshold` is the probability above which it decides for its second class, None for 1/2.
    """

    model: Any
    transformer: Transformer | None = None
    path: str | None = None
    threshold: float | None = None

    def __repr__(self) -> str:
        return f"<{self.model!r} after {self.transformer}>"

    def rows(self, X: Any) -> Any:
        """Return X as the model reads it."""
        return X if self.transformer is None else self.transformer.transform(X)


def steps_of(pipeline: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the steps that transform, and the last one."""
    if not pipeline.steps:
        raise ValueError("model is a Pipeline without steps; wanted one that ends with an ensemble")
    *before, (_, last) = pipeline.steps
    if last is None or isinstance(last, str):
        raise ValueError(
            f"the last step of the Pipeline is {last!r}; wanted one that ends with an ensemble"
        )
    steps = [(name, step) for name, step in before if step is not None and step != "passthrough"]
    for name, step in steps:
        if not hasattr(step, "transform"):
            raise ValueError(
                f"the step {name!r} ({type(step).__name__}) of the Pipeline has no transform; pass "
                "the last step, model[-1], and the rows that it reads"
            )
    return tuple(step for _, step in steps), last
