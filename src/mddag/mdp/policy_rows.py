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
from mddag.losses import Loss, Squared, ZeroOne
from mddag.losses.of_means import OfMeans
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
    classifies = ensemble.kind == "classifier"
    named = classifies and targets.ndim == 1
    labels: NDArray[Any]
    labels = class_codes(targets, ensemble) if named else np.asarray(targets, np.float64)
    loss = (ZeroOne() if classifies else Squared()) if loss is None else loss
    unit = 1.0 if classifies else _loss_of_the_mean(loss, labels, weight)
    return MDP(
        votes,
        labels,
        loss=OfMeans(loss) if ensemble.link == "exp" else loss,
        beta=beta,
        unit=unit,
        costs=ensemble.cost if ensemble.priced else None,
        weight=weight,
        actions=actions,
    )


def class_codes(labels: NDArray[Any], ensemble: Ensemble) -> NDArray[np.intp]:
    """The place of each label among the classes of the ensemble, intp (n,)."""
    assert ensemble.classes is not None
    place = {label: k for k, label in enumerate(ensemble.classes.tolist())}
    codes = np.array([place.get(label, -1) for label in labels.tolist()], np.intp)
    if (codes < 0).any():
        i = int(np.argmin(codes))
        raise ValueError(
            f"y contains the label {labels.tolist()[i]!r} (row {i}), which the ensemble does not "
            f"know; its classes are {ensemble.classes.tolist()[:8]}"
        )
    return codes


def _loss_of_the_mean(
    loss: Loss, targets: NDArray[Any], weight: NDArray[np.float64] | None
) -> float:
    """What the best constant loses, 1 where it loses nothing."""
    constant = np.full((len(targets), 1), np.average(targets, weights=weight))
    return float(np.average(loss(constant, targets), weights=weight)) or 1.0
