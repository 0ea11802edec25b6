"""Predictor: labels, means, probabilities, scores and paths of rows, by a fitted model.

All prediction by a DAG is here: an estimator has a Predictor and delegates to it. X is
checked once, by ``Features.rows``, in microseconds. ``load`` needs numpy, safetensors,
lazy_loader and the native core alone: neither scikit-learn nor the library that trained the trees
is imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.applications import FILES, PREDICTORS, part
from mddag._utils.arrays import checked_out
from mddag._utils.checks import check_is, checked_threads, described
from mddag.engine.replay import visited
from mddag.engine.trace import Trace
from mddag.ensemble.features import Floats, Patches, Rows, one_row
from mddag.ensemble.patches import PatchFeatures
from mddag.policy.calibration import Calibration
from mddag.policy.state import Stages
from mddag.serving.lazy_predictions import LazyPredictions
from mddag.serving.model_file import Model
from mddag.serving.model_file.container import Metadata, Tensors, file_content

if TYPE_CHECKING:
    from mddag.serving.export import Exported

Floats64 = NDArray[np.float64]

# What explains and reports: packages beside this one, imported when they are needed.
EXPLANATION, REPORT = "mddag.inspection.explanation", "mddag.inspection.report"


def load(path: str | os.PathLike[str], *, n_threads: int = 1) -> Predictor | Any:
    """The model that ``save`` wrote, to predict with `n_threads` threads (-1: all cores).

    A Predictor, or what else the file holds: a Detector. A file that is damaged or unsound is a
    ModelFileError; loading runs no code of it. The model of a ranker has ``predict(X, qid)`` and
    ``rank(X, qid)``; where it evaluates everything, qid may be left out of the former.
    """

    def make(metadata: Metadata, tensors: Tensors) -> Predictor | Any:
        application = part(FILES, metadata.get("kind"))
        if application is not None:
            return application.of_content(metadata, tensors, n_threads)
        return predictor_of(Model.of_content(metadata, tensors), n_threads=n_threads)

    n_threads = checked_threads(n_threads)
    return file_content(path, make)


def predictor_of(model: Model, *, n_threads: int) -> Predictor:
    """What predicts by `model`: the predictor of an application for its kind of ensemble."""
    application = part(PREDICTORS, model.dag.ensemble.kind)
    made: Predictor = (
        Predictor(model, n_threads=n_threads)
        if application is None
        else application.predictor_of(model, n_threads=n_threads)
    )
    return made


class Predictor(LazyPredictions):
    """Predictions of a `Model` with `n_threads` threads, on which no result depends.

    Where there is `out`, the result is written into it and it is returned. Objects may be shared by
    threads and pickled.
    """

    def __init__(self, model: Model, *, n_threads: int = 1) -> None:
        instead = "a Model: use mddag.load(path) or estimator.predictor()"
        check_is("model", model, Model, instead)
        self.model = model
        self.n_threads = checked_threads(n_threads)
        self._features, self._task = model.dag.ensemble.features, model.dag.ensemble.task
        classes = self.classes_
        self._dtype = np.dtype(np.float64) if classes is None else classes.dtype
        # Indexing a list takes a tenth of the time of indexing an array.
        self._labels = None if classes is None else _scalars(classes)
        self._choose_readers()
        served = classes is not None and model.calibration is not None
        self._n_written = self._n_probabilities() if served else 0  # 0: it has none

    @property
    def classes_(self) -> NDArray[Any] | None:
        """The labels; None for regressors and rankers."""
        return self.model.dag.ensemble.classes

    @property
    def n_features_in_(self) -> int:
        return self._features.n_given

    def predict(self, X: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The winning class of each row, or the mean that a regressor expects, (n,).

        A tie goes to the first class. Where the policy has a verdict, it is that.
        """
        rows = self._features.read(X)
        out = checked_out(out, (len(rows),), rows, self._dtype)
        if len(rows) == 1 and isinstance(rows, Rows):
            out[0] = self._answer(np.ascontiguousarray(rows))
        elif self.classes_ is None:
            out[:] = self._numbers(rows)
        else:
            self.classes_.take(self._codes(rows), out=out)
        return out

    def predict_proba(self, X: Any, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Calibrated class probabilities, float64 (n, n_classes)."""
        n_classes = self._n_probabilities()
        rows = self._features.read(X)
        out = checked_out(out, (len(rows), n_classes), rows)
        if len(rows) == 1 and isinstance(rows, Rows):
            self._write(np.ascontiguousarray(rows), out)
        else:
            self._write_all(rows, out)
        return out

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Calibrated log-odds: (n,) for two classes, (n, n_classes) up to a constant per row."""
        self._n_probabilities()
        return self._calibration().log_odds(*self._exits(self._features.read(X)))

    def codes(self, X: Any, out: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """The place of each row's winning class among classes_, intp (n,)."""
        rows = self._features.read(X)
        out = checked_out(out, (len(rows),), rows, np.intp)
        out[:] = self._codes(rows)
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

    def n_nodes(self, X: Any) -> NDArray[np.int64]:
        """Nodes visited in the trees evaluated on each row, (n,): the depths of the leaves that it
        reaches."""
        return visited(self.model.dag, X, n_threads=self.n_threads)

    def predict_one(self, x: Any) -> Any:
        """The winning class, or the expected mean, of one row.

        x is an array of any stride and type of numbers, (n_features,) or (1, n_features), a list or
        tuple in the order of the features, a dict by feature name, a pandas Series, or a frame of
        one row. A contiguous float32 or float64 array takes the least time by far. Of a model of
        patches x is one patch, uint8 (height, width).
        """
        if isinstance(self._features, PatchFeatures):
            return self.predict(self._features.one_patch(x))[0]
        try:
            return self._number(x) if self._labels is None else self._labels[self._code(x)]
        except (TypeError, ValueError):  # no array that the walk reads as it is
            pass
        return self._answer(self._row(x))

    def predict_proba_one(self, x: Any) -> NDArray[np.float64]:
        """The class probabilities of one row, float64 (n_classes,): those of predict_proba, bit by
        bit. x is as for predict_one."""
        if isinstance(self._features, PatchFeatures):
            return np.ravel(self.predict_proba(self._features.one_patch(x)))
        out = np.empty(self._n_written or self._n_probabilities())
        try:
            self._write(x, out)
            return out
        except (TypeError, ValueError):  # no array that the walk reads as it is
            pass
        self._write(self._row(x), out)
        return out

    def explain(self, x: Any) -> Any:
        """What the model does with one row, and why: an ``mddag.Explanation``.

        x is as for predict_one.
        """
        if isinstance(self._features, PatchFeatures):
            rows = self._features.rows(self._features.one_patch(x))
        else:
            rows = self._batch_of_one(x)
        explained = import_module(EXPLANATION).explain
        return explained(self.model.dag, self.model.calibration, rows)

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        qid: Any = None,
        curve: Any = None,
    ) -> None:
        """Write one HTML file that shows the model, on rows X with targets y where they are given.

        qid is the query of each row, for rankers, curve a Curve of ``mddag.sweep``. What the full
        model would predict is not in a model file; the estimator's ``report`` has it.
        """
        package = import_module(REPORT)
        facts = package.Facts.of_model(
            self.model,
            lines=model_lines(self.model),
            rows=None if X is None else self._features.read(X),
            targets=None if y is None else np.asarray(y),
            qid=qid,
            curve=curve,
            n_threads=self.n_threads,
        )
        package.write_report(path, facts)

    def encode(self, X: Any) -> Rows:
        """X as every method here reads it, float (n, n_features): encode a frame once, use it
        often."""
        return self._features.rows(X).in_c_order()

    def on_threads(self, n_threads: int) -> Predictor:
        """The same with another number of threads."""
        if type(n_threads) is int and n_threads == self.n_threads:  # of one row's time it is much
            return self
        n_threads = checked_threads(n_threads)
        return self if n_threads == self.n_threads else Predictor(self.model, n_threads=n_threads)

    def with_model(self, model: Model) -> Self:
        """The same with another model."""
        return type(self)(model, n_threads=self.n_threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that ``mddag.load`` reads."""
        self.model.save(path)

    def export(
        self,
        path: str | os.PathLike[str],
        language: str = "c",
        *,
        name: str | None = None,
        integer_thresholds: bool = False,
    ) -> Exported:
        """Write the model as source code of another language; see ``mddag.export``."""
        from mddag.serving.export import export  # it imports this module

        return export(self, path, language, name=name, integer_thresholds=integer_thresholds)

    def __repr__(self) -> str:
        return f"<Predictor of {self.model.dag.ensemble!r}>"

    def __str__(self) -> str:
        return "\n".join(model_lines(self.model))

    def _choose_readers(self) -> None:
        """The functions that read single rows: native, except for callables and for what is to be
        refused."""
        dag, given = self.model.dag, self.model.calibration
        self._code: Callable[[Any], int] = self._code_of_one
        self._number: Callable[[Any], float] = self._number_of_one
        self._write: Callable[[Any, NDArray[np.float64]], None] = self._write_one
        if not dag.program.has_walk:
            return
        read = Calibration.one_group(1.0, len(dag.ensemble)) if given is None else given
        by_exit = read.factors[read.groups], read.offsets[read.groups]
        walk = _calibrated(dag.walk, by_exit)
        self._code, self._write = dag.walk.predict_one, walk.probabilities_one
        if self._task.calibration_changes_predictions:
            self._number = self._task.prediction_of_one(walk.mean_one)

    def _row(self, x: Any) -> Floats:
        return one_row(self._features, x)

    def _answer(self, x: Floats) -> Any:
        """What is predicted of one row, (n_features,) or (1, n_features)."""
        return self._number(x) if self._labels is None else self._labels[self._code(x)]

    def _code_of_one(self, x: Any) -> int:
        return int(self._codes(self._batch_of_one(x))[0])

    def _number_of_one(self, x: Any) -> float:
        return float(self._numbers(self._batch_of_one(x))[0])

    def _write_one(self, x: Any, out: NDArray[np.float64]) -> None:
        self._write_all(self._batch_of_one(x), out)

    def _batch_of_one(self, x: Any) -> Rows:
        return self._features.rows(self._row(x)[None])

    def _n_probabilities(self) -> int:
        """How many probabilities a row has, if it has any."""
        if self._labels is None or self.model.calibration is None:
            what = "classes" if self._labels is None else "calibration"
            raise ValueError(f"the model has no {what} for probabilities; use predict or scores")
        return len(self._labels)

    def _calibration(self) -> Calibration:
        assert self.model.calibration is not None
        return self.model.calibration

    def _exits(self, rows: Rows | Patches) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        return self.model.dag.exits(rows, n_threads=self.n_threads)

    def _codes(self, rows: Rows | Patches) -> NDArray[np.intp]:
        dag = self.model.dag
        if dag.policy.verdict is not None:
            return dag.verdicts_of(rows, self.n_threads)
        scores = np.empty((len(rows), dag.ensemble.n_scores))
        dag.fill_scores(rows, scores, self.n_threads)
        return dag.ensemble.codes(scores)

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
        return {"model": self.model, "n_threads": self.n_threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _calibrated(walk: _core.Walk, by_exit: tuple[Floats64, Floats64]) -> Any:
    """The walk with a calibration by exit."""
    if isinstance(walk, _core.StageWalk):
        return _core.CalibratedStageWalk(walk, *by_exit)
    return _core.CalibratedWalk(walk, *by_exit)


def _scalars(classes: NDArray[Any]) -> list[Any]:
    """Return the labels one by one: int and bool as Python's, others as the array has them."""
    return classes.tolist() if classes.dtype.kind in "biu" else list(classes)


LOSSES = {
    "labels": "loss",
    "probabilities": "loss expected by the probabilities given",
    "model": "loss by the model's own opinion, without labels,",
    None: "loss, by labels or by the model where there were none,",
}


def model_lines(model: Model) -> list[str]:
    """Kind, size, features, classes, policy and prices, then what was measured."""
    ensemble, policy = model.dag.ensemble, model.dag.policy
    lines = [
        f"{ensemble.kind} of {len(ensemble)} base classifiers ({ensemble.n_trees} trees)",
        f"features: {ensemble.n_features}{_few(ensemble.features.names)}",
    ]
    if ensemble.classes is not None:
        lines.append(f"classes: {len(ensemble.classes)}{_few(ensemble.classes.tolist())}")
    every = f", decisions every {policy.every} steps" if policy.every > 1 else ""
    known = model.beta is None or model.summary is not None  # which names the knob
    beta = "" if known else f", learned for beta = {model.beta:g}"
    cells = "1 cell" if policy.grid.n_cells == 1 else f"{policy.grid.n_cells} cells"
    state, columns = policy.state, ""
    if isinstance(state, Stages):
        columns = f", {state.n_columns} score column{'s' if state.n_columns > 1 else ''}"
    verdicts = "" if policy.verdict is None else ", verdicts"
    lines.append(f"policy: {cells}{columns}{verdicts}{every}{beta}")
    if model.dag.purchases is not None:
        lines.append(f"{model.dag.purchases.prices}")
    return lines + (_measured(model) if model.summary is None else model.summary.lines())


def _measured(model: Model) -> list[str]:
    """What is known of a model without a summary, none of it measured on rows held out."""
    loss = LOSSES[model.measured_against]
    lines = [
        f"{name}: {value.n_evaluated:.1f} evaluations, {loss} {value.loss:.4g}"
        for name, value in (("policy", model.evaluation), ("everything", model.full))
        if value is not None
    ]
    about = "measured on rows that also fitted policy or calibration, none held out:"
    return [about, *lines] if lines else []


def _few(names: Any, most: int = 6) -> str:
    """The first of the names in brackets."""
    if names is None:
        return ""
    rest = ", …" if len(names) > most else ""
    return f" ({', '.join(map(str, names[:most]))}{rest})"


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
