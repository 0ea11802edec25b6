"""The probe batch: rows on which a wrong conversion shows.

Every column takes values around the ensemble's own thresholds: on them, the next double and the
next float32 on each side, far away, zero, NaN where allowed; nominal columns take known and unknown
categories. It is made from the ensemble alone, with a fixed seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import categories_of
from mddag.features.features import Features
from mddag.features.patches import PatchFeatures

N_ROWS = 256
FAR = 1e30  # within float32: scikit-learn refuses larger numbers
_MISSING_SHARE = 0.08


def probe_rows(ensemble: Ensemble, n_rows: int = N_ROWS) -> NDArray[Any]:
    """float64 (n_rows, n_features); nominal columns hold category codes. Or patches of noise."""
    rng = np.random.default_rng(0)
    features = ensemble.features
    if isinstance(features, PatchFeatures):
        return rng.integers(0, 256, (n_rows, *features.window), np.uint8)
    values = _values_by_column(ensemble)
    rows = np.zeros((n_rows, features.n))
    for i in range(features.n):
        rows[:, i] = rng.choice(values[i], n_rows) if i in values else rng.normal(size=n_rows)
    if features.missing:
        rows[rng.random(rows.shape) < _MISSING_SHARE] = np.nan
    return rows


def source_rows(features: Features, rows: NDArray[Any]) -> Any:
    """The rows as the source model takes them: a frame where it was trained on named columns."""
    if features.names is None and not features.categories:
        return rows
    try:
        import pandas as pd
    except ImportError:
        if features.categories:
            raise ImportError(
                "proving a model with category columns needs pandas; install it: pip install pandas"
            ) from None
        return rows
    frame = pd.DataFrame(rows, columns=None if features.names is None else list(features.names))
    for i, values in features.categories.items():
        codes = np.nan_to_num(rows[:, i], nan=-1).astype(int)
        frame.isetitem(i, pd.Categorical.from_codes(codes, categories=list(values)))
    return frame


def _values_by_column(ensemble: Ensemble) -> dict[int, NDArray[np.float64]]:
    splits = ensemble.nodes[ensemble.nodes["feature"] >= 0]
    numeric = splits[splits["n_words"] == 0]
    order = np.argsort(numeric["feature"], kind="stable")
    columns, first = np.unique(numeric["feature"][order], return_index=True)
    groups = np.split(numeric["threshold"][order], first)[1:]
    values = {int(i): _around(group) for i, group in zip(columns, groups, strict=True)}
    return values | _codes_by_column(ensemble)


def _around(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    t = np.clip(thresholds, -FAR, FAR)
    t32 = t.astype(np.float32)
    sides = [np.nextafter(t, -np.inf), np.nextafter(t, np.inf)]
    sides32 = [np.nextafter(t32, np.float32(side)) for side in (-np.inf, np.inf)]
    between = (t + np.roll(t, 1)) / 2
    near = np.concatenate([t, *sides, t32, *sides32, between]).astype(np.float64)
    rare = np.tile([0.0, FAR, -FAR], 1 + len(t) // 3)
    return np.concatenate([near, rare])


def _codes_by_column(ensemble: Ensemble) -> dict[int, NDArray[np.float64]]:
    known: dict[int, set[int]] = {i: set() for i in ensemble.features.categories}
    for t in np.flatnonzero(np.diff(ensemble.word_starts)):
        tree = ensemble.tree(int(t))
        for node in tree.records[tree.records["n_words"] > 0]:
            words = tree.words[node["word"] : node["word"] + node["n_words"]]
            known.setdefault(int(node["feature"]), set()).update(categories_of(words).tolist())
    return {i: _codes(ensemble.features, i, codes) for i, codes in known.items()}


def _codes(features: Features, i: int, known: set[int]) -> NDArray[np.float64]:
    if i in features.categories:
        return np.arange(len(features.categories[i]), dtype=np.float64)
    largest = max(known, default=0)
    unknown = [-1, largest + 1, largest + 40, 1000 + largest]
    return np.array([*known, *range(largest), *unknown], np.float64)
