"""Quits: the decision and the cell in which each row quits, and so its verdict.

They are written down as rows quit, or found afterwards from what is carried at the end
(``Quits.found``), as long as the cells of a row do not depend on other rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.policy import Policy

# The cells of some of the rows at step j; at the end, where j is N, of those that have passed it.
Cells = Callable[[int, NDArray[np.intp]], NDArray[np.integer[Any]]]


@dataclass(frozen=True, eq=False)
class Quits:
    """Where rows quit.

    decision : int32 (n,), n_decisions for rows that have passed all steps
    cell     : int32 (n,), of those that have not
    """

    policy: Policy
    decision: NDArray[np.int32]
    cell: NDArray[np.int32]

    @classmethod
    def of(cls, policy: Policy, n_rows: int) -> Quits:
        """No row has quit yet."""
        n_decisions = len(policy.actions)
        return cls(policy, np.full(n_rows, n_decisions, np.int32), np.zeros(n_rows, np.int32))

    @classmethod
    def found(cls, policy: Policy, exit_step: NDArray[np.int32], cells: Cells) -> Quits:
        """Where rows quit that evaluate nothing from their exit steps (n,) on."""
        quits, at = cls.of(policy, len(exit_step)), policy.decision_after(exit_step)
        for d in range(len(policy.actions)):
            here = np.flatnonzero(at == d)
            if not len(here):
                continue
            j = d * policy.n_together
            seen = cells(j, here)
            to = policy.jump_table[d].take(seen)
            at[here], gone = policy.decision_after(to), to == policy.n_steps
            quits.leave(j, here[gone], seen[gone])
        return quits

    def leave(self, j: int, rows: NDArray[np.intp], cells: NDArray[np.integer[Any]]) -> None:
        """These rows, in these cells at step j, evaluate no more."""
        self.decision[rows] = self.policy.last_decisions[-(-j // self.policy.n_together), cells]
        self.cell[rows] = cells

    def verdicts(self, cells: Cells) -> NDArray[np.int16]:
        """The verdict of the policy on each row (n,); -1 is that by the scores."""
        assert self.policy.verdict is not None
        n_decisions, n_steps = len(self.policy.actions), self.policy.n_steps
        passed = np.flatnonzero(self.decision == n_decisions)
        if len(passed):
            self.cell[passed] = cells(n_steps, passed)
        return self.policy.verdict[self.decision, self.cell]
