"""Tree members of ``acquire``: the given ensemble, and its merged columns, as members of their own.

``TreeSource`` is one ensemble with the votes of all policy rows in it and what it charges; from it
come the member (``solvers.acquisition.tree_level``), what a policy says of rows and makes them pay,
and its Dag. Ensembles of many trees are left out: sweeps would take too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import Dag, compile  # noqa: A004
from mddag.dag.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks.classification import winners
from mddag.ensemble.votes import Votes
from mddag.features.prices import FeaturePrices
from mddag.features.rows import Rows
from mddag.losses import ZeroOne
from mddag.mdp.charges import Charges
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.ordering.arrangement import Arrangement, by_lines, fitted_levels
from mddag.ordering.class_levels import by_log_odds
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.solvers.acquisition.tree_level import TreeLevel

MOST_TREES = 300
N_CELLS = 48  # of the grid, for each top class
Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeSource:
    """An ensemble that buys as it evaluates.

    name  : "trees" for the given one, "columns" for its merged columns
    votes : of all policy rows
    """

    name: str
    ensemble: Ensemble
    votes: Votes
    charges: Charges

    def member(
        self,
        order: NDArray[np.intp],
        index: NDArray[np.intp],
        shares: Shares,
        fold: NDArray[np.intp],
        n_threads: int,
    ) -> TreeLevel:
        """The member that learns from some rows, and is judged by the same shares.

        order : of the base classifiers
        index : the rows; shares (n, n_classes) and fold (n,) are theirs
        """
        votes, arrangement = self.votes.rows(index), Arrangement(order)
        if not np.array_equal(order, np.arange(len(order))):
            levels = by_lines if self.ensemble.n_scores == 1 else by_log_odds
            arrangement = Arrangement(order, fitted_levels(votes, order, levels=levels))
        mdp = MDP(votes, shares, loss=ZeroOne(), charges=self.charges).arranged(arrangement)
        mdp = mdp.on_grid(Grid.quantile(mdp.votes, N_CELLS))
        return TreeLevel(self.name, mdp, arrangement, fold, n_threads)

    def outcome(
        self, policy: Policy, index: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """What a policy says of some rows, class codes (n,), and makes them pay (n,)."""
        votes = self.votes.rows(index)
        mdp = MDP(votes, np.zeros(len(index), np.intp), grid=policy.grid, charges=self.charges)
        scores, _, cost = mdp.rollout(policy)
        return winners(scores), cost

    def dag(self, policy: Policy) -> Dag:
        """The Dag of a policy, with what it buys."""
        purchases = Purchases.of(self.charges.prices, self.ensemble)
        return compile(self.ensemble, policy, purchases=purchases)


def tree_sources(ensemble: Ensemble, prices: FeaturePrices, rows: Rows) -> list[TreeSource]:
    """The given ensemble and its merged columns, as far as they are small enough."""
    found, merged = {"trees": ensemble}, ensemble.merged()
    if 0 < len(merged) < len(ensemble):
        found["columns"] = merged
    return [
        TreeSource(name, of, of.votes(rows), Charges.of(prices, of))
        for name, of in found.items()
        if 0 < of.n_trees <= MOST_TREES
    ]


def order_along(
    chain: Sequence[int], sets: FeatureSets, wants: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Base classifiers that want groups (N, G) in the order of the first set of a chain that has
    them all; those of one set stay as they are."""
    held = sets.held[np.array(chain)]
    within = ~(wants[:, None] & ~held[None]).any(axis=2)
    within[:, -1] = True  # the last set is that of the given model
    return np.argsort(within.argmax(axis=1), kind="stable")
