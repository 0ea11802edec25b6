"""Detection in an estimator: its solver, its calibration, its realised rates.

With `target_fpr` or `target_tpr` the policy rejects rows and does nothing else (``Rejection``), so
what follows from a policy in general is made here for such a policy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.arrays import mass as mass_of
from mddag.calibration.by_exit import reject_calibration
from mddag.calibration.calibration import Calibration
from mddag.dag.replay import Replay
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Tables
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import QUIT, Policy
from mddag.metrics.realised_rates import RealisedRates
from mddag.solvers import Rejection
from mddag.solvers.rejection.operating_point import Ends, Target
from mddag.solvers.rejection.problem import positives
from mddag.solvers.rejection.rates import rates_of
from mddag.solvers.rejection.thresholds import shares_by_class

ROUNDING = 1e-5  # of the largest sum: executors add in fixed point


def detecting_solver(solver: Any, target_fpr: float | None, target_tpr: float | None) -> Any:
    """The solver where a rate is wanted: Rejection of that rate."""
    target = Target(target_fpr, target_tpr)
    target.check()
    if solver is None:
        return Rejection(target_fpr=target_fpr, target_tpr=target_tpr)
    if not isinstance(solver, Rejection):
        raise ValueError(
            f"{target.name}={target.rate:g} is given with solver={solver!r}, which does not know "
            "of rates; wanted solver=None or Rejection()"
        )
    return replace(solver, target_fpr=target_fpr, target_tpr=target_tpr)


def check_two_classes(ensemble: Ensemble, target: str) -> None:
    """Refuse an ensemble that does not decide between two classes by one score."""
    if ensemble.n_scores != 1:
        n_classes = 0 if ensemble.classes is None else len(ensemble.classes)
        raise ValueError(
            f"{target} is given, but the model has {n_classes} classes and {ensemble.n_scores} "
            "scores; wanted two classes with one score, of which the second is to be detected"
        )


def detector_calibration(ensemble: Ensemble, policy: Policy, left: Replay, mdp: MDP) -> Calibration:
    """By the rows of an MDP, as they left the policy."""
    lows, length = lowest_scores(policy.tables(mdp.votes.tables), policy), policy.n_reached
    labels = positives(mdp).astype(np.intp)
    return reject_calibration(
        left.scores, left.exit_step, labels, lows, length, mass_of(mdp.weight)
    )


def lowest_scores(tables: Tables, policy: Policy) -> NDArray[np.float64]:
    """The lowest score that a row can leave with at each exit 0 .. N, (N + 1,).

    A row that was not rejected has a score above 0, from which the next vote may take its smallest.
    """
    least = np.minimum.reduceat(tables.values, tables.starts[:-1])
    smallest = np.add.reduceat(least, tables.rounds[:-1])[policy.order]
    slack = ROUNDING * float(np.abs(tables.bias).sum() + tables.reach().sum())
    lows = np.empty(policy.n_steps + 1)
    lows[0] = tables.bias[0]
    for t in range(policy.n_steps):
        looks = t % policy.every == 0
        rejects = looks and len(policy.grid.edges) and policy.actions[t // policy.every, 0] == QUIT
        lows[t + 1] = (max(lows[t], 0.0) if rejects else lows[t]) + smallest[t]
    return np.asarray(lows - slack)


def rates_on(left: Replay, mdp: MDP, target: Target) -> RealisedRates:
    """The rates of a policy on rows that it was not learned on."""
    positive = positives(mdp)
    ends = Ends(left.scores[:, 0], positive, shares_by_class(positive, mdp.weight))
    n_evaluated = float(ends.negative_shares @ left.n_evaluated[~positive])
    return rates_of(ends, left.scores[:, 0] > 0, target, n_evaluated)
