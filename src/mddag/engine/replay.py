"""Replay: run a policy on rows whose votes are known, with the results of a Dag to the last bit.

A policy that is learned or chosen on some rows is run on them again and again, and their leaf codes
stay the same, so only the votes on a path are added.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import checked_jobs
from mddag.engine.dag import BLOCK, Dag
from mddag.engine.integer_votes import IntegerVotes
from mddag.engine.program import codes_by_scores
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.policy.grid import buckets
from mddag.policy.policy import EVAL, SKIP, Policy, decided
from mddag.policy.rollout import Rollout, roll_out


@dataclass(frozen=True, eq=False)
class Replay:
    """What happened to n rows."""

    scores: NDArray[np.float64]  # (n, K), final scores
    # (n,), one more than the last step at which a row evaluates, 0 if none
    exit_step: NDArray[np.int32]
    n_evaluated: NDArray[np.int32]  # (n,), number of evaluations
    verdict: NDArray[np.intp]  # (n,), class codes as ``Trace.verdict``


def replay(ensemble: Ensemble, policy: Policy, votes: Votes, *, n_jobs: int = 1) -> Replay:
    """Do what ``compile(ensemble, policy)`` does with the rows of these votes."""
    found = rolled_out(ensemble, policy, votes, ensemble.cost, n_jobs=n_jobs)
    codes = decided(codes_by_scores(ensemble, found.scores), found.verdict)
    return Replay(found.scores, found.exit_step, found.n_evaluated, codes)


def rolled_out(
    ensemble: Ensemble,
    policy: Policy,
    votes: Votes,
    costs: NDArray[np.float64],
    *,
    n_jobs: int = 1,
) -> Rollout:
    """Return the same as a rollout, with prices of the policy's steps (N,) by base classifier."""
    policy = copy(policy)  # or the jump tables of all candidates would stay in memory
    tables, grid, unit = policy.tables(votes.tables), policy.grid.native, 1.0
    if not ensemble.callables:
        integers = IntegerVotes.of(tables)
        values, bias = (a.astype(np.float64) for a in (integers.values, integers.bias))
        tables = replace(tables, values=values, bias=bias)
        grid = buckets(integers.edges(policy.grid.edges).astype(np.float64), policy.grid.n_scores)
        unit = integers.unit
    found = roll_out(policy, votes, tables, grid, costs, checked_jobs(n_jobs))
    found.scores[:] *= unit
    return found


BITS = 52  # base classifiers whose prices add up exactly in a float64

Numbers = NDArray[np.int64]


def visited(dag: Dag, X: Any, qid: Any = None, *, n_jobs: int = 1) -> Numbers:
    """Count the nodes that each row visits on its path, (n,); `qid` is as for ``Dag.run``."""
    rows = dag.ensemble.features.rows(X)
    if dag.needs_queries:
        return _of_block(dag, rows, qid, n_jobs)
    blocks = (slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK))
    found = [_of_block(dag, rows[block], None, n_jobs) for block in blocks]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _of_block(dag: Dag, rows: Any, qid: Any, n_jobs: int) -> Numbers:
    codes = dag.ensemble.votes(rows, n_jobs=n_jobs).codes
    depths = LeafDepths.of(dag.ensemble).of_rows(codes)
    trace = dag.run(rows, qid, n_jobs=n_jobs)
    owner = np.repeat(np.arange(len(rows)), trace.n_evaluated)
    return np.bincount(owner, depths[owner, trace.indices], len(rows)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class RowNodes:
    """Nodes that rows visit under policies, for rows whose votes are known."""

    ensemble: Ensemble  # the ensemble
    votes: Votes  # its votes on the rows
    depths: LeafDepths  # depths of its leaves

    @cached_property
    def _nodes(self) -> NDArray[np.int32]:
        """Nodes in each base classifier, (n, N)."""
        return self.depths.of_rows(self.votes.codes)

    def everything(self) -> Numbers:
        """Count the nodes in all base classifiers, (n,)."""
        nodes: Numbers = self._nodes.sum(axis=1, dtype=np.int64)
        return nodes

    def under(self, policy: Policy) -> Numbers:
        """Count the nodes on the paths that ``compile(ensemble, policy)`` takes, (n,)."""
        nodes = self._nodes
        evaluates = (policy.actions == EVAL).any(axis=1).repeat(policy.every)[: policy.n_steps]
        able = policy.order[evaluates]
        total = np.zeros(len(nodes), np.int64)
        if not (policy.actions == SKIP).any():  # what is evaluated are the first steps
            found = rolled_out(self.ensemble, policy, self.votes, np.zeros(policy.n_steps))
            passed = np.cumsum(nodes[:, policy.order[: found.exit_step.max(initial=0)]], axis=1)
            moved = found.exit_step > 0
            total[moved] = passed[moved, found.exit_step[moved] - 1]
            return total
        for start in range(0, len(able), BITS):
            here = able[start : start + BITS]
            prices = np.zeros(policy.n_steps)
            prices[here] = 2.0 ** np.arange(len(here))
            sums = rolled_out(self.ensemble, policy, self.votes, prices).cost.astype(np.int64)
            taken = sums[:, None] >> np.arange(len(here)) & 1
            total += (nodes[:, here] * taken).sum(axis=1)
        return total
