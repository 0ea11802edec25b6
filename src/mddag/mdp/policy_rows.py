"""Policy rows: the rows on which policies are learned, chosen and measured, as an MDP.

Targets become what a loss takes: class labels their numbers, a regressor's targets floats. The
loss is that of the ensemble's kind unless one is given, and prices are the ensemble's where it has
any. For regressors beta is in units of R2: it is multiplied by what predicting the mean loses
(``MDP.unit``), so that at 0.01 an evaluation must explain one more hundredth of the variance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.losses import Loss
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import ACTIONS


def mdp_of(
    ensemble: Ensemble,
    votes: Votes,
    targets: NDArray[Any],
    *,
    beta: float = 0.01,
    loss: Loss | None = None,
    actions: tuple[str, ...] = ACTIONS,
    weight: NDArray[np.float64] | None = None,
) -> MDP:
    """The MDP of rows whose votes and targets (classes, probabilities or numbers) these are."""
    task = ensemble.task
    labels = task.coded(targets)
    return MDP(
        votes,
        labels,
        loss=task.loss(loss),
        beta=beta,
        unit=task.unit(loss, labels, weight),
        costs=ensemble.cost if ensemble.priced else None,
        weight=weight,
        actions=actions,
    )
