"""Verdicts of a run: the class of each row, by the policy's verdict where it has one.

    class = verdict[d, c] if that is not -1, else the class by the scores

d is the decision at which a row quits, c its cell there. The executors *blocks* and *all* give the
exit step and the scores alone. Their state folds, so that is enough: behind its last evaluation a
row stays in the cell of its final scores, and d is the first decision from there on at which this
cell quits. The executor *steps* writes down d and c as rows quit (``Quits``); the walk finds them
natively.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.dag.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks.classification import winners
from mddag.mdp.verdicts import decided


def codes_by_scores(ensemble: Ensemble, scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Class codes (n,), which need no labels; -1 for models without classes."""
    if ensemble.task.predicts_classes:
        return winners(scores)
    return np.full(len(scores), -1, np.intp)


def verdicts_by_exits(
    program: Program, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
) -> NDArray[np.intp]:
    """Class codes (n,) of rows that kernels have run."""
    policy, codes = program.policy, codes_by_scores(program.ensemble, scores)
    if policy.verdict is None:
        return codes
    said = policy.last_verdicts[policy.decision_after(exit_step), program.cells(scores)]
    return decided(codes, said)
