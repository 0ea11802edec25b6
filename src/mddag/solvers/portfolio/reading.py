"""Reading: what scores stand for at each exit.

A calibration by exit reads the score of a row that quits after m votes as a_m f. The log-loss of
QUIT must be computed from the same reading: a prefix of a shrunken ensemble has small scores, but
its probabilities need not be near 1/2. So a_0 .. a_N are fitted beforehand, each on all rows, to
soft targets: labels are too noisy to fit as many numbers to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.platt import fit_factor
from mddag.ensemble.partial_sums import partial_sums
from mddag.mdp.mdp import MDP

MAX_ROWS = 3_000  # that a factor is fitted to: one number, and targets without noise


def exit_factors(mdp: MDP) -> NDArray[np.float64]:
    """a_0 .. a_N by the targets of the MDP, in units of its logistic loss, float64 (N + 1,)."""
    few = mdp.rows(mdp.counting(MAX_ROWS))
    mass = few.mass
    factors = [fit_factor(scores, few.labels, mass) for scores in partial_sums(few.votes)]
    return np.array(factors) / mdp.loss.scale
