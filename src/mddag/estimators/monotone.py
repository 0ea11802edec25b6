"""Monotone constraints of the source model, which a sparse model may break.

A constraint holds for any fixed set of the trees. Where the column decides at which step a row
leaves, rows with another value are answered by other trees, so it need not hold between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mddag._utils.warnings import doubt
from mddag.engine.dag import Dag
from mddag.policy.calibration import Calibration

N_ROWS, N_VALUES = 200, 24  # rows, and values of a column on each of them


def doubt_monotone(
    signs: Mapping[int, int], dag: Dag, calibration: Calibration | None, X: Any
) -> None:
    """Warn if predictions are not monotone in the columns of `signs`, 1 if rising, -1 if falling.

    X are rows as the ensemble reads them.
    """
    if not signs or calibration is None or dag.ensemble.n_scores > 1:
        return
    features = dag.ensemble.features
    rows = np.array(features.rows(X))
    some, broken = rows[:N_ROWS], []
    for column, sign in signs.items():
        known = rows[np.isfinite(rows[:, column]), column]
        if len(known) == 0:
            continue
        values = np.unique(np.quantile(known, np.linspace(0, 1, N_VALUES)))
        grid = np.tile(some, (len(values), 1))
        grid[:, column] = np.repeat(values, len(some))
        trace = dag.run(grid)
        answers = calibration.calibrated(trace.scores, trace.exit_step)
        steps = sign * np.diff(answers.reshape(len(values), len(some)), axis=0)
        share = float((steps < -1e-9 * np.ptp(answers)).any(axis=0).mean())
        if share > 0:
            broken.append(f"{features.called(column)!r} ({100 * share:.0f} %)")
    if broken:
        doubt(
            "the model has monotone constraints, which the sparse model breaks, because rows leave "
            f"it at different steps; columns, and the share of {len(some)} rows whose prediction "
            f"once goes the wrong way: {', '.join(broken)}; sparsify(..., solver=Prefix()) "
            "evaluates the same trees for every row and keeps the constraints"
        )
