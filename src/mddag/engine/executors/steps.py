"""Steps: all rows of a batch together, step by step, in Python.

Base classifiers are callables, each called once on the rows that evaluate it, or trees, whose leaf
codes are computed beforehand. The state may be any. Votes are added in float64, so it only runs
what kernels, which add integers, cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.engine.program import Program, codes_by_scores
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.policy.policy import Policy, decided
from mddag.policy.rollout import Quits

Vote = Callable[[int, NDArray[np.intp]], NDArray[np.float64]]
Visits = list[tuple[int, NDArray[np.intp]]]


@dataclass(frozen=True, eq=False)
class Steps:
    """Executor of callables, and of states without kernels."""

    program: Program
    name: ClassVar[str] = "steps"

    @staticmethod
    def runs(program: Program) -> bool:
        return not program.has_walk

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_steps(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_jobs: int) -> None:
        out[:] = self._followed(rows, n_jobs)[0]

    def exits(self, rows: Rows, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        scores, visits, _ = self._followed(rows, n_jobs)
        return scores, exit_steps(visits, len(rows))

    def verdicts(self, rows: Rows, n_jobs: int) -> NDArray[np.intp]:
        return self._followed(rows, n_jobs)[2]

    def run(self, rows: Rows, n_jobs: int) -> Trace:
        scores, visits, verdict = self._followed(rows, n_jobs)
        trace = trace_of(visits, self.program.policy, self.program.ensemble.cost, scores)
        return replace(trace, verdict=verdict)

    def _followed(
        self, rows: Rows, n_jobs: int
    ) -> tuple[NDArray[np.float64], Visits, NDArray[np.intp]]:
        ensemble, policy = self.program.ensemble, self.program.policy
        carried = policy.state.start(ensemble.bias, len(rows))
        quits = None if policy.verdict is None else Quits.of(policy, len(rows))
        visits = follow(policy, votes_on(ensemble, rows, n_jobs), carried, len(rows), quits)
        scores = policy.state.scores(carried)
        codes = codes_by_scores(ensemble, scores)
        if quits is not None:
            cells = partial(policy.state.cells, carried)
            codes = decided(codes, quits.verdicts(cells))
        return scores, visits, codes


def follow(
    policy: Policy, vote: Vote, carried: Any, n_rows: int, quits: Quits | None = None
) -> Visits:
    """Run a policy, returning (j, rows that evaluate at step j) for each step that has any.

    `vote` returns the votes (n, K) of a base classifier on rows; `carried`, what the policy's state
    carries, is changed in place; `quits` notes where rows quit.
    """
    state, visits = policy.state, []
    at = np.zeros(n_rows, np.int32)
    for j in range(policy.n_reached):
        here = np.flatnonzero(at == j)
        if len(here) and j % policy.every == 0:
            cells = state.cells(carried, j, here)
            at[here] = to = policy.leads_to(j, cells)
            if quits is not None:
                quits.leave(j, here.compress(to == policy.n_steps), cells[to == policy.n_steps])
            here = here.compress(to == j)
        if len(here):
            state.add(carried, j, here, vote(int(policy.order[j]), here))
            at[here] = j + 1
            visits.append((j, here))
    here = np.flatnonzero(at == policy.n_reached)
    if quits is not None and policy.n_reached < policy.n_steps and len(here):
        quits.leave(policy.n_reached, here, state.cells(carried, policy.n_reached, here))
    return visits


def votes_on(ensemble: Ensemble, rows: Rows, n_jobs: int) -> Vote:
    """Return a function that gives the votes of base classifiers on some of the rows."""
    if ensemble.callables:
        return lambda classifier, here: ensemble.call(classifier, rows[here])
    votes = ensemble.votes(rows, n_jobs=n_jobs)
    tables, codes = votes.tables, votes.codes

    def vote(classifier: int, here: NDArray[np.intp]) -> NDArray[np.float64]:
        total = np.zeros((len(here), tables.n_scores))
        for t in range(tables.rounds[classifier], tables.rounds[classifier + 1]):
            total += tables.table(t)[codes[here, t]]
        return total

    return vote


def exit_steps(visits: Visits, n_rows: int) -> NDArray[np.int32]:
    """Return one more than the last step that evaluates each row, 0 if there is none."""
    exit_step = np.zeros(n_rows, np.int32)
    for j, here in visits:
        exit_step[here] = j + 1
    return exit_step


def trace_of(
    visits: Visits, policy: Policy, prices: NDArray[np.float64], scores: NDArray[np.float64]
) -> Trace:
    """Return the paths that visits make, with the price of every base classifier (N,)."""
    n_rows, none = len(scores), np.empty(0, np.intp)
    owner = np.concatenate([here for _, here in visits] or [none])
    evaluated = [np.full(len(here), policy.order[j]) for j, here in visits]
    index = np.concatenate(evaluated or [none])
    cost = np.bincount(owner, prices[index], n_rows).astype(float)  # in the order of evaluation
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n_rows))])
    by_row = np.argsort(owner, kind="stable")
    indices = index[by_row].astype(np.int32)
    return Trace(scores, indptr, indices, exit_steps(visits, n_rows), cost)
