"""Traces made by hand, from paths."""

import numpy as np
from hypothesis import strategies as st

from mddag.engine.trace import Trace


def trace_of(paths):
    """The trace of rows that follow these paths."""
    indptr = np.concatenate([[0], np.cumsum([len(p) for p in paths], dtype=np.int64)])
    indices = np.array([j for p in paths for j in p], np.int32)
    n = len(paths)
    exits = np.array([max(p, default=-1) + 1 for p in paths], np.int32)
    return Trace(np.zeros((n, 1)), indptr, indices, exits, np.diff(indptr).astype(float))


def long_trace(n_classifiers, n_rows=300, seed=0):
    """Instances that skip about a fifth of `n_classifiers` and quit anywhere."""
    rng = np.random.default_rng(seed)
    every = np.arange(n_classifiers)
    kept = (every[rng.uniform(size=n_classifiers) < 0.8] for _ in range(n_rows))
    return trace_of([p[: rng.integers(1, len(p) + 1)].tolist() if len(p) else [] for p in kept])


@st.composite
def ordered_paths(draw):
    """Paths through at most 8 base classifiers in one order, and that order."""
    order = draw(st.permutations(range(8)))
    masks = draw(st.lists(st.integers(0, 255), min_size=1, max_size=12))
    return [[j for s, j in enumerate(order) if mask >> s & 1] for mask in masks], order
