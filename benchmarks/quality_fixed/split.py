"""Rows of the data sets, parted into three: for the model, for the policy, for the test.

DATA are the eight of the main table. FRESH are four on which nothing in the library was chosen, to
see whether it carries over.

Each seed shuffles all rows of a data set (official splits and the order in time are ignored, so
that seeds differ) and parts them with equal shares of every class: half for the model and a quarter
for the policy, up to the caps below, the rest for the test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks import data

DATA = ("electricity", "adult", "higgs", "spambase", "letter A-M/N-Z", "vj", "letter", "mnist")
FRESH = ("bank", "mq2007", "cbcl", "daimler")
MODEL_ROWS, POLICY_ROWS, TEST_ROWS = 20_000, 10_000, 20_000


@dataclass(frozen=True)
class Parts:
    """Rows and labels 0..n_classes-1 of the three parts, each (X, y)."""

    model: tuple[Any, np.ndarray]
    policy: tuple[Any, np.ndarray]
    test: tuple[Any, np.ndarray]


def parts(name: str, seed: int, shrink: int = 1) -> Parts:
    """The parts of a data set; `shrink` divides all their sizes, to try things out."""
    X, y = labelled(name)
    y = np.unique(y, return_inverse=True)[1]
    n_model = min(len(y) // 2, MODEL_ROWS if name != "mnist" else MODEL_ROWS // 2)
    n_policy = min(len(y) // 4, POLICY_ROWS)
    n_test = min(len(y) - n_model - n_policy, TEST_ROWS)
    rest, taken = np.arange(len(y)), []
    for n in (n_model, n_policy, n_test):
        part, rest = drawn(rest, y, n // shrink, seed)
        taken.append((X.iloc[part] if hasattr(X, "iloc") else X[part], y[part]))
    return Parts(*taken)


def labelled(name: str) -> tuple[Any, np.ndarray]:
    """Letters of either half of the alphabet, documents relevant or not, MNIST in 14 x 14."""
    rows = data.read("letter" if name == "letter A-M/N-Z" else name)
    if name == "letter A-M/N-Z":
        return rows.X, rows.y >= 13
    if name == "mq2007":
        return rows.X, rows.y > 0
    if name == "mnist":
        pooled = rows.X.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4), dtype=np.float32)
        return pooled.reshape(-1, 196), rows.y
    return rows.X, rows.y


def drawn(rows: np.ndarray, y: np.ndarray, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """`n` of the rows, with equal shares of every class, and what is left of them."""
    if n == len(rows):
        return rows, rows[:0]
    part, rest = train_test_split(rows, train_size=n, stratify=y[rows], random_state=seed)
    return part, rest
