"""States that look at a whole query <-> metadata and tensors: their readings, and what they add.

Numbers are checked by ``Readings``; here only that they are of the steps of the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mddag.metrics.ranking import NDCG, GainMetric, LetorNDCG, MeanNDCG
from mddag.policy.grid import Grid
from mddag.ranking.states import Gap, QueryState, Readings, Urgency
from mddag.serving.model_file.container import Metadata, ModelFileError, Tensors, Types
from mddag.serving.model_file.policy import StateFormat

TENSORS = {
    "state.checks": ("I64", 1),
    "state.weights": ("F64", 2),
    "state.level": ("F64", 1),
    "state.edges": ("F64", 2),
    "state.spread": ("F64", 2),
    "state.gain_at": ("F64", 1),
    "state.gain": ("F64", 1),
}
GAP_FIELDS: dict[str, Types] = {"slope": float, "k": int}
URGENCY_FIELDS: dict[str, Types] = {
    "slope": float,
    "metric": str,
    "k": (int, type(None)),
    "gain": (str, type(None)),
}
METRICS: dict[str, type[GainMetric]] = {kind.__name__: kind for kind in (NDCG, LetorNDCG, MeanNDCG)}


def gap_parts(state: Gap) -> tuple[Metadata, Tensors]:
    """Slope and arrays of the readings, and k."""
    return {"slope": state.readings.slope, "k": int(state.k)}, _arrays(state)


def urgency_parts(state: Urgency) -> tuple[Metadata, Tensors]:
    """Slope and arrays of the readings, and the metric."""
    params = {"k": None, "gain": None, **state.metric.get_params()}
    named = {"slope": state.readings.slope, "metric": type(state.metric).__name__}
    return named | params, _arrays(state)


def gap(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Gap:
    return Gap(grid, _readings(metadata, tensors, n_steps), metadata["k"])


def urgency(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Urgency:
    kind = METRICS.get(metadata["metric"])
    if kind is None:
        raise ModelFileError(
            f"the metric of an urgency is {metadata['metric']!r:.20}; wanted {', '.join(METRICS)}"
        )
    metric = kind(**{name: metadata[name] for name in kind().get_params()})
    return Urgency(grid, _readings(metadata, tensors, n_steps), metric)


FORMATS = (
    StateFormat("gap", Gap, gap_parts, gap, GAP_FIELDS, TENSORS),
    StateFormat("urgency", Urgency, urgency_parts, urgency, URGENCY_FIELDS, TENSORS),
)


def _arrays(state: QueryState) -> Tensors:
    return {
        name: np.asarray(getattr(state.readings, name.removeprefix("state."))) for name in TENSORS
    }


def _readings(metadata: Metadata, tensors: Tensors, n_steps: int) -> Readings:
    arrays: dict[str, Any] = {name.removeprefix("state."): tensors[name] for name in TENSORS}
    found = Readings(**arrays, slope=metadata["slope"])
    if found.n_steps != n_steps:
        raise ModelFileError(
            f"the readings are of {found.n_steps} steps, but there are {n_steps}; wanted as many"
        )
    return found
