"""Rows of a problem in four parts: for training, for validation, for the policy, for the test.

DATA are the eight sets of the older table, SEALED are sets on which nothing in the library was
chosen. Each seed shuffles all rows and parts them with equal shares of every class: two fifths for
training, a tenth for validation, a quarter for the policy, the rest for the test, up to the caps.
Two of the sealed sets are made, so that they cannot have been seen (Breiman 1996): ringnorm, two
normal laws of 20 dimensions, one inside the other, and waveform, three classes of mixed waves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.quality_fixed.split import DATA, drawn, labelled

SEALED = ("mq2007", "cbcl", "daimler", "ringnorm", "waveform")
CAPS = {"train": 8_000, "validation": 2_000, "policy": 8_000, "test": 12_000}
SHARES = {"train": 0.4, "validation": 0.1, "policy": 0.25, "test": 0.25}
MADE_ROWS = 30_000

__all__ = ["CAPS", "DATA", "SEALED", "Parts", "Sample", "parts"]


@dataclass(frozen=True)
class Sample:
    """Rows and labels 0 … n_classes-1."""

    X: Any
    y: np.ndarray


@dataclass(frozen=True)
class Parts:
    """The four parts of a data set."""

    train: Sample
    validation: Sample
    policy: Sample
    test: Sample

    @property
    def n_classes(self) -> int:
        return int(self.train.y.max()) + 1

    @cached_property
    def all_rows(self) -> Sample:
        """Those for training and for the policy, which a user who has chosen trains on again."""
        one, other = self.train.X, self.policy.X
        y = np.concatenate([self.train.y, self.policy.y])
        if hasattr(one, "iloc"):
            import pandas

            return Sample(pandas.concat([one, other], ignore_index=True), y)
        return Sample(np.concatenate([one, other]), y)


def parts(name: str, seed: int, shrink: int = 1) -> Parts:
    """The parts of a data set; `shrink` divides all their sizes, to try things out."""
    X, y = made(name) if name in ("ringnorm", "waveform") else labelled(name)
    y = np.unique(y, return_inverse=True)[1]
    rest, samples = np.arange(len(y)), {}
    for part, share in SHARES.items():
        wanted = len(rest) if part == "test" else int(share * len(y))
        n = min(wanted, CAPS[part]) // shrink
        chosen, rest = drawn(rest, y, n, seed)
        samples[part] = Sample(X.iloc[chosen] if hasattr(X, "iloc") else X[chosen], y[chosen])
    return Parts(**samples)


def made(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one of the two made sets."""
    random = np.random.default_rng(2026)
    y = random.integers(0, 2 if name == "ringnorm" else 3, MADE_ROWS)
    if name == "ringnorm":
        X = random.normal(size=(MADE_ROWS, 20))
        return np.where(y[:, None] == 0, 2 * X, X + 2 / np.sqrt(20)), y
    wave = np.maximum(6 - np.abs(np.arange(21) - np.array([[6], [14], [10]])), 0)
    share = random.random((MADE_ROWS, 1))
    mixed = share * wave[y] + (1 - share) * wave[(y + 1) % 3]
    return mixed + random.normal(size=mixed.shape), y
