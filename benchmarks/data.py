"""Real data for all benchmarks: the rows and labels of a data set, and which rows are for tests.

The folder is named by the environment variable MDDAG_DATA; it is not part of the project, and
CONTRIBUTING.md says what is in it. Here rows keep the order of the files. Each benchmark parts them
as it needs, or takes `train_and_test`.
"""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split


@dataclass(frozen=True)
class Rows:
    """All rows of a data set.

    X       : (n, d), an array, or a frame whose strings are categories
    y       : (n,)
    is_test : bool (n,), None where no rows were set apart for tests
    """

    X: Any
    y: np.ndarray
    is_test: np.ndarray | None = None


def read(name: str) -> Rows:
    """The data set of this name, one of SETS."""
    return SETS[name]()


def train_and_test(
    name: str, n_train: int | None = None
) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """X, y, X_test, y_test: the official parts, else a third of all rows for the test.

    n_train : draw so many of the rows to train on
    Draws have equal shares of every class, and seed 0. Order in time is ignored.
    """
    rows = read(name)
    if rows.is_test is None:
        X, X_test, y, y_test = train_test_split(
            rows.X, rows.y, test_size=1 / 3, stratify=rows.y, random_state=0
        )
    else:
        X, y = rows.X[~rows.is_test], rows.y[~rows.is_test]
        X_test, y_test = rows.X[rows.is_test], rows.y[rows.is_test]
    if n_train is not None:
        some, _ = train_test_split(range(len(y)), train_size=n_train, stratify=y, random_state=0)
        X, y = X[some], y[some]
    return X, y, X_test, y_test


def is_there() -> bool:
    return bool(os.environ.get("MDDAG_DATA"))


def loaded(loader: str, *arguments: object) -> Any:
    """What a function of the folder's load.py gives."""
    if not is_there():
        raise SystemExit("set MDDAG_DATA to the folder of the data sets; see CONTRIBUTING.md")
    file = Path(os.environ["MDDAG_DATA"]) / "load.py"
    if not file.is_file():
        raise SystemExit(f"MDDAG_DATA names {file.parent}, without load.py; see CONTRIBUTING.md")
    return runpy.run_path(str(file))[loader](*arguments)


def _frame(frame: Any, label: str) -> Rows:
    """Columns of strings become categories."""
    y = frame.pop(label).to_numpy()
    is_test = frame.pop("is_test").to_numpy() == 1 if "is_test" in frame else None
    strings = frame.select_dtypes(exclude="number").columns
    return Rows(frame.astype(dict.fromkeys(strings, "category")), y, is_test)


def _pixels(X: np.ndarray, y: np.ndarray, is_test: np.ndarray | None = None) -> Rows:
    return Rows(X.reshape(len(X), -1), y, is_test)


def _parted_pixels(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> Rows:
    is_test = np.arange(len(y) + len(y_test)) >= len(y)
    return _pixels(np.concatenate([X, X_test]), np.append(y, y_test), is_test)


def _documents(all_: dict[str, np.ndarray]) -> Rows:
    """With their relevance 0, 1, 2; queries are not kept."""
    return Rows(all_["X"], all_["y"])


SETS: dict[str, Callable[[], Rows]] = {
    "electricity": lambda: Rows(*loaded("electricity")),
    "spambase": lambda: Rows(*loaded("spambase")),
    "higgs": lambda: Rows(*loaded("higgs_sample")),
    "letter": lambda: Rows(*loaded("letter")),
    "adult": lambda: _frame(loaded("adult"), "income"),
    # without the duration of the call, which is known only after it
    "bank": lambda: _frame(loaded("bank").drop(columns="duration"), "y"),
    "vj": lambda: _pixels(*loaded("vj_faces")),  # 24 x 24
    "daimler": lambda: _pixels(*loaded("daimler_ped")[:2]),  # 18 x 36
    "cbcl": lambda: _parted_pixels(*loaded("cbcl_faces")),  # 19 x 19
    "mnist": lambda: _parted_pixels(*loaded("mnist")),  # 28 x 28
    "mq2007": lambda: _documents(loaded("mq2007")),
    "mq2008": lambda: _documents(loaded("mq2008")),
}
