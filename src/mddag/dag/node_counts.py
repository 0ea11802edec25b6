"""Node counts: the nodes that rows visit in the trees on their paths, exactly.

Of rows that are given by X a DAG is run, and its paths are looked up (``visited``). Of rows whose
votes are known, as policy rows are, a rollout gives the paths (``RowNodes``): it adds up a price
for each base classifier evaluated, and where prices are powers of two their sum is the path.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import BLOCK, Dag
from mddag.dag.replay import rolled_out
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.leaf_depths import LeafDepths
from mddag.ensemble.votes import Votes
from mddag.mdp.policy import EVAL, SKIP, Policy

BITS = 52  # base classifiers whose prices add up exactly in a float64

Numbers = NDArray[np.int64]


def visited(dag: Dag, X: Any, qid: Any = None, *, n_threads: int = 1) -> Numbers:
    """Nodes that each row visits on its path, (n,).

    qid : as for ``Dag.run``
    """
    rows = dag.ensemble.features.rows(X)
    if dag.needs_queries:
        return _of_block(dag, rows, qid, n_threads)
    blocks = (slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK))
    found = [_of_block(dag, rows[block], None, n_threads) for block in blocks]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _of_block(dag: Dag, rows: Any, qid: Any, n_threads: int) -> Numbers:
    codes = dag.ensemble.votes(rows, n_threads=n_threads).codes
    depths = LeafDepths.of(dag.ensemble).of_rows(codes)
    trace = dag.run(rows, qid, n_threads=n_threads)
    owner = np.repeat(np.arange(len(rows)), trace.n_evaluated)
    return np.bincount(owner, depths[owner, trace.indices], len(rows)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class RowNodes:
    """Nodes that rows visit under policies, of rows whose votes are known.

    votes  : of the ensemble on these rows
    depths : those of its leaves
    """

    ensemble: Ensemble
    votes: Votes
    depths: LeafDepths

    @cached_property
    def _nodes(self) -> NDArray[np.int32]:
        """In each base classifier, (n, N)."""
        return self.depths.of_rows(self.votes.codes)

    def everything(self) -> Numbers:
        """In all base classifiers, (n,)."""
        nodes: Numbers = self._nodes.sum(axis=1, dtype=np.int64)
        return nodes

    def under(self, policy: Policy) -> Numbers:
        """On the paths that ``compile(ensemble, policy)`` takes, (n,)."""
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
