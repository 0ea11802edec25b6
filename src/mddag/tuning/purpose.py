"""What a model is for besides its labels: decisions at a threshold, and monotone columns.

A sparse model does not take them over by itself, so ``sparsify`` protects or measures them, and
says what to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import mass, part
from mddag._utils.warnings import doubt
from mddag.adapters import ModelParts, monotone_columns
from mddag.policy.calibration import Calibration, fit_factor, probabilities
from mddag.policy.policy import Policy
from mddag.policy.rollout import roll_out
from mddag.tuning.problem import Problem

N_ROWS, N_VALUES = 200, 24  # rows, and values of a column on each of them


def decision_of_source(source: ModelParts, X: Any, problem: Problem, given: NDArray[Any]) -> float:
    """Return where calibrated probabilities decide as a source with a threshold does, and say so.

    `given` are labels (n,), or without them the model's own probabilities.
    """
    assert source.threshold is not None
    # The calibrated probability is another one than the model's own, so the score decides.
    own = np.sort(source.model.predict_proba(source.rows(X))[:, 1])
    score = np.interp(source.threshold, own, np.sort(problem.scores[:, 0]))
    seen, labels = problem.split.seen, problem.ensemble.task.coded(given)
    weight = part(problem.weight, seen)
    factor = fit_factor(
        problem.scores[seen], labels[seen], None if weight is None else mass(weight)
    )
    threshold = float(f"{probabilities(np.array([[score]]), factor)[0, 1]:.6g}")
    assert problem.ensemble.classes is not None
    doubt(
        f"the model decides for {problem.ensemble.classes.tolist()[1]!r} at probability "
        f"{source.threshold:.4g}, but predict of the sparse model for the more probable class; "
        f"decide as the model does by predict_proba(X)[:, 1] > {threshold:g} (its probabilities "
        "are calibrated), or predict with sklearn.model_selection.FixedThresholdClassifier("
        f"FrozenEstimator(sparse), threshold={threshold:g}).fit(X, y)"
    )
    return threshold


def doubt_monotone(
    source: ModelParts, X: Any, problem: Problem, policy: Policy, calibration: Calibration
) -> None:
    """Warn if predictions are not monotone in a column in which the source had to be."""
    ensemble = problem.ensemble
    signs = {} if ensemble.n_scores > 1 else monotone_columns(source.model)
    if not signs:
        return
    rows = np.array(ensemble.features.rows(source.rows(X)))
    some = rows[:N_ROWS]
    broken: dict[str, float] = {}
    for column, sign in signs.items():
        known = rows[np.isfinite(rows[:, column]), column]
        values = np.unique(np.quantile(known, np.linspace(0, 1, N_VALUES))) if len(known) else known
        grid = np.tile(some, (len(values), 1))
        grid[:, column] = np.repeat(values, len(some))
        found = roll_out(policy, ensemble.votes(grid), ensemble.cost)
        answers = calibration.calibrated(found.scores, found.exit_step)
        steps = sign * np.diff(answers.reshape(len(values), len(some)), axis=0)
        share = float((steps < -1e-9 * np.ptp(answers)).any(axis=0).mean())
        if share > 0:
            names = ensemble.features.names
            broken[repr(column if names is None else names[column])] = share
    if broken:
        shares = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in broken.items())
        doubt(
            "the model has monotone constraints, which the sparse model breaks, because rows leave "
            f"it at different steps; columns, and the share of {len(some)} rows whose prediction "
            f"once goes the wrong way: {shares}; solver=Prefix() of mddag.solvers evaluates "
            "the same trees for every row and keeps the constraints"
        )
