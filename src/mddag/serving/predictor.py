"""Predict with a fitted model: labels, means, probabilities, scores and paths of rows.

All prediction by a DAG is here: an estimator has a Predictor and delegates to it. X is checked
once, by ``Features.rows``, in microseconds. ``load`` needs only numpy, safetensors, lazy_loader and
the native core: neither scikit-learn nor the library that trained the trees is imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.applications import FILES, PREDICTORS, part
from mddag._utils.arrays import checked_out
from mddag._utils.checks import check_is, checked_jobs, described
from mddag.engine.trace import Trace
from mddag.ensemble.features import Patches, Rows, one_row
from mddag.ensemble.patches import PatchFeatures
from mddag.policy.calibration import Calibration
from mddag.policy.state import Stages
from mddag.serving.lazy import LazyPredictions
from mddag.serving.model_file import Model
from mddag.serving.model_file.container import Metadata, Tensors, file_content
from mddag.serving.served_model import HasPredictor, OneRow

if TYPE_CHECKING:
    import mddag

Floats64 = NDArray[np.float64]
Label = bool | int | float | str


def load(path: str | os.PathLike[str], *, n_jobs: int = 1) -> Predictor | mddag.Detector:
    """Load a model that ``save`` wrote.

    Loading runs no code from the file.

    Parameters
    ----------
    path : str or os.PathLike
        A model file.
    n_jobs : int, default 1
        Threads to predict with; -1 for all cores. No result depends on it.

    Returns
    -------
    Predictor or Detector
        What the file holds. For a ranker it is a Predictor with ``predict(X, qid)`` and
        ``rank(X, qid)``; `qid` may be left out of ``predict`` if the model evaluates everything.

    Raises
    ------
    ModelFileError
        If the file is damaged, or is not a model file.

    See Also
    --------
    Predictor : What predicts.
    export : Source code of another language instead of a file.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, random_state=0)
    >>> full = GradientBoostingClassifier(random_state=0).fit(X[:1000], y[:1000])
    >>> fast = mddag.sparsify(full, X[1000:], y[1000:], budget=10)
    >>> fast.save("model.mddag")
    >>> served = mddag.load("model.mddag")
    >>> bool((served.predict(X) == fast.predict(X)).all())
    True
    """

    def make(metadata: Metadata, tensors: Tensors) -> Predictor | mddag.Detector:
        application = part(FILES, metadata.get("kind"))
        if application is not None:
            detector: mddag.Detector = application.of_content(metadata, tensors, n_jobs)
            return detector
        return predictor_of(Model.of_content(metadata, tensors), n_jobs=n_jobs)

    n_jobs = checked_jobs(n_jobs)
    return file_content(path, make)


def predictor_of(model: Model, *, n_jobs: int) -> Predictor:
    """Return the Predictor of a model, or that of an application for its kind of ensemble."""
    application = part(PREDICTORS, model.dag.ensemble.kind)
    made: Predictor = (
        Predictor(model, n_jobs=n_jobs)
        if application is None
        else application.predictor_of(model, n_jobs=n_jobs)
    )
    return made


class Predictor(LazyPredictions):
    """Predict with a fitted model, without scikit-learn.

    ``mddag.load(path)`` and ``estimator.predictor()`` make one. Objects can be pickled and shared
    by threads. Wherever `X` is wanted, it is an array or a DataFrame of shape (n, n_features), or
    uint8 patches (n, height, width) for a model of patches.

    Parameters
    ----------
    model : Model
        A DAG with its calibration.
    n_jobs : int, default 1
        Threads to predict with; -1 for all cores. No result depends on it.

    Attributes
    ----------
    model : Model
        As given.
    n_jobs : int
        The number of threads.

    See Also
    --------
    load : Load a Predictor from a file.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, random_state=0)
    >>> full = GradientBoostingClassifier(random_state=0).fit(X[:1000], y[:1000])
    >>> served = mddag.sparsify(full, X[1000:], y[1000:], budget=10).predictor()
    >>> served.predict_proba(X).shape
    (2000, 2)
    >>> bool(served.predict_one(X[0]) == served.predict(X)[0])
    True
    """

    def __init__(self, model: Model, *, n_jobs: int = 1) -> None:
        instead = "a Model: use mddag.load(path) or estimator.predictor()"
        check_is("model", model, Model, instead)
        self.model = model
        self.n_jobs = checked_jobs(n_jobs)
        self._features, self._task = model.dag.ensemble.features, model.dag.ensemble.task
        classes = self.classes_
        self._dtype = np.dtype(np.float64) if classes is None else classes.dtype
        # Python's own scalars, by a list, which is indexed in a tenth of the time of an array.
        self._labels: list[Any] | None = None
        if classes is not None:
            self._labels = classes.tolist() if classes.dtype.kind in "biu" else list(classes)
        self._choose_readers()
        self._n_written = self._n_probabilities() if self.has_probabilities else 0  # for speed

    @property
    def classes_(self) -> NDArray[Any] | None:
        """The labels; None for regressors and rankers."""
        return self.model.dag.ensemble.classes

    @property
    def has_probabilities(self) -> bool:
        """Whether ``predict_proba`` works: the model has classes and a calibration."""
        return self._labels is not None and self.model.calibration is not None

    @property
    def n_features_in_(self) -> int:
        """The number of features that a row has."""
        return self._features.n_given

    def predict(self, X: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Predict the class of each row, or the mean for a regressor.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        out : ndarray of shape (n,), optional
            Where to write the result.

        Returns
        -------
        ndarray of shape (n,)
            Labels or numbers. A tie goes to the first class; where the policy has a verdict, that
            is the label.
        """
        rows = self._features.read(X)
        out = checked_out(out, (len(rows),), rows, self._dtype)
        if len(rows) == 1 and self._walks and isinstance(rows, Rows):
            out[0] = self._answer(np.ascontiguousarray(rows))
        elif self.classes_ is None:
            out[:] = self._numbers(rows)
        else:
            self.classes_.take(self._codes(rows), out=out)
        return out

    def predict_proba(
        self, X: ArrayLike, out: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Predict calibrated class probabilities.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        out : ndarray of float64, shape (n, n_classes), optional
            Where to write the result.

        Returns
        -------
        ndarray of float64, shape (n, n_classes)
            A column for each of ``classes_``; ``predict`` is the label of the largest.
        """
        n_classes = self._n_probabilities()
        rows = self._features.read(X)
        out = checked_out(out, (len(rows), n_classes), rows)
        if len(rows) == 1 and self._walks and isinstance(rows, Rows):
            self._write(np.ascontiguousarray(rows), out)
        else:
            self._write_all(rows, out)
        return out

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return calibrated log-odds.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of float64, shape (n,) or (n, n_classes)
            (n,) for binary models; multiclass log-odds are up to a constant per row.
        """
        self._n_probabilities()
        return self._calibration().log_odds(*self._exits(self._features.read(X)))

    def scores(self, X: ArrayLike, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the raw scores of Eq. (2) at each row's exit, before calibration.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        out : ndarray of float64, shape (n, K), optional
            Where to write the result.

        Returns
        -------
        ndarray of float64, shape (n, K)
            K = 1 for binary models, regressors and rankers.
        """
        return self.model.dag.scores(X, out, n_jobs=self.n_jobs)

    def run(self, X: ArrayLike) -> Trace:
        """Follow every row through the DAG.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.

        Returns
        -------
        Trace
            Raw scores and the base classifiers that each row evaluates.
        """
        return self.model.dag.run(X, n_jobs=self.n_jobs)

    def predict_one(self, x: OneRow) -> Label:
        """Predict the class of one row, or its mean for a regressor.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features), dict, Series or DataFrame
            An array of any stride and type of numbers, a list or tuple in the order of the
            features, a dict by feature name, a pandas Series, or a DataFrame of one row; for a
            model of patches one patch, uint8 (height, width). A contiguous float32 or float64
            array takes by far the least time.

        Returns
        -------
        bool, int, float or str
            What ``predict`` gives for this row, as a Python scalar for bool and int labels.
        """
        if self._walks:
            try:
                return self._number(x) if self._labels is None else self._labels[self._code(x)]
            except (TypeError, ValueError):  # no array that the walk reads as it is
                pass
        return self._answer(self._row(x))

    def predict_proba_one(self, x: OneRow) -> NDArray[np.float64]:
        """Predict the class probabilities of one row.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features), dict, Series or DataFrame
            One row, in any form that ``predict_one`` takes.

        Returns
        -------
        ndarray of float64, shape (n_classes,)
            What ``predict_proba`` gives for this row, to the last bit.
        """
        out = np.empty(self._n_written or self._n_probabilities())
        if self._walks:
            try:
                self._write(x, out)
                return out
            except (TypeError, ValueError):  # no array that the walk reads as it is
                pass
        self._write(self._row(x), out)
        return out

    def on_threads(self, n_jobs: int) -> Predictor:
        """Return a Predictor of the same model with another number of threads.

        Parameters
        ----------
        n_jobs : int
            Threads; -1 for all cores.

        Returns
        -------
        Predictor
            This one if the number is the same.
        """
        # Before the check, which would take much of the time of one row.
        if type(n_jobs) is int and n_jobs == self.n_jobs:
            return self
        n_jobs = checked_jobs(n_jobs)
        return self if n_jobs == self.n_jobs else type(self)(self.model, n_jobs=n_jobs)

    def predictor(self) -> Predictor:
        """Return this Predictor.

        Returns
        -------
        Predictor
            The same object.
        """
        return self

    untransformed = predictor

    def __repr__(self) -> str:
        return f"<Predictor of {self.model.dag.ensemble!r}>"

    def __str__(self) -> str:
        return "\n".join(model_lines(self.model))

    def _choose_readers(self) -> None:
        """Choose what reads single rows: native functions, or batches of one."""
        dag, given = self.model.dag, self.model.calibration
        self._code: Callable[[Any], int] = lambda rows: int(self._codes(rows)[0])
        self._number: Callable[[Any], float] = lambda rows: float(self._numbers(rows)[0])
        self._write: Callable[[Any, Floats64], None] = self._write_all
        of_rows = dag.program.has_walk and not isinstance(self._features, PatchFeatures)
        changes = self._task.calibration_changes_predictions
        self._walks = of_rows and (changes or self._labels is not None)
        if not self._walks:
            return
        read = Calibration.one_group(1.0, len(dag.ensemble)) if given is None else given
        by_exit = read.factors[read.groups], read.offsets[read.groups]
        staged = isinstance(dag.walk, _core.StageWalk)
        walk: Any = (_core.CalibratedStageWalk if staged else _core.CalibratedWalk)(
            dag.walk, *by_exit
        )
        self._code, self._write = dag.walk.predict_one, walk.probabilities_one
        if changes:
            self._number = self._task.prediction_of_one(walk.mean_one)

    def _with_model(self, model: Model) -> Self:
        return type(self)(model, n_jobs=self.n_jobs)

    def _report_facts(self) -> dict[str, Any]:
        return {"lines": model_lines(self.model)}

    def _rows(self, X: Any) -> Rows | Patches:
        return self._features.read(X)

    def _one_row(self, x: OneRow) -> Rows:
        return self._features.rows(self._batch_of_one(x))

    def _row(self, x: OneRow) -> Any:
        """Return one row as what was chosen reads it."""
        return one_row(self._features, x) if self._walks else self._batch_of_one(x)

    def _batch_of_one(self, x: OneRow) -> Rows | Patches:
        if isinstance(self._features, PatchFeatures):
            return self._features.one_patch(x)
        return self._features.rows(one_row(self._features, x)[None])

    def _answer(self, x: Any) -> Label:
        """Predict one row, as ``_row`` gives it or (1, n_features)."""
        return self._number(x) if self._labels is None else self._labels[self._code(x)]

    def _n_probabilities(self) -> int:
        """Return how many probabilities a row has, or raise ValueError if it has none."""
        if self._labels is None or not self.has_probabilities:
            what = "classes" if self._labels is None else "calibration"
            raise ValueError(f"the model has no {what} for probabilities; use predict or scores")
        return len(self._labels)

    def _calibration(self) -> Calibration:
        assert self.model.calibration is not None
        return self.model.calibration

    def _exits(self, rows: Rows | Patches) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        return self.model.dag.exits(rows, n_jobs=self.n_jobs)

    def _codes(self, rows: Rows | Patches) -> NDArray[np.intp]:
        return self.model.dag.verdicts(rows, n_jobs=self.n_jobs)

    def _numbers(self, rows: Rows | Patches) -> NDArray[np.float64]:
        return self._means(*self._exits(rows))

    def _means(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        if self.model.calibration is not None:
            scores = self.model.calibration.calibrated(scores, exit_step)
        return self._task.predictions(scores)

    def _predicted(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32], codes: NDArray[np.intp]
    ) -> NDArray[Any]:
        classes = self.classes_
        return self._means(scores, exit_step) if classes is None else classes[codes]

    def _write_all(self, rows: Rows | Patches, out: NDArray[np.float64]) -> None:
        out[:] = self._calibration().probabilities(*self._exits(rows))

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def model_lines(model: Model) -> list[str]:
    """Describe kind, size, features, classes, policy and prices, then what was measured."""
    ensemble, policy = model.dag.ensemble, model.dag.policy
    lines = [
        f"{ensemble.kind} of {len(ensemble)} base classifiers ({ensemble.n_trees} trees)",
        f"features: {ensemble.n_features}{_few(ensemble.features.names)}",
    ]
    if ensemble.classes is not None:
        lines.append(f"classes: {len(ensemble.classes)}{_few(ensemble.classes.tolist())}")
    every = f", decisions every {policy.every} steps" if policy.every > 1 else ""
    cells = "1 cell" if policy.grid.n_cells == 1 else f"{policy.grid.n_cells} cells"
    state, columns = policy.state, ""
    if isinstance(state, Stages):
        columns = f", {state.n_columns} score column{'s' if state.n_columns > 1 else ''}"
    verdicts = "" if policy.verdict is None else ", verdicts"
    lines.append(f"policy: {cells}{columns}{verdicts}{every}")
    if model.dag.purchases is not None:
        lines.append(f"{model.dag.purchases.prices}")
    return lines if model.result is None else lines + model.result.lines()


def _few(names: Any, most: int = 6) -> str:
    """Return the first of the names in brackets."""
    if names is None:
        return ""
    rest = ", …" if len(names) > most else ""
    return f" ({', '.join(map(str, names[:most]))}{rest})"


def given_predictor(
    model: Any, wanted: str = "a fitted estimator of mddag or a Predictor"
) -> Predictor:
    """Return the Predictor of a fitted estimator, or the one that was given."""
    if not isinstance(model, HasPredictor):
        raise TypeError(
            f"model is {described(model)}; wanted {wanted}: mddag.sparsify makes an estimator of "
            "other models"
        )
    return model.predictor()
