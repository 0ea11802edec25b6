"""Tree level: a policy over base classifiers themselves, each of which charges for features.

    Eq. (8) with Eq. (7) = beta x (prices of the groups that h_j is the first to read)

One ensemble serves all sets of features: evaluating is buying. Base classifiers stand in the order
of a chain of nested sets, those that read the first set alone in front, so that a row which quits
early has bought little. Sweeps of exact coordinate descent (``descent.sweep``) learn the actions
from two starts. *All*: every row evaluates everything; without SKIP one sweep then finds the
optimum. *Thrift*: base classifiers are evaluated whose features are there and all others skipped;
so a sweep sees what a purchase is worth with all that it makes free, and each sweep can add one.
Rows are judged by the actions that the other folds learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.row_sampling import spaced_rows
from mddag.ensemble.tasks.classification import winners
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import EVAL, SKIP, Policy
from mddag.mdp.undoubled import undoubled
from mddag.ordering.arrangement import Arrangement
from mddag.solvers.descent.sweep import Guards, Sweep

GUARDS = Guards(n_cells=12, min_count=30, z_skip=1.0, z_quit=0.0)
N_DECISIONS = 32  # at most: a sweep takes their number times that of base classifiers
N_SWEEPS = 12  # at most; one for each set that rows buy
LEAST_FALL = 1e-3  # of the objective, relative, for another sweep
MOST_ROWS = 1500  # that learn
RATIO = 2.5  # of neighbouring prices that are learned
NO_SKIP = ("eval", "quit")
STARTS = ("all", "thrift")
Actions = NDArray[np.uint8]
Outcome = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class TreePolicy:
    """A policy over the base classifiers of one of several ensembles.

    source : its name
    """

    source: str
    policy: Policy


@dataclass(frozen=True, eq=False)
class TreeSolved:
    """A policy of all rows, and what those of the other folds do to each row: see ``Solved``."""

    policy: TreePolicy
    loss: NDArray[np.float64]
    cost: NDArray[np.float64]


@dataclass(eq=False)
class TreeLevel:
    """The member over one ensemble: a policy for each price.

    source      : its name
    mdp         : of the learning rows in the arrangement, with charges; labels are shares of
                  classes, by which members are judged as well
    arrangement : of the ensemble's base classifiers
    fold        : intp (n,)
    """

    source: str
    mdp: MDP
    arrangement: Arrangement
    fold: NDArray[np.intp]
    n_threads: int = 1
    found: dict[float, TreeSolved] = field(default_factory=dict)
    _first: float | None = None

    def __call__(self, beta: float) -> TreeSolved:
        """The policy of the nearest price that is learned: the first one above 0 that is asked for,
        others at RATIO, and 0."""
        nearest = self._nearest(beta) if beta > 0 else 0.0
        if nearest not in self.found:
            self.found[nearest] = self._solved(nearest)
        return self.found[nearest]

    def _nearest(self, beta: float) -> float:
        if self._first is None:
            self._first = beta
        return self._first * RATIO ** round(float(np.log(beta / self._first) / np.log(RATIO)))

    @property
    def every(self) -> int:
        """Steps that one decision covers."""
        return -(-self.mdp.n_steps // N_DECISIONS)

    def _solved(self, beta: float) -> TreeSolved:
        mdp = self.mdp.with_beta(beta).deciding(self.every)
        part = self.fold // 2  # fewer learn faster, and each on almost as many rows
        found: list[Outcome] = [(np.empty(len(part)), np.empty(len(part))) for _ in STARTS]
        for p in np.unique(part).tolist():
            rows = np.flatnonzero(part == p)
            policies = self._learned(mdp, np.flatnonzero(part != p))
            for (loss, cost), policy in zip(found, policies, strict=True):
                loss[rows], cost[rows] = self._outcome(mdp, policy, rows)
        values = [float(np.mean(loss + beta * cost)) for loss, cost in found]
        best = int(np.argmin(values))
        whole = self._learned(mdp, np.arange(len(part)))[best]
        policy = undoubled(whole.on_fewest_cells()).after(self.arrangement)
        return TreeSolved(TreePolicy(self.source, policy), *found[best])

    def _learned(self, mdp: MDP, rows: NDArray[np.intp]) -> Sequence[Policy]:
        """A policy from each start."""
        rows = rows[spaced_rows(len(rows), MOST_ROWS)]
        exits = np.full((-(-mdp.n_steps // self.every), mdp.state.n_cells), EVAL, np.uint8)
        thrift = exits.copy()
        thrift[:, : mdp.grid.n_cells] = SKIP  # where something is lacking
        kept: dict[str, Any] = {"every": self.every, "instances": rows, "n_threads": self.n_threads}
        Sweep(mdp, actions=NO_SKIP, **kept)(exits, GUARDS)
        sweep, before = Sweep(mdp, **kept), np.inf
        for _ in range(N_SWEEPS):
            value = sweep(thrift, GUARDS)
            if not value < before - LEAST_FALL * abs(value):
                break
            before = value
        return [self._policy(mdp, exits), self._policy(mdp, thrift)]

    def _policy(self, mdp: MDP, actions: Actions) -> Policy:
        return Policy(actions, mdp.grid, np.arange(mdp.n_steps), self.every, state=mdp.state)

    def _outcome(self, mdp: MDP, policy: Policy, rows: NDArray[np.intp]) -> Outcome:
        """Judged losses and costs of some rows."""
        scores, _, cost = mdp.rows(rows).rollout(policy, n_threads=self.n_threads)
        return 1.0 - mdp.labels[rows, winners(scores)], cost
