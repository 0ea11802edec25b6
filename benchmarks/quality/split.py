"""Rows of the data sets, parted into three: for the model, for the policy, for the test.

DATA are the eight of the tables. FRESH are four on which nothing in the library was chosen, to see
whether the tables carry over.

Each seed shuffles all rows of a data set (official splits and the order in time are ignored, so
that seeds differ) and parts them with equal shares of every class: half for the model and a quarter
for the policy, up to the caps below, the rest for the test. MNIST is pooled to 14 x 14 pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.data import load

MODEL_ROWS, POLICY_ROWS, TEST_ROWS = 20_000, 10_000, 20_000


@dataclass(frozen=True)
class Parts:
    """Rows and labels 0..n_classes-1 of the three parts, each (X, y)."""

    model: tuple[Any, np.ndarray]
    policy: tuple[Any, np.ndarray]
    test: tuple[Any, np.ndarray]


def parts(name: str, seed: int, shrink: int = 1) -> Parts:
    """The parts of a data set; `shrink` divides all their sizes, to try things out."""
    X, y = {**DATA, **FRESH}[name]()
    y = np.unique(y, return_inverse=True)[1]
    n_model = min(len(y) // 2, MODEL_ROWS if name != "mnist" else MODEL_ROWS // 2)
    n_policy = min(len(y) // 4, POLICY_ROWS)
    n_test = min(len(y) - n_model - n_policy, TEST_ROWS)
    rest, taken = np.arange(len(y)), []
    for n in (n_model, n_policy, n_test):
        part, rest = _drawn(rest, y, n // shrink, seed)
        taken.append((X.iloc[part] if hasattr(X, "iloc") else X[part], y[part]))
    return Parts(*taken)


def _drawn(rows: np.ndarray, y: np.ndarray, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """`n` of the rows, with equal shares of every class, and what is left of them."""
    if n == len(rows):
        return rows, rows[:0]
    part, rest = train_test_split(rows, train_size=n, stratify=y[rows], random_state=seed)
    return part, rest


def adult() -> tuple[Any, np.ndarray]:
    frame = load.adult().drop(columns="is_test")
    return categories(frame, frame.pop("income"))


def bank() -> tuple[Any, np.ndarray]:
    """Without the duration of the call, which is known only after it."""
    frame = load.bank().drop(columns="duration")
    return categories(frame, frame.pop("y"))


def categories(frame: Any, y: Any) -> tuple[Any, np.ndarray]:
    """A frame, strings as categories."""
    strings = frame.select_dtypes(exclude="number").columns
    return frame.astype(dict.fromkeys(strings, "category")), y.to_numpy()


def halves_of_letter() -> tuple[np.ndarray, np.ndarray]:
    """A to M against N to Z."""
    X, y, _ = load.letter()
    return X, y >= 13


def vj() -> tuple[np.ndarray, np.ndarray]:
    """Raw pixels, 24 x 24."""
    X, y = load.vj_faces()
    return X.reshape(len(X), -1), y


def cbcl() -> tuple[np.ndarray, np.ndarray]:
    """Raw pixels, 19 x 19, of both official parts."""
    X, y, X_test, y_test = load.cbcl_faces()
    return np.concatenate([X, X_test]).reshape(-1, 361), np.append(y, y_test)


def daimler() -> tuple[np.ndarray, np.ndarray]:
    """Raw pixels, 18 x 36."""
    X, y, _ = load.daimler_ped()
    return X.reshape(len(X), -1), y


def mq2007() -> tuple[np.ndarray, np.ndarray]:
    """Relevant or not, 85 % of the documents; queries are not kept together."""
    documents = load.mq2007()
    return documents["X"], documents["y"] > 0


def mnist() -> tuple[np.ndarray, np.ndarray]:
    X, y, X_test, y_test = load.mnist()
    pixels = np.concatenate([X, X_test]).reshape(-1, 14, 2, 14, 2)
    return pixels.mean(axis=(2, 4), dtype=np.float32).reshape(-1, 196), np.append(y, y_test)


DATA: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "electricity": lambda: load.electricity(),
    "adult": adult,
    "higgs": lambda: load.higgs_sample(),
    "spambase": lambda: load.spambase(),
    "letter A-M/N-Z": halves_of_letter,
    "vj": vj,
    "letter": lambda: load.letter()[:2],
    "mnist": mnist,
}
FRESH: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "bank": bank,
    "mq2007": mq2007,
    "cbcl": cbcl,
    "daimler": daimler,
}
