"""Write a fitted model as source code of another language, or as WebAssembly.

The file holds constant tables and one small walk, and needs no library of ours. On float32 rows its
labels, scores, evaluations and probabilities are the library's own, bit by bit. Models that cannot
be evaluated one row at a time (policies that look at whole queries, detectors, Python callables)
raise ValueError.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from mddag._utils.checks import check_one_of, checked_path, typed
from mddag._utils.output import write_whole
from mddag.engine.dag import Dag
from mddag.ensemble.patches import PatchFeatures
from mddag.serving.export.render import Rendered
from mddag.serving.export.tables import ModelTables
from mddag.serving.model_file import Model
from mddag.serving.predictor import given_predictor
from mddag.serving.served_model import HasPredictor

Language = Literal["c", "java", "go", "rust", "javascript", "wasm"]
# What `name` is in languages whose files say a name.
NAMED = {"c": "C identifier", "java": "Java class", "go": "Go package"}


@dataclass(frozen=True)
class Exported:
    """What ``export`` wrote.

    Attributes
    ----------
    path : str
        The file.
    language : str
        Its language.
    n_bytes : int
        The size of the file.
    table_bytes : int
        What the tables take up in memory.
    worst_evaluations : int
        Base classifiers that no row exceeds.
    worst_comparisons : int
        Comparisons that no row exceeds.
    """

    path: str
    language: str
    n_bytes: int
    table_bytes: int
    worst_evaluations: int
    worst_comparisons: int

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.language}, {self.n_bytes} bytes, tables of {self.table_bytes} "
            f"bytes\nworst case of a row: {self.worst_evaluations} base classifiers, "
            f"{self.worst_comparisons} comparisons"
        )


def export(
    model: HasPredictor | Dag,
    path: str | os.PathLike[str],
    language: Language = "c",
    *,
    name: str | None = None,
    integer_thresholds: bool = False,
) -> Exported:
    """Write a model as source code of `language`, or as a module of WebAssembly.

    Parameters
    ----------
    model : Predictor, Dag or fitted estimator
        What to export. Models that cannot be evaluated one row at a time (rankers whose policy
        looks at whole queries, detectors, Python callables) raise ValueError or TypeError.
    path : str or os.PathLike
        The file to write.
    language : {"c", "java", "go", "rust", "javascript", "wasm"}, default "c"
        A C99 header, a Java class, a file of a Go package, a Rust module, an ES module, or a
        module of WebAssembly, for which clang and wasm-ld must be installed.
    name : str, optional
        What every identifier of C begins with ("model" by default), the class of Java (by default
        the file's name without its suffix), the package of Go ("model" by default).
    integer_thresholds : bool, default False
        In C: rows are int32_t instead of float, for features that are whole numbers (pixels,
        counts, sensor readings) on machines without floating point; NAME_MISSING stands for NaN.

    Returns
    -------
    Exported
        Sizes, and the longest path of a row.

    See Also
    --------
    mddag.load : Predict in Python, without scikit-learn.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, random_state=0)
    >>> full = GradientBoostingClassifier(random_state=0).fit(X[:1000], y[:1000])
    >>> fast = mddag.sparsify(full, X[1000:], y[1000:], budget=10)
    >>> exported = mddag.export(fast, "Model.java", "java")
    >>> exported.language
    'java'
    """
    wanted = "a Predictor, a Dag or a fitted estimator such as MDDAGClassifier"
    served = Model(model) if isinstance(model, Dag) else given_predictor(model, wanted).model
    check_one_of("language", language, get_args(Language))
    if served.dag.needs_queries:
        raise ValueError(
            f"the policy looks at all documents of a query ({typed(served.dag.policy.state)}), but "
            f"{'a C header' if language == 'c' else 'exported code'} reads one row at a time; use "
            "save and mddag.load, or export mddag.compile(ensemble), which evaluates everything"
        )
    checked_path(path)
    _check_integers(integer_thresholds, language, served)
    known_as = _checked_name(name, language, path)
    if not served.dag.ensemble.task.predicts_classes:
        served.dag.ensemble.task.require_predictions()
    tables = ModelTables(served)
    # Only the renderer that is wanted is imported.
    render: Callable[..., Rendered] = import_module(f"mddag.serving.export.{language}").render
    options = {"integers": True} if integer_thresholds else {}
    rendered = render(tables, known_as, **options)
    write_whole(path, rendered.data)
    return Exported(
        os.fspath(path),
        language,
        len(rendered.data),
        rendered.table_bytes,
        tables.worst.evaluations,
        tables.worst.comparisons,
    )


def _check_integers(wanted: Any, language: str, model: Model) -> None:
    if not isinstance(wanted, (bool, np.bool_)):
        raise ValueError(f"integer_thresholds is {wanted!r}; wanted True or False")
    if wanted and isinstance(model.dag.ensemble.features, PatchFeatures):
        raise ValueError(
            "integer_thresholds is True, but the features of patches are fractions; leave it out: "
            "pixels are uint8_t anyway"
        )
    if wanted and language != "c":
        raise ValueError(
            f"integer_thresholds is True, but the language is {language!r}; it is for C on "
            "machines without floating point: leave it out"
        )


def _checked_name(name: Any, language: str, path: str | os.PathLike[str]) -> str:
    """Return the name of what is exported, where its language has one."""
    if language not in NAMED:
        if name is not None:
            raise ValueError(
                f"name is {name!r}, but a module of {language!r} is named by its file; leave it out"
            )
        return "model"
    if name is None:
        name = Path(os.fspath(path)).stem if language == "java" else "model"
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        such_as = "Model" if language == "java" else "model"
        raise ValueError(f"name is {name!r}; wanted a {NAMED[language]}, such as {such_as!r}")
    return name
