"""Applicants for a loan, made up: four groups of features, each with its price.

The form comes with the application and is free. The others are looked up, at prices that differ by
what it takes: a query of the own bank, a credit bureau, a review. Most applicants can be decided
by the cheap groups; the dear ones tell more about the rest.
"""

from __future__ import annotations

import numpy as np

SIZES = {"form": 4, "bank": 6, "bureau": 5, "review": 4}
PRICES = {"form": 0.0, "bank": 1.0, "bureau": 3.0, "review": 8.0}
WEIGHTS = {"form": 1.6, "bank": 1.6, "bureau": 1.2, "review": 1.2}  # of each group in the truth
WAVE_COST = 0.2


def groups() -> dict[str, list[int]]:
    """The columns of each group."""
    ends = np.cumsum(list(SIZES.values()))
    return {
        name: list(range(end - size, end))
        for (name, size), end in zip(SIZES.items(), ends, strict=True)
    }


def applicants(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, 19), some values missing, and whether the loan was paid back, (n,)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, sum(SIZES.values())))
    truth = np.zeros(n)
    for name, columns in groups().items():
        part = X[:, columns]
        shape = part[:, 0] + 0.7 * np.tanh(2 * part[:, 1]) + 0.5 * part[:, 2] * (part[:, 3] > 0)
        truth += WEIGHTS[name] * shape
    y = (truth + 0.5 * rng.logistic(size=n) > 0).astype(int)
    X[rng.random(X.shape) < 0.03] = np.nan
    return np.round(X, 4), y
