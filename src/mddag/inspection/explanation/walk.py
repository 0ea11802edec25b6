"""The way of one row through a policy, decision by decision.

    EVAL: f += h_j(x)     SKIP: nothing     QUIT: stop

The jump table folds chains of SKIPs; here they are unfolded, since they are to be told. Sums are
those of the executors to the last bit: integers where base classifiers are trees on scores or
stages (``IntegerVotes``), else float64.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.dag.executors.steps import votes_on
from mddag.dag.program import Program
from mddag.features.rows import Rows
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.mdp.stages import Stages

THE_ROW = np.zeros(1, np.intp)


@dataclass(frozen=True, eq=False)
class Visit:
    """One evaluation.

    step       : of the policy
    classifier : its number in the ensemble of the program
    votes      : float64 (K,), what it added
    scores     : float64 (K,), the sum behind it
    skipped    : classifiers that were skipped since the evaluation before
    """

    step: int
    classifier: int
    votes: NDArray[np.float64]
    scores: NDArray[np.float64]
    skipped: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Walked:
    """All evaluations of a row, and its end.

    start    : float64 (K,), f^(0)
    scores   : float64 (K,), the final ones
    decision : at which it quits; the number of decisions if it passed all of them
    cell     : its cell there
    read     : float64 (K,), the scores that the cell is made of; with stages they may be others
               than the final ones
    skipped  : classifiers that were skipped behind the last evaluation
    """

    visits: tuple[Visit, ...]
    start: NDArray[np.float64]
    scores: NDArray[np.float64]
    decision: int
    cell: int
    read: NDArray[np.float64]
    skipped: tuple[int, ...]


def walk(program: Program, row: Rows) -> Walked:
    """Take a row (1, n_features) through the policy of a program."""
    policy, tally = program.policy, _Tally(program, row)
    start = tally.scores()
    visits: list[Visit] = []
    skipped: list[int] = []
    decision = 0
    while decision < len(policy.actions):
        cell = tally.cell(decision * policy.every)
        action = policy.actions[decision, cell]
        if action == QUIT:
            break
        behind = _behind(policy, decision, cell)
        steps = range(policy.n_steps)[decision * policy.every : behind * policy.every]
        for j in steps:
            if action == EVAL:
                votes, scores = tally.add(j)
                visits.append(Visit(j, int(policy.order[j]), votes, scores, tuple(skipped)))
                skipped = []
            else:
                skipped.append(int(policy.order[j]))
        decision = behind
    last = min(decision * policy.every, policy.n_steps)
    return Walked(
        visits=tuple(visits),
        start=start,
        scores=tally.scores(),
        decision=decision,
        cell=tally.cell(last),
        read=tally.read(last)[0],
        skipped=tuple(skipped),
    )


def _behind(policy: Policy, decision: int, cell: int) -> int:
    """The decision behind this one: the next, or the later one that a SKIP of some policies names
    (``Policy.leaps``)."""
    leaps = getattr(policy, "leaps", None)
    if leaps is None or policy.actions[decision, cell] == EVAL:
        return decision + 1
    return int(leaps[decision, cell])


class _Tally:
    """What the policy's state carries for one row."""

    def __init__(self, program: Program, row: Rows) -> None:
        self.program, self.state = program, program.policy.state
        ensemble, self.unit, tables = program.ensemble, 1.0, program.ensemble.tables
        if program.has_walk:  # integers, which float64 holds exactly
            fixed = program.fixed_point
            values, bias = (a.astype(np.float64) for a in (fixed.values, fixed.bias))
            tables, self.unit = replace(tables, values=values, bias=bias), fixed.unit
        self.vote = votes_on(replace(ensemble, tables=tables), row, 1)
        self.carried: Any = self.state.start(tables.bias, 1)

    def cell(self, j: int) -> int:
        """The cell at step j."""
        if not self.program.has_walk:
            return int(self.state.cells(self.carried, j, THE_ROW)[0])
        return int(self.program.cells(self.read(j))[0])

    def add(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate step j: its votes, and the sum that it wrote to."""
        votes = self.vote(int(self.program.policy.order[j]), THE_ROW)
        self.state.add(self.carried, j, THE_ROW, votes)
        return votes[0] * self.unit, self.scores()

    def scores(self) -> NDArray[np.float64]:
        """The scores so far, (K,); of stages, those of the column that is read next."""
        copy: NDArray[np.float64] = self.state.scores(self.carried)[0] * self.unit
        return copy

    def read(self, j: int) -> NDArray[np.float64]:
        """The scores that step j looks at, (1, K)."""
        if not isinstance(self.state, Stages):
            return self.scores()[None]
        columns = self.carried[0].reshape(1, self.state.n_columns, -1)
        column: NDArray[np.float64] = columns[:, self.state.reads[j]] * self.unit
        return column
