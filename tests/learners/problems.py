"""Small learning problems full of ties: few distinct values, few distinct weights, twin columns."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mddag.learners.columns import Columns


@st.composite
def problems(draw, max_rows=24):
    """(X, columns, targets, weights) as learners see them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, 4))
    n_classes = draw(st.sampled_from([1, 1, 2, 3, 5, 9]))
    X = rng.integers(0, draw(st.sampled_from([1, 2, 4, 40])), (n, d)).astype(np.float64)
    X[:, rng.random(d) < 0.2] = 3.0  # constant columns
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.0, 0.2, 0.7]))] = np.nan
    if d > 1 and draw(st.booleans()):
        X[:, -1] = X[:, 0]
    nominal = rng.random(d) < draw(st.sampled_from([0.0, 0.5]))
    columns = Columns.from_rows(X, nominal=nominal, n_jobs=draw(st.sampled_from([1, 2])))
    if draw(st.booleans()):
        columns = replace(columns, codes=columns.codes.astype(np.uint16))
    if draw(st.booleans()):
        columns = columns.restricted(np.flatnonzero(rng.random(d) < 0.7))
    return X, columns, *labels(rng, n, n_classes)


def labels(rng, n, n_classes):
    """Targets and weights, some of which are 0 and many of which are equal."""
    targets = rng.choice(np.array([-1, 1], np.int8), (n, n_classes))
    shares = rng.integers(0, 3, (n, n_classes)).astype(np.float64)
    return targets, shares / max(shares.sum(), 1.0)


def many_codes(seed, n_rows, n_codes=300, n_classes=1):
    """Two columns with more codes than a byte holds, the second nominal, some values missing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_codes, (n_rows, 2)).astype(np.float64)
    X[rng.random(X.shape) < 0.1] = np.nan
    cuts = (np.arange(n_codes - 1) + 0.5, np.empty(0))
    counts = np.full(2, n_codes, np.int32)
    codes = np.where(np.isnan(X), n_codes, X).T.astype(np.uint16)
    columns = Columns(
        np.ascontiguousarray(codes),
        cuts,
        counts,
        nominal=np.array([False, True]),
        missing=np.array([True, True]),
        candidates=np.array([0]) if n_classes > 1 else np.arange(2),
    )
    return X, columns, *labels(rng, n_rows, n_classes)


def assert_same(got, wanted):
    """Two Nodes are equal to the bit."""
    assert got.records.tolist() == wanted.records.tolist()
    assert got.votes.tolist() == wanted.votes.tolist()
    assert got.words.tolist() == wanted.words.tolist()
