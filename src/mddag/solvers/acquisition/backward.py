"""Backward: the policy over sets by exact returns, from the last set to the first.

    Q(s, QUIT) = loss of quitting in s
    Q(s, t)    = beta x fare(s, t) + R(t),   R(t): what the row then loses and pays, known exactly

In each cell of s the action of the smallest mean Q over the rows in it is taken. Models of larger
sets are known on every row, so no return is estimated; what is noisy is the mean over few rows,
so neighbouring cells lend each other half of their rows. A row's own return uses the actions
that the other folds learned, and so do the loss and the cost by which the policy is judged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.acquisition.set_policy import SetPolicy
from mddag.solvers.acquisition.set_sample import SetSample

LENT = 0.5  # of the rows of a cell, to each of its neighbours


@dataclass(frozen=True, eq=False)
class Solved:
    """A policy of all rows, and what the policies of the other folds do to each row.

    loss, cost : float64 (n,), loss by the judge, and what is paid for features
    """

    policy: SetPolicy
    loss: NDArray[np.float64]
    cost: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What rows lose (by the learned loss and by the judge's) and pay from a set on, (n,)."""

    loss: NDArray[np.float64]
    judged: NDArray[np.float64]
    cost: NDArray[np.float64]

    def returns(self, beta: float) -> NDArray[np.float64]:
        return self.loss + beta * self.cost


def solve(sample: SetSample, beta: float, leads: NDArray[np.bool_] | None = None) -> Solved:
    """The policy at a price beta, over the ways that lead upwards; `leads` (M, M) may be fewer."""
    leads = sample.sets.leads if leads is None else leads & sample.sets.leads
    n_sets = len(sample.sets)
    after: list[_Outcome] = [None] * n_sets  # type: ignore[list-item]  # filled from the last on
    edges, targets = [np.empty(0)] * n_sets, [np.array([s]) for s in range(n_sets)]
    for s in range(n_sets - 1, -1, -1):
        options = [s, *np.flatnonzero(leads[s]).tolist()]
        quits = _Outcome(sample.losses[:, s], sample.judged[:, s], np.zeros(len(sample)))
        outcomes = [quits, *(_paid(after[t], sample.sets.fares[s, t]) for t in options[1:])]
        after[s] = quits
        if len(options) > 1:
            edges[s] = sample.edges[s]
            chosen, by_row = _chosen(sample, s, outcomes, beta)
            after[s] = _picked(outcomes, by_row)
            targets[s] = np.array(options)[chosen]
    policy = SetPolicy(tuple(edges), tuple(targets))
    return Solved(policy, after[0].judged, after[0].cost)


def _paid(outcome: _Outcome, fare: float) -> _Outcome:
    return _Outcome(outcome.loss, outcome.judged, outcome.cost + fare)


def _chosen(
    sample: SetSample, s: int, outcomes: list[_Outcome], beta: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The best option of each cell by all rows, and of each row by the rows of other folds."""
    cell, n_cells = sample.cells[:, s], len(sample.edges[s]) + 1
    key, n_keys = sample.fold * n_cells + cell, sample.n_folds * n_cells
    sums = np.stack(
        [np.bincount(key, sample.weight * o.returns(beta), n_keys) for o in outcomes], axis=1
    ).reshape(sample.n_folds, n_cells, len(outcomes))
    total = sums.sum(axis=0)
    by_fold = np.array([_best(total - own) for own in sums])
    return _best(total), by_fold[sample.fold, cell]


def _best(sums: NDArray[np.float64]) -> NDArray[np.intp]:
    """The option of the smallest sum in each cell; sums (n_cells, n_options)."""
    lent = sums.copy()
    lent[1:] += LENT * sums[:-1]
    lent[:-1] += LENT * sums[1:]
    return np.asarray(lent.argmin(axis=1), np.intp)


def _picked(outcomes: list[_Outcome], which: NDArray[np.intp]) -> _Outcome:
    rows = np.arange(len(which))
    return _Outcome(
        np.stack([o.loss for o in outcomes])[which, rows],
        np.stack([o.judged for o in outcomes])[which, rows],
        np.stack([o.cost for o in outcomes])[which, rows],
    )
