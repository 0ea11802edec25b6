"""Union: the base classifiers of several ensembles in one, each ensemble with a weight.

    f(x) = sum_m w_m f_m(x),    f_m(x) = bias_m + sum_j h_mj(x).

Ensembles of the same task over the same features only. Base classifiers are interleaved: the first
of all, the second of all, and so on, so that a prefix of the union has a prefix of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Tables, Votes, starts_of


def united(ensembles: Sequence[Ensemble], weights: Sequence[float]) -> Ensemble:
    """The weighted sum of ensembles of trees."""
    first = ensembles[0]
    for other in ensembles:
        if other.callables or other.n_scores != first.n_scores or other.kind != first.kind:
            raise ValueError(
                f"{other!r} cannot be united with {first!r}; wanted ensembles of trees for the "
                "same scores"
            )
    tables = [e.tables for e in ensembles]
    values = [t.values * w for t, w in zip(tables, weights, strict=True)]
    joined = Tables(
        values=np.concatenate(values),
        starts=starts_of(np.concatenate([np.diff(t.starts) for t in tables])),
        score=np.concatenate([t.score for t in tables]),
        rounds=starts_of(np.concatenate([np.diff(t.rounds) for t in tables])),
        bias=np.sum([t.bias * w for t, w in zip(tables, weights, strict=True)], axis=0),
    )
    whole = replace(
        first,
        tables=joined,
        nodes=np.concatenate([e.nodes for e in ensembles]),
        starts=starts_of(np.concatenate([np.diff(e.starts) for e in ensembles])),
        words=np.concatenate([e.words for e in ensembles]),
        word_starts=starts_of(np.concatenate([np.diff(e.word_starts) for e in ensembles])),
        cost=np.concatenate([e.cost for e in ensembles]),
        routed=None,
    )
    return whole.taken(interleaved([len(e) for e in ensembles]))


def united_votes(votes: Sequence[Votes], union: Ensemble) -> Votes:
    """The votes of the union on the rows of these votes of its ensembles."""
    order = interleaved([v.tables.n_classifiers for v in votes])
    rounds = starts_of(np.concatenate([np.diff(v.tables.rounds) for v in votes]))
    spans = [np.arange(rounds[j], rounds[j + 1]) for j in order]
    trees = np.concatenate([np.empty(0, np.intp), *spans])
    codes = np.hstack([v.codes for v in votes])[:, trees]
    return Votes(np.ascontiguousarray(codes, union.tables.code_dtype()), union.tables)


def interleaved(sizes: Sequence[int]) -> NDArray[np.intp]:
    """Numbers of base classifiers, laid one ensemble behind the other, in their new order."""
    within = np.concatenate([np.arange(n) for n in sizes])
    return np.argsort(within, kind="stable").astype(np.intp)
