"""Rows of a problem in four parts: for training, for validation, for the policy, for the test.

DATA are eight sets on which choices were made, SEALED are sets on which nothing in the library was
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
from sklearn.model_selection import train_test_split

from benchmarks import data

DATA = ("electricity", "adult", "higgs", "spambase", "letter A-M/N-Z", "vj", "letter", "mnist")
SEALED = ("mq2007", "cbcl", "daimler", "ringnorm", "waveform")
CAPS = {"train": 8_000, "validation": 2_000, "policy": 8_000, "test": 12_000}
SHARES = {"train": 0.4, "validation": 0.1, "policy": 0.25, "test": 0.25}
MADE_ROWS = 30_000


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
