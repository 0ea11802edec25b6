"""Real data for the speed benchmark: rows to train on, rows for the policy, rows to test on.

electricity   two classes, 500 trees of 8 leaves
letter        26 classes x 100 trees of 8 leaves
mnist         10 classes x 100 trees of 8 leaves, 10 000 rows to train on
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.data import train_and_test
from benchmarks.speed.models import CACHE, Shape, keep, keep_full

NAMES = ("electricity", "letter", "mnist")
ROUNDS = {"electricity": 500, "letter": 100, "mnist": 100}
MNIST_ROWS = 20_000  # half for the model, half for the policy
POLICY_FRACTION = {"electricity": 0.4, "letter": 0.3, "mnist": 0.5}


@dataclass(frozen=True)
class Data:
    """Rows, float32, and the folder of the model that was trained on others."""

    name: str
    folder: Path
    X_policy: np.ndarray
    y_policy: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def prepared(name: str) -> Data:
    """The rows of a data set and its trained model, which is made where absent."""
    X, y, X_test, y_test = train_and_test(name, MNIST_ROWS if name == "mnist" else None)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    X_train, X_policy, y_train, y_policy = train_test_split(
        X, y, test_size=POLICY_FRACTION[name], stratify=y, random_state=0
    )
    folder = CACHE / name
    if not (folder / "lightgbm.txt").exists():
        n_classes = len(np.unique(y))
        shape = Shape(name, X.shape[1], ROUNDS[name], n_classes=n_classes, n_train=len(X_train))
        keep(folder, shape, X_train, y_train, X_test)
    keep_full(folder)
    return Data(name, folder, X_policy, y_policy, X_test, y_test)
