"""Node counts: the nodes that rows visit in the trees on their paths, exactly.

Of rows that are given by X a DAG is run, and its paths are looked up (``visited``). Of rows whose
votes are known, as policy rows are, a rollout gives the paths (``replayed``): it adds up a price
for each base classifier evaluated, and where prices are powers of two their sum is the path.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import BLOCK, Dag
from mddag.dag.replay import rolled_out
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.leaf_depths import LeafDepths, leaf_depths
from mddag.ensemble.votes import Votes
from mddag.mdp.policy import Policy

BITS = 52  # base classifiers whose prices add up exactly in a float64

Numbers = NDArray[np.int64]


def visited(dag: Dag, X: Any, qid: Any = None, *, n_threads: int = 1) -> Numbers:
    """Nodes that each row visits on its path, (n,); those of a router included.

    qid : as for ``Dag.run``
    """
    rows = dag.ensemble.features.rows(X)
    if dag.needs_queries:
        return _of_block(dag, rows, qid, n_threads)
    blocks = (slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK))
    found = [_of_block(dag, rows[block], None, n_threads) for block in blocks]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _of_block(dag: Dag, rows: Any, qid: Any, n_threads: int) -> Numbers:
    routed = dag.ensemble.routed
    source = dag.ensemble if routed is None else routed.source
    depths = LeafDepths.of(source).of_rows(source.votes(rows, n_threads=n_threads).codes)
    if routed is not None:  # paths have the number N for the router
        router = leaf_depths(routed.routing.router)[routed.routing.regions(rows)]
        depths = np.column_stack([depths, router])
    trace = dag.run(rows, qid, n_threads=n_threads)
    owner = np.repeat(np.arange(len(rows)), trace.n_evaluated)
    return np.bincount(owner, depths[owner, trace.indices], len(rows)).astype(np.int64)


def replayed(
    ensemble: Ensemble, policy: Policy, votes: Votes, depths: LeafDepths | None = None
) -> Numbers:
    """The same of the rows of these votes, (n,), as ``compile(ensemble, policy)`` runs them.

    depths : those of the ensemble, if they are known
    """
    depths = LeafDepths.of(ensemble) if depths is None else depths
    codes = votes.codes
    if policy.routing is not None:
        depths = depths.routed(policy.routing, votes.tables)
        codes = policy.routing.votes(votes).codes
    nodes: Numbers = (depths.of_rows(codes) * paths(ensemble, policy, votes)).sum(axis=1)
    return nodes


def paths(ensemble: Ensemble, policy: Policy, votes: Votes) -> NDArray[np.bool_]:
    """Which base classifiers (with a routing: steps) each row evaluates, (n, N)."""
    n_steps = policy.n_steps
    found = np.zeros((len(votes), n_steps), bool)
    for start in range(0, n_steps, BITS):
        here = np.arange(start, min(start + BITS, n_steps))
        prices = np.zeros(n_steps)
        prices[here] = 2.0 ** np.arange(len(here))
        sums = rolled_out(ensemble, policy, votes, prices).cost.astype(np.int64)
        found[:, here] = sums[:, None] >> np.arange(len(here)) & 1
    return found
