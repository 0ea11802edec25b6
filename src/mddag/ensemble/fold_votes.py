"""Fold votes: rows that vote by different models, of one form, as the votes of one ensemble.

In cross-fitting every fold of the rows has a model that was trained without it. Base classifier j
of one model stands for base classifier j of all of them: a policy sees step j and a score, not
which tree was there. So tree t of all models becomes one tree whose leaf codes are (model, leaf):
its table is the tables of the models one behind the other. All start from the bias of the last
model, the one that a policy is for; what a model's own bias differs from it goes into the first
trees that vote for its scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.leaf_depths import LeafDepths
from mddag.ensemble.votes import Codes, Tables, Votes, starts_of


def are_alike(models: Sequence[Ensemble]) -> bool:
    """Whether tree t votes for the same score, in the same base classifier, in all models."""
    first = models[0].tables
    return all(
        np.array_equal(first.score, other.tables.score)
        and np.array_equal(first.rounds, other.tables.rounds)
        and first.n_scores == other.tables.n_scores
        for other in models[1:]
    )


def fold_votes(
    models: Sequence[Ensemble], rows: Sequence[NDArray[np.intp]], codes: Sequence[Codes]
) -> Votes:
    """The votes of all rows, each by its model.

    rows  : per model, the numbers of the rows that vote by it; together all from 0 on
    codes : per model, the leaf codes of these rows
    """
    tables, shifts = joined_tables([model.tables for model in models])
    n = sum(map(len, rows))
    found: Codes = np.empty((n, tables.n_trees), tables.code_dtype())
    for of_model, own, shift in zip(rows, codes, shifts, strict=True):
        found[of_model] = own + shift.astype(found.dtype)
    return Votes(found, tables)


def joined_tables(models: Sequence[Tables]) -> tuple[Tables, NDArray[np.int64]]:
    """The tables of all models, and what is added to a model's leaf codes, (n_models, n_trees)."""
    last = models[-1]
    own = [_with_bias(tables, last.bias) for tables in models]
    n_leaves = np.stack([tables.n_leaves for tables in models])
    shifts = np.cumsum(n_leaves, axis=0) - n_leaves
    parts = [
        values[tables.starts[t] : tables.starts[t + 1]]
        for t in range(last.n_trees)
        for tables, values in zip(models, own, strict=True)
    ]
    lengths = np.sum([np.diff(tables.starts) for tables in models], axis=0)
    values = np.concatenate([np.empty(0), *parts])
    # codes do not number the leaves of one tree
    return replace(last, values=values, starts=starts_of(lengths), of_trees=False), shifts


def joined_depths(models: Sequence[Ensemble]) -> LeafDepths:
    """The depths of the leaves of all models, for codes of ``fold_votes``."""
    of_models = [LeafDepths.of(model) for model in models]
    first = of_models[0]
    parts = [
        depths.depths[depths.starts[t] : depths.starts[t + 1]]
        for t in range(len(first.starts) - 1)
        for depths in of_models
    ]
    lengths = np.sum([np.diff(depths.starts) for depths in of_models], axis=0)
    return LeafDepths(np.concatenate(parts), starts_of(lengths), first.rounds)


def _with_bias(tables: Tables, common: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of the trees of a model whose bias becomes the common one."""
    values, missing = tables.values.copy(), tables.bias - common
    for t in range(tables.n_trees):
        here = values[tables.starts[t] : tables.starts[t + 1]]
        k = tables.score[t]
        if k < 0:
            here += np.tile(missing, len(here) // len(missing))
            missing = np.zeros_like(missing)
        else:
            here += missing[k]
            missing[k] = 0.0
        if not missing.any():
            break
    return values
