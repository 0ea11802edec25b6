"""Verdicts of a run: the class of each row, by the policy's verdict where it has one.

    class = verdict[d, c] if that is not -1, else the class by the scores

d is the decision at which a row quits, c its cell there. Executors give the exit step and the
scores alone. Where the state folds, that is enough: behind its last evaluation a row stays in the
cell of its final scores, so d is the first decision from there on at which this cell quits. Where
it does not, the executor *steps* writes down d and c as rows quit (``Quits``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.dag.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks.classification import winners
from mddag.mdp.policy import Policy
from mddag.mdp.verdicts import decided


def codes_by_scores(ensemble: Ensemble, scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Class codes (n,), which need no labels; -1 for models without classes."""
    if ensemble.task.predicts_classes:
        return winners(scores)
    return np.full(len(scores), -1, np.intp)


def verdicts_by_exits(
    program: Program, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
) -> NDArray[np.intp]:
    """Class codes (n,) of rows that kernels have run."""
    policy, codes = program.policy, codes_by_scores(program.ensemble, scores)
    if policy.verdict is None:
        return codes
    return verdicts_of_exits(policy, codes, exit_step, program.cells(scores))


def verdicts_of_exits(
    policy: Policy,
    codes: NDArray[np.intp],
    exit_step: NDArray[np.int32],
    cells: NDArray[np.int32],
) -> NDArray[np.intp]:
    """The same, given the codes by the scores and the cells of the final scores, each (n,)."""
    if policy.verdict is None:
        return codes
    return decided(codes, policy.last_verdicts[policy.decision_after(exit_step), cells])


@dataclass(frozen=True, eq=False)
class Quits:
    """Where rows quit, written down as they do.

    decision : int32 (n,), n_decisions for rows that have passed all steps
    cell     : int32 (n,)
    """

    policy: Policy
    decision: NDArray[np.int32]
    cell: NDArray[np.int32]

    @classmethod
    def of(cls, policy: Policy, n_rows: int) -> Quits:
        """No row has quit yet."""
        n_decisions = len(policy.actions)
        return cls(policy, np.full(n_rows, n_decisions, np.int32), np.zeros(n_rows, np.int32))

    def leave(self, j: int, rows: NDArray[np.intp], cells: NDArray[np.integer[Any]]) -> None:
        """These rows, in these cells at step j, evaluate no more."""
        self.decision[rows] = self.policy.last_decisions[-(-j // self.policy.n_together), cells]
        self.cell[rows] = cells

    def verdicts(self, carried: Any, codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Class codes (n,), given those by the scores."""
        if self.policy.verdict is None:
            return codes
        n_decisions, n_steps = len(self.policy.actions), self.policy.n_steps
        passed = np.flatnonzero(self.decision == n_decisions)
        if len(passed):
            self.cell[passed] = self.policy.state.cells(carried, n_steps, passed)
        return decided(codes, self.policy.verdict[self.decision, self.cell])
