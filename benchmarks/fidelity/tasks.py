"""The rows to train and test on: real data, or synthetic rows of the same kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks import data


@dataclass(frozen=True)
class Task:
    """Rows and targets to train on and to test on; the query (n,) of each row to train on."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    queries: np.ndarray | None = None


def tasks() -> dict[str, Task]:
    """By name; the electricity rows are split by time, the others at random or officially."""
    if not data.is_there():
        return _synthetic()
    spambase, electricity = data.read("spambase"), data.read("electricity")
    price = electricity.X[:, 1].copy()
    X, y, X_test, y_test = data.train_and_test("letter")
    letter = Task(X.astype(np.float64), y, X_test.astype(np.float64), y_test)
    X, income, X_test, income_test = data.train_and_test("adult")
    adult = Task(X, _is_high(income), X_test, _is_high(income_test))
    return _with_missing(_halves(spambase.X, spambase.y)) | {
        "electricity": _by_time(electricity.X, electricity.y),
        "electricity price": _by_time(np.delete(electricity.X, 1, axis=1), price),
        "letter": letter,
        "mq2008": _first_fold(),
        "adult": adult,
    }


def _by_time(X: np.ndarray, y: np.ndarray) -> Task:
    cut = len(X) // 2
    return Task(X[:cut], y[:cut], X[cut:], y[cut:])


def _is_high(income: np.ndarray) -> np.ndarray:
    return (income == ">50K").astype(int)


def _first_fold() -> Task:
    """Of MQ2008, its rows sorted by query, as rankers want them."""
    fold = data.loaded("mq2008", 1)
    (X, y, queries), (X_test, y_test, _) = fold["train"], fold["test"]
    order = np.argsort(queries, kind="stable")
    return Task(X[order], y[order], X_test, y_test, queries[order])


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
