"""Run policies whose state looks at whole queries.

Trees run natively (native/blocks/run/query_run.hpp) where kernels know the state's number, no row
skips, decisions fall on check points, and no query has more documents than a block has rows;
otherwise step by step, as callables do. Votes of trees are rounded to the same integers either way,
and sums of them are exact in float64, so both give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.cached import cached_property
from mddag.engine.cost_model import CALL_BLOCKS, COMPACTION
from mddag.engine.executors import exit_steps, follow, trace_of, votes_on
from mddag.engine.program import Program
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.metrics.ranking import Queries
from mddag.policy.policy import EVAL, QUIT, SKIP

if TYPE_CHECKING:  # states have this executor
    from mddag.ranking.states import QueryState

NO_URGENCY: _core.Urgency = (np.zeros(1), False, np.zeros(1), np.zeros(1), 0.0)


@dataclass(frozen=True, eq=False)
class ByQuery:
    """Executor of a policy with a `QueryState`; its methods are those of ``QueryExecutor``."""

    program: Program
    state: QueryState

    def exits(
        self, rows: Rows, qid: Any, n_jobs: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]:
        """Return readings (n_rows, 1), exit steps and numbers of evaluations, both (n_rows,)."""
        queries = Queries.of(qid, len(rows))
        if not self._is_native(queries):
            trace = self.followed(rows, queries, n_jobs)
            return trace.scores, trace.exit_step, trace.n_evaluated
        reading, exit_step = np.zeros(len(rows)), np.zeros(len(rows), np.int32)
        taken = rows if queries.are_whole else queries.taken(np.asarray(rows))
        starts = queries.starts.astype(np.int64, copy=False)
        forest = self.program.forest
        forest.run_queries(taken, starts, self.decisions, reading, exit_step, n_jobs)
        exit_step = queries.returned(exit_step)
        return queries.returned(reading)[:, None], exit_step, exit_step.astype(np.int64)

    def cost(self, n_rows: int) -> float:
        """Return the expected time of blocks of whole queries; see ``engine.cost_model``."""
        costs, checks = self.program.costs, self.state.readings.checks
        looks = int((checks <= max(costs.evaluations, checks[0])).sum())
        row = costs.load + costs.evaluations * COMPACTION * costs.block + looks * self.state.look
        return CALL_BLOCKS + n_rows * row

    def run(self, rows: Rows, qid: Any, n_jobs: int) -> Trace:
        """Return readings and paths."""
        queries = Queries.of(qid, len(rows))
        if not self._is_native(queries):
            return self.followed(rows, queries, n_jobs)
        scores, exit_step, n_evaluated = self.exits(rows, qid, n_jobs)
        ensemble, order = self.program.ensemble, self.program.policy.order
        indptr = np.concatenate([[0], np.cumsum(n_evaluated)])
        step = np.arange(indptr[-1]) - np.repeat(indptr[:-1], n_evaluated)
        cost = np.concatenate([[0.0], np.cumsum(ensemble.cost[order])])[exit_step]
        return Trace(scores, indptr, order[step].astype(np.int32), exit_step, cost)

    @cached_property
    def decisions(self) -> _core.QueryDecisions:
        """The policy as blocks of rows read it."""
        policy, state, n = self.program.policy, self.state, self._n_checks
        readings = state.readings
        tables = (
            readings.checks[:n].copy(),
            np.ascontiguousarray(readings.weights[:n, :n]),
            readings.level[:n].copy(),
            np.ascontiguousarray(readings.edges[:n]),
            np.ascontiguousarray(readings.spread[:n]),
        )
        at = readings.checks[: n - 1] // policy.every
        quits = np.ascontiguousarray(policy.actions[at] == QUIT).astype(np.uint8)
        return _core.QueryDecisions(tables, state.kernel, *state.native, policy.grid.edges, quits)

    @cached_property
    def _n_checks(self) -> int:
        """Check points up to the last step that any document may reach; 0 if that is none."""
        found = np.flatnonzero(self.state.readings.checks == self.program.policy.n_reached)
        return int(found[0]) + 1 if len(found) else 0

    @cached_property
    def has_kernel(self) -> bool:
        """Whether queries of any size that fits into a block run natively."""
        policy, state = self.program.policy, self.state
        if self.program.ensemble.callables or not state.kernel or self._n_checks == 0:
            return False
        between = np.ones(len(policy.actions), bool)
        checks = state.readings.checks[:-1]
        if (checks % policy.every).any():
            return False
        between[checks // policy.every] = False
        between[-(-policy.n_reached // policy.every) :] = False
        return not (policy.actions == SKIP).any() and bool((policy.actions[between] == EVAL).all())

    def _is_native(self, queries: Queries) -> bool:
        most = self.program.forest.most_documents if self.has_kernel else 0
        return self.has_kernel and int(queries.sizes.max(initial=0)) <= most

    def followed(self, rows: Rows, queries: Queries, n_jobs: int) -> Trace:
        """Return readings and paths, step by step."""
        ensemble, policy = self.program.ensemble, self.program.policy
        carried = self.state.start_queries(queries)
        visits = follow(policy, votes_on(self._rounded, rows, n_jobs), carried, len(rows))
        trace = trace_of(visits, policy, ensemble.cost, self.state.scores(carried))
        return replace(trace, exit_step=exit_steps(visits, len(rows)))

    @cached_property
    def _rounded(self) -> Ensemble:
        """The ensemble with the votes that kernels add, as floats."""
        ensemble = self.program.ensemble
        if ensemble.callables:
            return ensemble
        fixed = self.program.fixed_point
        values = fixed.values.astype(np.float64) * fixed.unit
        return replace(ensemble, tables=replace(ensemble.tables, values=values))
