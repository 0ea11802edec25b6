"""Open model files, ours and those of LightGBM, XGBoost and CatBoost, for commands.

A file of another library is a model that evaluates everything; ours has a policy. Whatever is wrong
with a file raises InputError, also a crash of the library that reads it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

import mddag
from mddag._utils.cached import cached_property
from mddag.adapters import parts_of
from mddag.cli.output import InputError, UsageError, one_line
from mddag.cli.tables import RowTable, check_file
from mddag.serving.model_file import Model

NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}


@dataclass(frozen=True, eq=False)
class Opened:
    """A model file: what predicts, and whether it is ours."""

    path: str
    predictor: mddag.Predictor
    is_ours: bool

    @property
    def ensemble(self) -> mddag.Ensemble:
        """All base classifiers."""
        return self.predictor.model.dag.ensemble

    @property
    def features(self) -> mddag.Features:
        """The features that the model reads."""
        return self.ensemble.features

    @cached_property
    def source(self) -> Any:
        """The object of the library that wrote the file."""
        return parts_of(self.path).model

    @property
    def library(self) -> str:
        """The library that wrote the file."""
        if self.is_ours:
            return "mddag"
        return NAMES[type(self.source).__module__.partition(".")[0]]

    @property
    def full(self) -> Any:
        """What ``sparsify`` and ``sweep`` take: all base classifiers as they were trained."""
        if not self.is_ours:
            return self.source
        if not self.predictor.model.dag.policy.evaluates_all:
            raise InputError(
                f"{self.path!r} holds a model that is sparse already; give the model that it was "
                "made of"
            )
        return self.ensemble

    def asked(self, method: Callable[..., NDArray[Any]], table: RowTable) -> NDArray[Any]:
        """Return what a method of the Predictor, such as ``predict``, gives for a table."""
        if not self.predictor.model.dag.needs_queries:
            return method(table.X)
        if table.qid is None:
            raise UsageError("the model decides by whole queries; name their column by --qid")
        return method(table.X, qid=table.qid)


def open_model(path: str | os.PathLike[str], n_jobs: int = 1) -> Opened:
    """Open the model in a file."""
    name = os.fspath(path)
    check_file(name)
    try:
        if not (name.endswith(".mddag") or _begins_like_ours(name)):
            ensemble = mddag.as_ensemble(name, isolated=True)
            model = Model(mddag.compile(ensemble))
            return Opened(name, mddag.Predictor(model, n_jobs=n_jobs), False)
        loaded = mddag.load(name, n_jobs=n_jobs)
    except ImportError:
        raise
    except (ValueError, TypeError, OSError) as error:
        raise InputError(one_line(error)) from error
    if not isinstance(loaded, mddag.Predictor):
        raise InputError(
            f"{name!r} holds a {type(loaded).__name__}, which reads images, not tables; "
            "use mddag.load(path).detect(image) in Python"
        )
    return Opened(name, loaded, True)


def _begins_like_ours(name: str) -> bool:
    with open(name, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return length < os.path.getsize(name) and b'"mddag"' in file.read(min(length, 1 << 20))
