"""The rows that fidelity.py trains and tests on: real data, or synthetic rows of the same kinds."""

from __future__ import annotations

import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification


@dataclass(frozen=True)
class Task:
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    queries: np.ndarray | None = None


def tasks(folder: str | None) -> dict[str, Task]:
    """By name; the electricity rows are split by time, the others at random or officially."""
    if not folder:
        return _synthetic()
    load = runpy.run_path(str(Path(folder) / "load.py"))
    X, y = load["electricity"]()
    cut = len(X) // 2
    electricity = Task(X[:cut], y[:cut], X[cut:], y[cut:])
    price = np.ascontiguousarray(X[:, 1])
    rest = np.delete(X, 1, axis=1)
    X, y, is_test = load["letter"]()
    X = X.astype(np.float64)
    letter = Task(X[~is_test], y[~is_test], X[is_test], y[is_test])
    fold = load["mq2008"](1)
    (X, y, queries), (X_test, y_test, _) = fold["train"], fold["test"]
    order = np.argsort(queries, kind="stable")
    return _with_missing(_halves(*load["spambase"]())) | {
        "electricity": electricity,
        "electricity price": Task(rest[:cut], price[:cut], rest[cut:], price[cut:]),
        "letter": letter,
        "mq2008": Task(X[order], y[order], X_test, y_test, queries[order]),
        "adult": _adult(load["adult"]()),
    }


def _adult(frame: pd.DataFrame) -> Task:
    target = next(name for name in ("income", "class", "target", "y") if name in frame)
    y = frame[target].astype(str).str.contains(">50K").to_numpy().astype(int)
    is_test = frame["is_test"].to_numpy().astype(bool)
    X = frame.drop(columns=[target, "is_test"])
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    X = X.astype(dict.fromkeys(words, "category"))
    return Task(X[~is_test], y[~is_test], X[is_test], y[is_test])


def _synthetic() -> dict[str, Task]:
    binary = _halves(*make_classification(4000, 10, n_informative=6, random_state=0))
    many = make_classification(
        6000, 16, n_informative=12, n_classes=26, n_clusters_per_class=1, random_state=1
    )
    frame = pd.DataFrame(binary.X, columns=[f"c{i}" for i in range(10)])
    test = pd.DataFrame(binary.X_test, columns=frame.columns)
    for part in (frame, test):
        bins = np.digitize(part["c1"], [-1, 0, 1])
        part["c1"] = pd.Categorical.from_codes(bins, categories=list("dbca"))
    queries = np.repeat(np.arange(100), len(binary.X) // 100)
    price = Task(binary.X, binary.X[:, 0] * 10, binary.X_test, binary.X_test[:, 0] * 10)
    return _with_missing(binary) | {
        "electricity": binary,
        "electricity price": price,
        "letter": _halves(*many),
        "mq2008": Task(binary.X, binary.y, binary.X_test, binary.y_test, queries),
        "adult": Task(frame, binary.y, test, binary.y_test),
    }


def _halves(X: np.ndarray, y: np.ndarray) -> Task:
    order = np.random.default_rng(0).permutation(len(X))
    train, test = np.array_split(order, 2)
    return Task(X[train], y[train], X[test], y[test])


def _with_missing(task: Task) -> dict[str, Task]:
    rng = np.random.default_rng(0)
    X, X_test = (np.where(rng.random(X.shape) < 0.1, np.nan, X) for X in (task.X, task.X_test))
    return {"spambase": task, "spambase, 10% NaN": Task(X, task.y, X_test, task.y_test)}
