"""Small data sets, and the check that every adapter has to pass."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from mddag import Ensemble, as_ensemble
from mddag.adapters import MEMBERS

Check = Callable[..., Ensemble]


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """These models are too small for threads, which only get into each other's way."""
    with threadpool_limits(1):
        yield


def _rows(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        700, 8, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=n_classes
    )


@pytest.fixture(scope="session")
def two() -> tuple[np.ndarray, np.ndarray]:
    return _rows(2)


@pytest.fixture(scope="session")
def three() -> tuple[np.ndarray, np.ndarray]:
    return _rows(3)


@pytest.fixture(scope="session")
def two_missing(two) -> tuple[np.ndarray, np.ndarray]:
    X, y = two
    missing = np.random.default_rng(0).random(X.shape) < 0.1
    return np.where(missing, np.nan, X), y


@pytest.fixture(scope="session")
def codes(two) -> tuple[np.ndarray, np.ndarray]:
    """Columns 1 and 4 hold category codes with gaps; some are missing."""
    X, y = two
    X = X.copy()
    X[:, 1] = np.digitize(X[:, 1], [-1, 0, 1])
    X[:, 4] = 5 * np.digitize(X[:, 4], np.linspace(-2, 2, 9))
    X[::7, 1] = X[::9, 4] = np.nan
    return X, y


@pytest.fixture(scope="session")
def frame(codes) -> tuple[pd.DataFrame, np.ndarray]:
    """The same as category columns: words in an order of their own, and numbers."""
    X, y = codes
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)])
    words = frame["x1"].map({0.0: "low", 1.0: "mid", 2.0: "high", 3.0: "top"})
    frame["x1"] = pd.Categorical(words, categories=["top", "low", "high", "mid"])
    fives = np.nan_to_num(X[:, 4] / 5, nan=-1).astype(int)
    frame["x4"] = pd.Categorical.from_codes(fives, categories=5 * np.arange(10))
    return frame, y


@pytest.fixture(scope="session")
def check() -> Check:
    """Convert, and hold scores and labels against the model's own on these rows."""

    def checked(model: Any, X: Any, labels: Any = None, **options: Any) -> Ensemble:
        ensemble = as_ensemble(model, **options)
        adapter = next(member for member in MEMBERS if member.accepts(model))
        for rows in (X, X.astype(np.float32)) if isinstance(X, np.ndarray) else (X,):
            ours, theirs = ensemble.scores(rows), adapter.raw_scores(model, rows)
            np.testing.assert_allclose(
                ours, theirs, rtol=0, atol=adapter.tolerance * np.abs(theirs).max()
            )
        if labels is not None:
            np.testing.assert_array_equal(ensemble.labels(ensemble.scores(X)), np.ravel(labels))
        return ensemble

    return checked
