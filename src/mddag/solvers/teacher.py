"""Teacher: the full ensemble's calibrated probabilities as soft targets, in place of labels.

A class label is one draw from a distribution; the probabilities estimate the whole distribution, so
they are less noisy, but they repeat the errors of the full ensemble. Soft targets cost the kernels
nothing. For regression the target is what the full score predicts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.calibration import probabilities
from mddag.calibration.platt import fit_factor
from mddag.mdp.mdp import MDP


def with_teacher(mdp: MDP, scores: NDArray[np.float64] | None = None) -> MDP:
    """The same MDP with the teacher's targets in place of its labels.

    scores : of the full ensemble, (n, K); those of the MDP's own votes by default
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
