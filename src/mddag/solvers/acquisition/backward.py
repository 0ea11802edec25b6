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


class _After:
    """What rows lose (by the learned loss and by the judge's) and pay from each set on, (M, n).

    A row that quits in a set pays nothing more; so each set begins.
    """

    def __init__(self, sample: SetSample) -> None:
        self.sample = sample
        self.loss, self.judged = sample.losses.T.copy(), sample.judged.T.copy()
        self.cost = np.zeros(self.loss.shape)

    def returns(self, s: int, t: int, beta: float) -> NDArray[np.float64]:
        """Q(s, t) of each row."""
        if s == t:
            return np.asarray(self.loss[s])
        found: NDArray[np.float64] = self.loss[t] + beta * (
            self.cost[t] + self.sample.sets.fares[s, t]
        )
        return found

    def goes(self, s: int, to: NDArray[np.intp]) -> None:
        """From s each row goes to the set `to` (n,), or quits."""
        on = np.flatnonzero(to != s)
        t = to[on]
        self.loss[s, on], self.judged[s, on] = self.loss[t, on], self.judged[t, on]
        self.cost[s, on] = self.cost[t, on] + self.sample.sets.fares[s, t]


def solve(sample: SetSample, beta: float, leads: NDArray[np.bool_] | None = None) -> Solved:
    """The policy at a price beta, over the ways that lead upwards; `leads` (M, M) may be fewer."""
    leads = sample.sets.leads if leads is None else leads & sample.sets.leads
    n_sets, after = len(sample.sets), _After(sample)
    edges, targets = [np.empty(0)] * n_sets, [np.array([s]) for s in range(n_sets)]
    for s in range(n_sets - 1, -1, -1):
        options = np.append(s, np.flatnonzero(leads[s]))
        if len(options) > 1:
            edges[s] = sample.edges[s]
            returns = [after.returns(s, t, beta) for t in options.tolist()]
            chosen, by_row = _chosen(sample, s, returns)
            after.goes(s, options[by_row])
            targets[s] = options[chosen]
    policy = SetPolicy(tuple(edges), tuple(targets))
    return Solved(policy, after.judged[0].copy(), after.cost[0].copy())  # not all sets with them


def _chosen(
    sample: SetSample, s: int, returns: list[NDArray[np.float64]]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The best option of each cell by all rows, and of each row by the rows of other folds."""
    cell, n_cells = sample.cells[:, s], len(sample.edges[s]) + 1
    key, n_keys = sample.fold * n_cells + cell, sample.n_folds * n_cells
    sums = np.stack(
        [np.bincount(key, sample.weight * each, n_keys) for each in returns], axis=1
    ).reshape(sample.n_folds, n_cells, len(returns))
    total = sums.sum(axis=0)
    by_fold = np.array([_best(total - own) for own in sums])
    return _best(total), by_fold[sample.fold, cell]


def _best(sums: NDArray[np.float64]) -> NDArray[np.intp]:
    """The option of the smallest sum in each cell; sums (n_cells, n_options)."""
    lent = sums.copy()
    lent[1:] += LENT * sums[:-1]
    lent[:-1] += LENT * sums[1:]
    return np.asarray(lent.argmin(axis=1), np.intp)
