"""Teacher: the full ensemble's own opinion as the target, for it is less noisy than one label.

A class label is one draw; the calibrated probability of the full ensemble is its estimate of the
whole distribution, and a soft target costs the kernels nothing. For regression the target is what
the full score predicts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.calibration import probabilities
from mddag.calibration.platt import fit_factor
from mddag.mdp.mdp import MDP


def taught(mdp: MDP, scores: NDArray[np.float64] | None = None) -> MDP:
    """The same MDP with the full ensemble's opinion in place of its labels.

    scores : the teacher's, (n, K); those of the MDP's own votes by default
    """
    scores = mdp.votes.scores() if scores is None else scores
    if mdp.of_numbers:
        return mdp.with_labels(mdp.loss.predictions(scores)[:, 0])
    shares = mdp.labels if mdp.labels.ndim == 2 else np.eye(max(mdp.n_scores, 2))[mdp.labels]
    # a row counts once per class, by its share of it
    mass = mdp.mass
    row, label = np.nonzero(shares * mass[:, None])
    factor = fit_factor(scores[row], label, shares[row, label] * mass[row])
    return mdp.with_labels(probabilities(scores, factor))
