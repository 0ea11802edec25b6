"""Plan: which columns of a frame are read, kept and written, settled before any worker is busy.

    reads  : columns of the frame in the order of the model's features
    keeps  : columns of the frame that go along unchanged
    writes : prediction; p_<label> for each class; n_evaluated

All that can be wrong with the columns is said here, from the names and types of the frame alone;
what only rows can show (a NaN, a category that is refused) is said by the worker that meets it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import described
from mddag.features.features import Features, as_remembered
from mddag.features.rows import Rows
from mddag.serving.predictor import Predictor

PREDICTION, EVALUATIONS = "prediction", "n_evaluated"


@dataclass(frozen=True)
class Column:
    """A column of a frame.

    told : its type, as the engine calls it
    kind : what it holds: "numbers", "bools", "strings" or another word; "" where only rows tell
    """

    name: Any
    told: str
    kind: str


@dataclass(frozen=True)
class Plan:
    """What is read, kept and written; `proba` and `evaluations` say what is written."""

    reads: tuple[Any, ...]
    keeps: tuple[Any, ...] = ()
    proba: bool = False
    evaluations: bool = False

    @property
    def taken(self) -> list[Any]:
        """The columns that workers need, each once."""
        return list(dict.fromkeys((*self.keeps, *self.reads)))

    def answers(self, predictor: Predictor, part: Any) -> dict[str, NDArray[Any]]:
        """What is written of the rows of a pandas frame; a part may have no rows."""
        features = predictor.model.dag.ensemble.features
        given = part[list(self.reads)]
        if features.names is not None:
            given = given.set_axis(list(features.names), axis=1)
        rows = features.rows(given) if len(given) else None
        found = {PREDICTION: _predictions(predictor, rows)}
        if self.proba:
            names = shares_of(predictor)
            shares = np.empty((0, len(names))) if rows is None else predictor.predict_proba(rows)
            found |= {name: shares[:, k] for k, name in enumerate(names)}
        if self.evaluations:
            none = np.empty(0, np.int64)
            found[EVALUATIONS] = none if rows is None else predictor.n_evaluated(rows)
        return found

    def scored(self, predictor: Predictor, part: Any) -> Any:
        """The same as a pandas frame, behind the columns that are kept."""
        import pandas as pd

        answers = pd.DataFrame(self.answers(predictor, part), index=part.index)
        return pd.concat([part[list(self.keeps)], answers], axis=1) if self.keeps else answers


def planned(
    predictor: Predictor,
    given: Sequence[Column],
    *,
    columns: Any,
    keep: Any,
    proba: bool,
    evaluations: bool,
) -> Plan:
    """The plan for a frame with the columns `given`, or an error that says what is wrong."""
    by_name = {column.name: column for column in given}
    if len(by_name) < len(given):
        names = [column.name for column in given]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the frame has two columns of the name {twice!r}; give each its own name")
    keeps = _listed("keep", keep)
    _check_there("keep", keeps, by_name)
    features = predictor.model.dag.ensemble.features
    reads = _reads(features, by_name, columns, keeps)
    _check_kinds(features, [by_name[name] for name in reads])
    plan = Plan(reads, keeps, proba, evaluations)
    _check_written(plan, predictor)
    return plan


def _predictions(predictor: Predictor, rows: Rows | None) -> NDArray[Any]:
    """What is predicted, of one type whether or not there are rows: that of an array of objects,
    as which pandas has labels that are strings, would be found by its rows."""
    classes = predictor.classes_
    dtype = np.dtype(np.float64) if classes is None else classes.dtype
    found = np.empty(0, dtype) if rows is None else predictor.predict(rows)
    return found.astype(str) if dtype.kind == "O" else found


def shares_of(predictor: Predictor) -> list[str]:
    """The names of the columns of probabilities, as the program ``mddag predict`` has them."""
    classes = predictor.classes_
    return [] if classes is None else [f"p_{label}" for label in classes.tolist()]


def _listed(name: str, names: Any) -> tuple[Any, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"{name} is {described(names)}; wanted a list of columns of the frame")
    twice = next((n for n in names if list(names).count(n) > 1), None)
    if twice is not None:
        raise ValueError(f"{name} has {twice!r} more than once; wanted each column once")
    return tuple(names)


def _check_there(name: str, names: Sequence[Any], by_name: dict[Any, Column]) -> None:
    absent = [n for n in names if n not in by_name]
    if absent:
        raise ValueError(f"{name} has {absent[:5]}, but the frame has {_few(by_name)}")


def _reads(
    features: Features, by_name: dict[Any, Column], columns: Any, keeps: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The columns in the order of the features."""
    if columns is not None:
        named = _listed("columns", columns)
        _check_there("columns", named, by_name)
        if len(named) != features.n:
            raise ValueError(f"columns has {len(named)} names; the model reads {features.n}")
        _check_places(features, named)
        return named
    if features.names is not None:
        remembered = dict(zip(as_remembered(by_name, features.names), by_name, strict=True))
        absent = [name for name in features.names if name not in remembered]
        if absent:
            raise ValueError(
                f"the frame lacks {len(absent)} of the {features.n} columns that the model reads: "
                f"missing {absent[:5]}; it has {_few(by_name)}: rename its columns, or name them "
                "by columns= in the order of the model's features"
            )
        return tuple(remembered[name] for name in features.names)
    others = tuple(name for name in by_name if name not in keeps)
    if len(others) != features.n:
        raise ValueError(
            f"the model knows no names of its {features.n} features, and the frame has "
            f"{len(others)} columns that are not in keep; name those to read by columns=, in the "
            "order of the model's features"
        )
    return others


def _check_places(features: Features, named: tuple[Any, ...]) -> None:
    """Refuse the name of one feature at the place of another: the answers would be wrong."""
    if features.names is None:
        return
    called = as_remembered(named, features.names)
    known = set(features.names)
    for own, given, name in zip(features.names, called, named, strict=True):
        if given != own and given in known:
            raise ValueError(
                f"columns has {name!r} at the place of the feature {own!r}, but {given!r} is "
                f"another feature of the model; wanted the order {_few(features.names)}, or no "
                "columns= where the frame has these names"
            )


def _check_kinds(features: Features, reads: list[Column]) -> None:
    """Refuse columns that hold something else than in training."""
    for i, column in enumerate(reads):
        if column.kind == "":
            continue
        if i in features.nominal:
            features.nominal[i].check_kind(column.kind)
        elif column.kind not in ("numbers", "bools"):
            raise ValueError(
                f"column {column.name!r} has type {column.told}; the model reads numbers there: "
                "encode it as it was when the model was trained"
            )


def _check_written(plan: Plan, predictor: Predictor) -> None:
    if plan.proba and (predictor.classes_ is None or predictor.model.calibration is None):
        what = "classes" if predictor.classes_ is None else "calibration"
        raise ValueError(f"the model has no {what} for probabilities; leave out proba=True")
    shares = shares_of(predictor) if plan.proba else []
    written = [PREDICTION, *shares, *([EVALUATIONS] if plan.evaluations else [])]
    both = [name for name in written if name in plan.keeps]
    if both:
        raise ValueError(f"keep has {both}, which score writes itself; rename in the frame first")


def _few(names: Any, most: int = 8) -> str:
    """The first of the columns of a frame."""
    told = [*names]
    return f"{told[:most]}" + (f" and {len(told) - most} more" if len(told) > most else "")
