"""Flat trees: the arrays of all trees, concatenated and checked as a whole.

``Nodes`` has checked each tree by itself; here it must fit the others. The kernels rely on all of
it, and errors name the first offender.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import read_only
from mddag._utils.checks import as_floats, typed
from mddag.ensemble.nodes import NODE, Nodes
from mddag.ensemble.votes import Tables, check_scores, starts_of


def flat_nodes(
    trees: Sequence[Nodes], n_features: int
) -> tuple[NDArray[np.void], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return nodes, starts, words and word starts of all trees, as an Ensemble holds them."""
    bad = next((t for t, tree in enumerate(trees) if not isinstance(tree, Nodes)), None)
    if bad is not None:
        raise TypeError(f"trees[{bad}] is {typed(trees[bad])}; wanted Nodes")
    # As bytes: numpy compares the types of records field by field, for every tree.
    nodes = joined([tree.records.view(np.uint8) for tree in trees], np.uint8).view(NODE)
    starts = starts_of([len(tree.records) for tree in trees])
    if nodes["feature"].max(initial=-1) >= n_features:
        at = int(np.argmax(nodes["feature"] >= n_features))
        t = int(np.searchsorted(starts, at, side="right")) - 1
        raise ValueError(
            f"tree {t} splits column {nodes['feature'][at]} (node {at - starts[t]}), but there are "
            f"{n_features} features; columns must lie in 0..{n_features - 1}"
        )
    words = joined([tree.words for tree in trees], np.uint32)
    return nodes, starts, words, starts_of([len(tree.words) for tree in trees])


def flat_tables(
    trees: Sequence[Nodes],
    bias: ArrayLike,
    score: ArrayLike | None = None,
    rounds: ArrayLike | None = None,
) -> Tables:
    """Return the votes of all trees; `score` and `rounds` are as for ``Ensemble.from_trees``."""
    checked_bias = _checked_bias(bias)
    widths = np.array([tree.votes.shape[1] for tree in trees], np.intp)
    tables = Tables(
        values=joined([tree.votes.ravel() for tree in trees], np.float64),
        starts=starts_of([tree.votes.size for tree in trees]),
        score=_checked_score(score, widths, len(checked_bias)),
        rounds=_checked_rounds(rounds, len(trees)),
        bias=checked_bias,
    )
    if not np.isfinite(tables.values).all():
        at = int(np.argmin(np.isfinite(tables.values)))
        t = int(np.searchsorted(tables.starts, at, side="right")) - 1
        code = (at - tables.starts[t]) // widths[t]
        raise ValueError(
            f"tree {t} votes {tables.values[at]} (leaf code {code}); votes must be finite"
        )
    return tables


def joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    """Concatenate the parts into a copy."""
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _checked_bias(bias: ArrayLike) -> NDArray[np.float64]:
    array = np.atleast_1d(as_floats("bias", bias, "one finite number for each score, (K,)"))
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"bias is {array.tolist()}; wanted one finite number for each score, (K,)")
    return read_only(array, np.float64)


def _checked_score(
    score: ArrayLike | None, widths: NDArray[np.intp], n_scores: int
) -> NDArray[np.int32]:
    if score is None:
        score = np.where((widths == n_scores) & (n_scores > 1), -1, 0)
    array = _whole_numbers("score", score, f"one for each of {len(widths)} trees")
    if array.shape != widths.shape:
        raise ValueError(
            f"score has shape {array.shape}; wanted one number for each tree, ({len(widths)},)"
        )
    check_scores(array, n_scores)
    wanted = np.where(array < 0, n_scores, 1)
    bad = np.flatnonzero(widths != wanted)
    if len(bad):
        t = int(bad[0])
        what = f"all {n_scores} scores" if array[t] < 0 else f"score {array[t]} of {n_scores}"
        raise ValueError(
            f"tree {t} has votes of width {widths[t]}, but votes for {what}; "
            f"wanted width {wanted[t]}"
        )
    return read_only(array, np.int32)


def _checked_rounds(rounds: ArrayLike | None, n_trees: int) -> NDArray[np.int64]:
    if rounds is None:
        return read_only(np.arange(n_trees + 1), np.int64)
    array = _whole_numbers("rounds", rounds, f"rising from 0 to {n_trees}")
    if array.ndim != 1 or array.size == 0 or array[0] != 0 or array[-1] != n_trees:
        raise ValueError(
            f"rounds are {_shortened(array)}; wanted numbers rising from 0 to {n_trees}, the "
            "number of trees: h_j is the sum of trees rounds[j] .. rounds[j + 1]"
        )
    falls = np.flatnonzero(array[1:] < array[:-1])
    if len(falls):
        j = int(falls[0])
        raise ValueError(
            f"rounds fall from {array[j]} to {array[j + 1]} (base classifier {j}); "
            "wanted numbers that never fall"
        )
    return read_only(array, np.int64)


def _whole_numbers(name: str, numbers: ArrayLike, wanted: str) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(numbers)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} is {array.dtype}; wanted whole numbers, {wanted}")
    return array


def _shortened(array: NDArray[Any]) -> str:
    return np.array2string(array, threshold=6)
