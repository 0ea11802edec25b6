"""Steps: all rows of a batch together, step by step, in Python.

Base classifiers are callables, each called once on the rows that evaluate it, or trees, whose leaf
codes are computed beforehand. The state may be any. Votes are added in float64, so it only runs
what kernels, which add integers, cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.engine.executors.executor import Tracer
from mddag.engine.program import Program, codes_by_scores
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.policy.policy import Policy, decided
from mddag.policy.rollout import quit_verdicts

Vote = Callable[[int, NDArray[np.intp]], NDArray[np.float64]]
Visits = list[tuple[int, NDArray[np.intp]]]


class Steps(Tracer):
    """Executor of callables, and of states without kernels."""

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
        return self.run(rows, n_jobs).verdict

    def run(self, rows: Rows, n_jobs: int) -> Trace:
        ensemble, policy = self.program.ensemble, self.program.policy
        scores, visits, carried = self._followed(rows, n_jobs)
        trace = trace_of(visits, policy, ensemble.cost, scores)
        codes = codes_by_scores(ensemble, scores)
        if policy.verdict is not None:
            cells = partial(policy.state.cells, carried)
            codes = decided(codes, quit_verdicts(policy, trace.exit_step, cells))
        return replace(trace, verdict=codes)

    def _followed(self, rows: Rows, n_jobs: int) -> tuple[NDArray[np.float64], Visits, Any]:
        """Return scores, visits and what is carried at the end."""
        ensemble, policy = self.program.ensemble, self.program.policy
        carried = policy.state.start(ensemble.bias, len(rows))
        visits = follow(policy, votes_on(ensemble, rows, n_jobs), carried, len(rows))
        return policy.state.scores(carried), visits, carried


def follow(policy: Policy, vote: Vote, carried: Any, n_rows: int) -> Visits:
    """Run a policy, returning (j, rows that evaluate at step j) for each step that has any.

    `vote` returns the votes (n, K) of a base classifier on rows; `carried`, what the policy's state
    carries, is changed in place.
    """
    state, visits = policy.state, []
    at = np.zeros(n_rows, np.int32)
    for j in range(policy.n_reached):
        here = np.flatnonzero(at == j)
        if len(here) and j % policy.every == 0:
            at[here] = to = policy.jump_table[j // policy.every].take(state.cells(carried, j, here))
            here = here.compress(to == j)
        if len(here):
            state.add(carried, j, here, vote(int(policy.order[j]), here))
            at[here] = j + 1
            visits.append((j, here))
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
