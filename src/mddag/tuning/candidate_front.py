"""CandidateFront: candidates from many evaluations to few, and the one that a bound takes.

A candidate is a policy and what it did to every row. The first of them, the full ensemble, loses
nothing by definition. Where candidates come from is not known here: ``candidates`` learns them for
one ensemble.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.policy import Policy


@dataclass(frozen=True, eq=False)
class Candidate:
    """A policy and what it did to all the rows.

    n_evaluated : int32 (n,)
    excess      : float64 (n,), loss beyond the full ensemble's
    counted     : (n,), what the objective counts; None where that is evaluations
    """

    beta: float
    policy: Policy
    n_evaluated: NDArray[np.int32]
    excess: NDArray[np.float64]
    counted: NDArray[Any] | None = None

    @property
    def cost(self) -> NDArray[Any]:
        """What counts, (n,)."""
        return self.n_evaluated if self.counted is None else self.counted


class CandidateFront:
    """Candidates, the full ensemble first, and the weight of the rows in means (n,), or None."""

    candidates: list[Candidate]
    weight: NDArray[np.float64] | None

    @property
    def everything(self) -> Candidate:
        """The full ensemble."""
        return self.candidates[0]

    def within_loss(
        self, bound: float, seen: NDArray[np.intp], judges: NDArray[np.intp]
    ) -> Candidate:
        """The fewest evaluations with at most `bound` mean excess loss on the rows `judges`, as
        have all candidates with more evaluations: one that is merely lucky does not pass."""

        def acceptable(candidate: Candidate) -> bool:
            return self._mean(candidate.excess, judges) <= bound

        return list(takewhile(acceptable, self.laid_out(bound, acceptable, seen)))[-1]

    def laid_out(
        self, bound: float, acceptable: Callable[[Candidate], bool], seen: NDArray[np.intp]
    ) -> list[Candidate]:
        """Candidates from the most evaluations to the fewest, the full ensemble first.

        They lie close together where they cease to be `acceptable`. Those with more than `bound`
        mean excess loss on the rows `seen` are left out: they would only end a sequence of tests.
        """
        self._prepare(acceptable)
        hopeful = [c for c in self.candidates[1:] if self._mean(c.excess, seen) <= bound]
        hopeful.sort(key=lambda c: -self._mean(c.cost, seen))
        return [self.everything, *hopeful]

    def _prepare(self, acceptable: Callable[[Candidate], bool]) -> None:
        """Where candidates are not all known, look for those that matter."""

    def _mean(self, numbers: NDArray[Any], rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Over some of the rows, or all, by their weights."""
        weight = None if self.weight is None else self.weight[rows]
        return float(np.average(numbers[rows], weights=weight))
