"""Open model files, ours and those of LightGBM, XGBoost and CatBoost, for commands.

A file of another library is a model that evaluates everything; ours has a policy. Either has base
classifiers to sparsify and a Predictor. Whatever is wrong with a file raises InputError.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

import mddag
from mddag.adapters import parts_of
from mddag.cli.output import InputError, UsageError, one_line
from mddag.cli.tables import RowTable, check_file
from mddag.serving.model_file import Model

NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}


@dataclass(frozen=True, eq=False)
class Opened:
    """A model file: the library that wrote it, its base classifiers, and what predicts.

    `source` is the object of another library; None for our files.
    """

    path: str
    library: str
    ensemble: mddag.Ensemble
    predictor: mddag.Predictor
    source: Any = None

    @property
    def features(self) -> mddag.Features:
        """The features that the model reads."""
        return self.ensemble.features

    @property
    def needs_queries(self) -> bool:
        """Whether the policy looks at whole queries."""
        return self.predictor.model.dag.needs_queries

    @property
    def full(self) -> Any:
        """What ``sparsify`` and ``sweep`` take: all base classifiers as they were trained."""
        if self.source is not None:
            return self.source
        if not self.predictor.model.dag.policy.evaluates_all:
            raise InputError(
                f"{self.path!r} holds a model that is sparse already; give the model that it was "
                "made of"
            )
        return self.ensemble

    def predict(self, table: RowTable) -> NDArray[Any]:
        """Predict the rows of a table."""
        return self._asked(self.predictor.predict, table)

    def n_evaluated(self, table: RowTable) -> NDArray[Any]:
        """Count the base classifiers that each row of a table needs."""
        return self._asked(self.predictor.n_evaluated, table)

    def _asked(self, method: Callable[..., NDArray[Any]], table: RowTable) -> NDArray[Any]:
        if not self.needs_queries:
            return method(table.X)
        if table.qid is None:
            raise UsageError("the model decides by whole queries; name their column by --qid")
        return method(table.X, qid=table.qid)


def open_model(path: str | os.PathLike[str], n_jobs: int = 1) -> Opened:
    """Open the model in a file."""
    name = os.fspath(path)
    check_file(name)
    try:
        if name.endswith(".mddag") or is_ours(name):
            loaded = mddag.load(name, n_jobs=n_jobs)
            if not isinstance(loaded, mddag.Predictor):
                raise InputError(
                    f"{name!r} holds a {type(loaded).__name__}, which reads images, not tables; "
                    "use mddag.load(path).detect(image) in Python"
                )
            return Opened(name, "mddag", loaded.model.dag.ensemble, loaded)
        parts = parts_of(name)
        ensemble = mddag.as_ensemble(parts)
    except ImportError:
        raise
    except (ValueError, TypeError, OSError) as error:
        raise InputError(one_line(error)) from error
    library = type(parts.model).__module__.partition(".")[0]
    served = mddag.Predictor(Model(mddag.compile(ensemble)), n_jobs=n_jobs)
    return Opened(name, NAMES.get(library, library), ensemble, served, parts.model)


def is_ours(name: str) -> bool:
    """Tell whether a file begins as those of ``save`` do."""
    with open(name, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return length < os.path.getsize(name) and b'"mddag"' in file.read(min(length, 1 << 20))
