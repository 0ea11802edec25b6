"""Material: the rows of a cascade in training, and where further negatives come from.

A part of the rows is boosted on; the rest is held out, for thresholds and rates. Rows that are
rejected leave both parts, and a `Supply` of negatives, if there is one, fills the gaps with
negatives that pass the cascade so far. Where it has no more, training goes on with what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import tee
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import described
from mddag.boosting.training_set import TrainingSet
from mddag.boosting.used_columns import on_used_columns
from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.coded_rows import CodedRows, HeldRows, adaboost
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes

Index = NDArray[np.intp]
Passes = Callable[[TrainingSet], NDArray[np.bool_]]

MOST_DRAWN = 200  # rows drawn for one that is wanted, before a supply counts as exhausted


@dataclass(frozen=True, eq=False)
class Material:
    """Rows to be boosted on, and rows held out."""

    boosted: TrainingSet
    held: TrainingSet
    learner: Any
    n_threads: int = 1

    @cached_property
    def coded(self) -> CodedRows:
        return CodedRows.of(self.boosted, self.learner, self.n_threads)

    @cached_property
    def aside(self) -> HeldRows:
        return HeldRows(self.held, self.n_threads)

    def rounds(self) -> Iterator[tuple[Nodes, NDArray[np.float64]]]:
        """The rounds of ``adaboost`` on these rows, each computed once however often it is read:
        cascades of other rates have the same first stage, but for its length."""
        return copy(self._rounds)

    @cached_property
    def _rounds(self) -> Iterator[tuple[Nodes, NDArray[np.float64]]]:
        return tee(adaboost(self.coded, self.learner), 1)[0]

    def kept(self, boosted: Index, held: Index) -> Material:
        """Some of the rows; codes are kept, too."""
        part = replace(self, boosted=self.boosted.take(boosted), held=self.held.take(held))
        part.__dict__["coded"] = self.coded.taken(boosted)
        return part

    def joined(self, boosted: TrainingSet, held: TrainingSet) -> Material:
        """With further rows."""
        return replace(self, boosted=stacked(self.boosted, boosted), held=stacked(self.held, held))

    def refilled(self, supply: Supply | None, wanted: tuple[int, int], passes: Passes) -> Material:
        """With negatives of the supply that pass, up to so many in both parts together.

        They are shared out as `wanted` says: those boosted on, those held out.
        """
        have = [int((rows.labels == 0).sum()) for rows in (self.boosted, self.held)]
        missing = [max(w - h, 0) for w, h in zip(wanted, have, strict=True)]
        if supply is None or not sum(missing):
            return self
        found = supply.draw(sum(missing), passes)
        if found is None:
            return self
        n_boosted = round(len(found) * missing[0] / sum(missing))
        index = np.arange(len(found))
        return self.joined(found.take(index[:n_boosted]), found.take(index[n_boosted:]))


@dataclass(eq=False)
class Supply:
    """Negatives beyond those of ``fit``: rows (n, d) or patches, or a function of a number.

    source : an array, of which every row is used once, or source(n) -> about n rows
    like   : the training rows, whose columns the negatives have
    """

    source: Any
    like: TrainingSet
    check: Callable[[Any], Any]
    used: int = 0

    @classmethod
    def of(cls, source: Any, like: TrainingSet, check: Callable[[Any], Any]) -> Supply:
        """What was given as ``negatives``, if it can be one."""
        if callable(source):
            return cls(source, like, check)
        if not hasattr(source, "__len__") or not hasattr(source, "__getitem__"):
            raise TypeError(
                f"negatives is {described(source)}; wanted rows of the first class like those of "
                "X, or a function of a number n that returns about n such rows"
            )
        rows = np.asarray(source)
        if len(rows):
            check(rows[:1])
        return cls(rows, like, check)

    def draw(self, n: int, passes: Passes) -> TrainingSet | None:
        """Up to n negatives that pass; None if there are none."""
        found: list[TrainingSet] = []
        n_found, n_drawn = 0, 0
        while n_found < n and n_drawn < MOST_DRAWN * n:
            rows = self._next(max(4 * (n - n_found), 256))
            if rows is None:
                break
            n_drawn += len(rows)
            rows = rows.take(np.flatnonzero(passes(rows))[: n - n_found])
            n_found += len(rows)
            found.append(rows)
        found = [rows for rows in found if len(rows)]
        if not found:
            return None
        drawn = found[0]
        for rows in found[1:]:
            drawn = stacked(drawn, rows)
        return drawn

    def _next(self, n: int) -> TrainingSet | None:
        """About n more rows; None at the end."""
        if callable(self.source):
            given = self.source(n)
            if given is None or len(given) == 0:
                return None
        else:
            given = self.source[self.used : self.used + n]
            self.used += len(given)
            if len(given) == 0:
                return None
        rows = self.check(given)
        labels, weight = np.zeros(len(rows), np.intp), np.ones(len(rows))
        return replace(self.like, rows=rows, labels=labels, weight=weight)


def passing(chain: Chain, trees: list[Nodes], rows: TrainingSet) -> NDArray[np.bool_]:
    """Which rows the chain of these trees accepts, bool (n,)."""
    return chain.left(_votes(rows, trees)).accepted


def final_scores(rows: TrainingSet, trees: list[Nodes]) -> NDArray[np.float64]:
    """The sums of the votes of all trees, (n,)."""
    sums: NDArray[np.float64] = _votes(rows, trees).sum(axis=1)
    return sums


def _votes(rows: TrainingSet, trees: list[Nodes]) -> NDArray[np.float64]:
    used, features = on_used_columns(trees, rows.features)
    return Ensemble.from_trees(used, features=features).votes(rows.rows).dense()[:, :, 0]


def stacked(first: TrainingSet, second: TrainingSet) -> TrainingSet:
    """The rows of both."""
    rows = np.concatenate([np.asarray(first.rows), np.asarray(second.rows)])
    return replace(
        first,
        rows=rows if rows.ndim == 3 else first.features.rows(rows),
        labels=np.concatenate([first.labels, second.labels]),
        weight=np.concatenate([first.weight, second.weight]),
    )
