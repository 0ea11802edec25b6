"""Node counts: how many nodes rows visit on their paths through the trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag.engine.dag import Dag, traces
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.votes import Votes
from mddag.policy.policy import EVAL, SKIP, Policy
from mddag.policy.rollout import roll_out

BITS = 52  # base classifiers whose prices add up exactly in a float64

Numbers = NDArray[np.int64]


def visited(dag: Dag, X: Any, qid: Any = None, *, n_jobs: int = 1) -> Numbers:
    """Count the nodes that each row visits on its path, (n,); `qid` is as for ``Dag.run``."""
    depths, found = LeafDepths.of(dag.ensemble), [np.zeros(0, np.int64)]
    for rows, trace in traces(dag, X, qid, n_jobs=n_jobs):
        of_rows = depths.of_rows(dag.ensemble.votes(rows, n_jobs=n_jobs).codes)
        owner = np.repeat(np.arange(len(rows)), trace.n_evaluated)
        nodes = np.bincount(owner, of_rows[owner, trace.indices], len(rows))
        found.append(nodes.astype(np.int64))
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class RowNodes:
    """Nodes that rows visit under policies, for rows whose votes are known."""

    votes: Votes  # votes of the ensemble on the rows
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
            found = roll_out(policy, self.votes)
            passed = np.cumsum(nodes[:, policy.order[: found.exit_step.max(initial=0)]], axis=1)
            moved = found.exit_step > 0
            total[moved] = passed[moved, found.exit_step[moved] - 1]
            return total
        for start in range(0, len(able), BITS):
            here = able[start : start + BITS]
            prices = np.zeros(policy.n_steps)
            prices[here] = 2.0 ** np.arange(len(here))
            sums = roll_out(policy, self.votes, prices).cost.astype(np.int64)
            taken = sums[:, None] >> np.arange(len(here)) & 1
            total += (nodes[:, here] * taken).sum(axis=1)
        return total
