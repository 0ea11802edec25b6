"""Predictor: a model that serves: labels, probabilities, scores and paths, and nothing to fit.

``load`` needs numpy, safetensors and the native core alone: neither scikit-learn nor the library
that trained the trees is imported. Rows enter through ``Features.rows``, in microseconds; what it
refuses, the estimators refuse in the same words. Predictions equal the estimator's, bit by bit.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._checks import check_is, checked_threads
from mddag.ensemble import checked_out
from mddag.features import Rows
from mddag.model_file import Model
from mddag.trace import Trace


def load(path: str | os.PathLike[str], *, n_threads: int = 1) -> Predictor:
    """The model that ``save`` wrote, to predict with `n_threads` threads.

    A file that is damaged or unsound is a ModelFileError; loading runs no code of it.
    """
    return Predictor(Model.load(path), n_threads=n_threads)


class Predictor:
    """Predictions of a `Model` with `n_threads` threads, on which no result depends.

    Where there is `out`, the result is written into it and it is returned. Objects may be shared by
    threads and pickled.
    """

    def __init__(self, model: Model, *, n_threads: int = 1) -> None:
        instead = "a Model: use mddag.load(path) or estimator.predictor()"
        check_is("model", model, Model, instead)
        self.model = model
        self.n_threads = checked_threads(n_threads)
        ensemble = model.dag.ensemble
        self._code = self._code_of_one if ensemble.callables else model.dag.walk.predict_one
        # Indexing a list gives the array's own scalars in a tenth of the time.
        self._labels = None if ensemble.classes is None else list(ensemble.classes)

    @property
    def classes_(self) -> NDArray[Any] | None:
        """The labels; None for regressors and rankers."""
        return self.model.dag.ensemble.classes

    @property
    def n_features_in_(self) -> int:
        return self.model.dag.ensemble.n_features

    def predict(self, X: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The winning class of each row, or the mean that a regressor expects, (n,)."""
        rows = self._rows(X)
        if self._labels is None:
            out = checked_out(out, (len(rows),), rows)
            out[:] = self._means(rows)
            return out
        classes = np.asarray(self.classes_)
        out = checked_out(out, (len(rows),), rows, classes.dtype)
        return classes.take(self.codes(rows), out=out)

    def predict_proba(self, X: Any, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Calibrated class probabilities, float64 (n, n_classes)."""
        calibration = self.model.calibration
        if self.classes_ is None or calibration is None:
            what = "classes" if self.classes_ is None else "calibration"
            raise ValueError(f"the model has no {what} for probabilities; use scores(X)")
        rows = self._rows(X)
        out = checked_out(out, (len(rows), len(self.classes_)), rows)
        exits = self.model.dag.exits(rows, n_threads=self.n_threads)
        out[:] = calibration.probabilities(*exits)
        return out

    def codes(self, X: Any, out: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """The place of each row's winning class among classes_, intp (n,)."""
        rows = self._rows(X)
        out = checked_out(out, (len(rows),), rows, np.intp)
        out[:] = self.model.dag.ensemble.codes(self.scores(rows))
        return out

    def scores(self, X: Any, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The raw scores f^(N) of Eq. (2), float64 (n, K); K = 1 for two classes."""
        return self.model.dag.scores(X, out, n_threads=self.n_threads)

    def run(self, X: Any) -> Trace:
        """Raw scores and classification paths of every row."""
        return self.model.dag.run(X, n_threads=self.n_threads)

    def n_evaluated(self, X: Any) -> NDArray[np.int64]:
        """Base classifiers evaluated on each row, (n,)."""
        return self.model.dag.lengths(X, n_threads=self.n_threads)[2]

    def predict_one(self, x: NDArray[np.floating[Any]]) -> Any:
        """The winning class, or the expected mean, of one row x (n_features,).

        x is a float32 or float64 array; no other is converted, since that would take longer than
        the prediction.
        """
        if self._labels is None:
            return float(self._means(x[None])[0])
        return self._labels[self._code(x)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that ``mddag.load`` reads."""
        self.model.save(path)

    def __repr__(self) -> str:
        return f"<Predictor of {self.model.dag.ensemble!r}>"

    def __str__(self) -> str:
        return "\n".join(_described(self.model))

    def _rows(self, X: Any) -> Rows:
        return self.model.dag.ensemble.features.rows(X)

    def _means(self, X: Any) -> NDArray[np.float64]:
        scores, exit_step = self._exits(X)
        if self.model.calibration is not None:
            scores = self.model.calibration.calibrated(scores, exit_step)
        ensemble = self.model.dag.ensemble
        return scores[:, 0] if ensemble.kind == "ranker" else ensemble.means(scores)

    def _exits(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        return self.model.dag.exits(X, n_threads=self.n_threads)

    def _code_of_one(self, x: NDArray[np.floating[Any]]) -> int:
        return int(self.codes(x[None])[0])

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "n_threads": self.n_threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _described(model: Model) -> list[str]:
    """The summary, line by line."""
    ensemble, policy = model.dag.ensemble, model.dag.policy
    lines = [
        f"{ensemble.kind} of {len(ensemble)} base classifiers ({ensemble.n_trees} trees)",
        f"features: {ensemble.n_features}{_few(ensemble.features.names)}",
    ]
    if ensemble.classes is not None:
        lines.append(f"classes: {len(ensemble.classes)}{_few(ensemble.classes.tolist())}")
    every = f", decisions every {policy.every} steps" if policy.every > 1 else ""
    beta = "" if model.beta is None else f", learned for beta = {model.beta:g}"
    lines.append(f"policy: {policy.grid.n_cells} cells{every}{beta}")
    for name, value in (("policy", model.evaluation), ("everything", model.full)):
        if value is not None:
            lines.append(
                f"measured on the policy rows, {name}: {value.n_evaluated:.1f} evaluations, "
                f"loss {value.loss:.4g}"
            )
    return lines


def _few(names: Any, most: int = 6) -> str:
    """The first of the names in brackets."""
    if names is None:
        return ""
    rest = ", …" if len(names) > most else ""
    return f" ({', '.join(map(str, names[:most]))}{rest})"
