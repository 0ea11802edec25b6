"""compile(ensemble, policy) -> Dag: the sparse decision DAG, run as a jump table.

    for (j = next[0, cell(f)]; j < N; j = next[j + 1, cell(f)])  f += h_j(x)

Scores are summed in float64 in the order of evaluation, whatever the batch or number of threads.
Without a policy the DAG evaluates everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._checks import checked_threads
from mddag.ensemble import Ensemble, checked_out
from mddag.features import Rows
from mddag.grid import Grid
from mddag.policy import EVAL, Policy
from mddag.trace import Trace


@dataclass(frozen=True, eq=False)
class Dag:
    """An ensemble and what to evaluate next; made by `compile`.

    ensemble : the source ensemble, in its own order
    policy   : whose step j decides on base classifier policy.order[j]

    A Dag of no base classifiers is well defined: it returns the bias.
    """

    ensemble: Ensemble
    policy: Policy

    def __post_init__(self) -> None:
        self.policy.require(self.ensemble.n_classifiers, self.ensemble.n_scores)

    def __repr__(self) -> str:
        return f"<Dag over {self.ensemble!r}>"

    def run(self, X: Any, *, n_threads: int = 1) -> Trace:
        """Scores and classification paths of every row of X."""
        n_threads = checked_threads(n_threads)
        rows = self.ensemble.features.rows(X)
        scores = np.tile(self.ensemble.bias, (len(rows), 1))
        if self.ensemble.callables:
            return self._run_callables(rows, scores)
        exit_step = np.zeros(len(rows), np.int32)
        cost = np.zeros(len(rows))
        n_evaluated, indices = _core.run_dag(
            self.ensemble.native,
            self.ensemble.tables.native,
            rows,
            self.policy.grid.native,
            self.policy.native,
            self.ensemble.cost,
            scores,
            exit_step,
            cost,
            n_threads,
        )
        indptr = np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)])
        return Trace(scores, indptr, indices, exit_step, cost)

    def scores(
        self, X: Any, out: NDArray[np.float64] | None = None, *, n_threads: int = 1
    ) -> NDArray[np.float64]:
        """f^(N)(x) of Eq. (2), float64 (n_rows, K); the paths are not kept."""
        if self.policy.evaluates_all:  # the same sums, without asking where to go
            return self.ensemble.scores(X, out, n_threads=n_threads)
        n_threads = checked_threads(n_threads)
        rows = self.ensemble.features.rows(X)
        scores = checked_out(out, (len(rows), self.ensemble.n_scores), rows)
        scores[:] = self.ensemble.bias
        if self.ensemble.callables:
            return self._run_callables(rows, scores).scores
        _core.run_scores(
            self.ensemble.native,
            self.ensemble.tables.native,
            rows,
            self.policy.grid.native,
            self.policy.native,
            scores,
            n_threads,
        )
        return scores

    def _run_callables(self, rows: Rows, scores: NDArray[np.float64]) -> Trace:
        """Step by step: each h_j is called once, on the rows that evaluate it."""
        policy, n_steps = self.policy, self.policy.n_steps
        at = policy.next[0, policy.grid.cells(scores)]
        exit_step = np.zeros(len(rows), np.int32)
        cost = np.zeros(len(rows))
        visited: list[tuple[int, NDArray[np.intp]]] = []
        for j in range(n_steps):
            here = np.flatnonzero(at == j)
            if len(here) == 0:
                continue
            classifier = int(policy.order[j])
            scores[here] += self.ensemble.call(classifier, rows[here])
            cost[here] += self.ensemble.cost[classifier]
            exit_step[here] = j + 1
            at[here] = policy.next[j + 1, policy.grid.cells(scores[here])]
            visited.append((classifier, here))
        return _trace_of_visits(scores, exit_step, cost, visited)


def compile(ensemble: Ensemble, policy: Policy | None = None) -> Dag:  # noqa: A001
    """The DAG that a policy makes of an ensemble; evaluate-all without a policy."""
    if not isinstance(ensemble, Ensemble):
        raise TypeError(
            f"ensemble is a {type(ensemble).__name__}; wanted an Ensemble: "
            "pass mddag.as_ensemble(model)"
        )
    if policy is None:
        grid = Grid(np.empty(0), ensemble.n_scores)
        policy = Policy.constant(EVAL, ensemble.n_classifiers, grid)
    if not isinstance(policy, Policy):
        raise TypeError(
            f"policy is a {type(policy).__name__}; wanted a Policy, such as solver.solve(mdp) gives"
        )
    return Dag(ensemble, policy)


def _trace_of_visits(
    scores: NDArray[np.float64],
    exit_step: NDArray[np.int32],
    cost: NDArray[np.float64],
    visited: list[tuple[int, NDArray[np.intp]]],
) -> Trace:
    owner = np.concatenate([here for _, here in visited] or [np.empty(0, np.intp)])
    index = np.concatenate([np.full(len(h), c) for c, h in visited] or [np.empty(0, np.intp)])
    by_row = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(scores))
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return Trace(scores, indptr, index[by_row].astype(np.int32), exit_step, cost)
