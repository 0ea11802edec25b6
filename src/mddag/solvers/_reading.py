"""Reading: what scores will stand for at each exit, and a teacher for probabilities.

A calibration by exit reads the score of a row that quits after m votes as a_m f. Whoever asks what
QUIT costs in log-loss must read it likewise: a prefix of a shrunken ensemble looks unsure, and is
not. So a_0 .. a_N are fitted beforehand, each on all rows.

The targets are probabilities, for labels are too noisy to fit as many numbers to. Those of the full
ensemble alone would make every step towards it a gain, also where it has begun to overfit; hence a
mixture of the log-odds after a few, some, many and all votes in the order of the source,

    teacher = p(w_1 a_8 f^(8) + w_2 a_32 f^(32) + w_3 a_128 f^(128) + w_4 a_N F),

whose weights are fitted to labels, drawn towards the full ensemble.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mddag.calibration import probabilities, sigmoid, softmax
from mddag.factor import fit_factor, smoothed
from mddag.losses import Logistic
from mddag.mdp import MDP
from mddag.partial_sums import partial_sums

LENGTHS = (8, 32, 128)  # besides N
PRIOR = 10.0  # rows that the belief in the full ensemble alone counts for
MAX_ROWS = 3_000  # that a factor is fitted to: one number, and targets without noise

Matrix = NDArray[np.float64]


def advised(learning: MDP, selection: MDP) -> tuple[MDP, MDP]:
    """Both with the teacher's opinion in place of labels; it learns on the first alone."""
    stages = _stages(learning)
    counting = np.flatnonzero(learning.weight)
    labels, mass = learning.labels[counting], learning.weight[counting]
    factors = [fit_factor(scores[counting], labels, mass) for scores in stages]
    shares = labels if labels.ndim == 2 else smoothed(labels, max(learning.n_scores, 2), mass)
    logits = np.stack([a * f[counting] for a, f in zip(factors, stages, strict=True)])
    scale = _mixture(logits, shares[:, -learning.n_scores :], mass) * factors
    taught, judged = (
        m.with_labels(probabilities(np.tensordot(scale, s, axes=1), 1.0))
        for m, s in ((learning, stages), (selection, _stages(selection)))
    )
    return taught, judged


def exit_factors(mdp: MDP) -> NDArray[np.float64]:
    """a_0 .. a_N by the targets of the MDP, in units of its logistic loss, float64 (N + 1,)."""
    counting = np.flatnonzero(mdp.weight)
    spaced = np.linspace(0, len(counting) - 1, min(len(counting), MAX_ROWS)).astype(np.intp)
    few = mdp.rows(counting[spaced])
    factors = [fit_factor(scores, few.labels, few.weight) for scores in partial_sums(few.votes)]
    scale = mdp.loss.scale if isinstance(mdp.loss, Logistic) else 1.0
    return np.array(factors) / scale


def _stages(mdp: MDP) -> Matrix:
    """The scores after a few, some, many and all votes, (n_stages, n, K)."""
    lengths = [n for n in LENGTHS if n < mdp.n_steps] + [mdp.n_steps]
    return np.stack([f.copy() for j, f in enumerate(partial_sums(mdp.votes)) if j in lengths])


def _mixture(logits: Matrix, targets: Matrix, mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """w (n_stages,) of logits (n_stages, n, K) for targets (n, K), by penalised likelihood."""
    belief = np.zeros(len(logits))
    belief[-1] = 1.0
    share, pull = mass / mass.sum(), PRIOR / mass.sum()

    def loss_and_slope(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = np.tensordot(w, logits, axes=1)
        single = z.shape[1] == 1
        p = sigmoid(z) if single else softmax(z)
        total = np.logaddexp(0.0, z[:, 0]) if single else np.logaddexp.reduce(z, axis=1)
        off = w - belief
        loss = share @ (total - (targets * z).sum(axis=1)) + pull / 2 * (off @ off)
        slope = np.einsum("mnk,nk->m", logits, share[:, None] * (p - targets)) + pull * off
        return float(loss), slope

    found: NDArray[np.float64] = minimize(loss_and_slope, belief, jac=True, method="BFGS").x
    return found
