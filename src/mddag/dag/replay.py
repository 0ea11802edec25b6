"""Replay: what a Dag does with rows whose votes are known, without going back to their features.

A policy that is learned or chosen on some rows is run on them again and again. Their leaf codes are
the same each time, so the trees need not be walked: only the votes that a path takes are added. The
sums are those of the executors to the last bit: integers (``IntegerVotes``), which float64 holds
exactly, and float64 numbers where base classifiers are callables.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import checked_threads
from mddag.dag.integer_votes import IntegerVotes
from mddag.dag.verdicts import codes_by_scores
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.mdp.grid import buckets
from mddag.mdp.policy import Policy
from mddag.mdp.rollout import Rollout, roll_out
from mddag.mdp.verdicts import decided


@dataclass(frozen=True, eq=False)
class Replay:
    """What happened to n rows.

    scores      : float64 (n, K)
    exit_step   : int32 (n,), one more than the last step at which a row evaluates, 0 if none
    n_evaluated : int32 (n,)
    verdict     : intp (n,), as ``Trace.verdict``
    """

    scores: NDArray[np.float64]
    exit_step: NDArray[np.int32]
    n_evaluated: NDArray[np.int32]
    verdict: NDArray[np.intp]


def replay(ensemble: Ensemble, policy: Policy, votes: Votes, *, n_threads: int = 1) -> Replay:
    """What ``compile(ensemble, policy)`` does with the rows of these votes of the ensemble."""
    found = rolled_out(ensemble, policy, votes, ensemble.cost, n_threads=n_threads)
    codes = decided(codes_by_scores(ensemble, found.scores), found.verdict)
    return Replay(found.scores, found.exit_step, found.n_evaluated, codes)


def rolled_out(
    ensemble: Ensemble,
    policy: Policy,
    votes: Votes,
    costs: NDArray[np.float64],
    *,
    n_threads: int = 1,
) -> Rollout:
    """The same as a rollout, with prices of the policy's steps (N,) by base classifier."""
    policy = copy(policy)  # or the jump tables of all candidates would stay in memory
    tables, grid, unit = policy.tables(votes.tables), policy.grid.native, 1.0
    if not ensemble.callables:
        integers = IntegerVotes.of(tables)
        values, bias = (a.astype(np.float64) for a in (integers.values, integers.bias))
        tables = replace(tables, values=values, bias=bias)
        grid = buckets(integers.edges(policy.grid.edges).astype(np.float64), policy.grid.n_scores)
        unit = integers.unit
    found = roll_out(policy, votes, tables, grid, costs, checked_threads(n_threads))
    found.scores[:] *= unit
    return found
