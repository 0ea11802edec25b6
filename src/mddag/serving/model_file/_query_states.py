"""States that look at a whole query <-> metadata and tensors: their readings, and what they add.

Numbers are checked by ``Readings``; here only that they are of the steps of the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mddag.mdp.grid import Grid
from mddag.mdp.query_state import Gap, QueryState, QueryUrgency, Rank, Reading, Share, Urgency
from mddag.mdp.readings import Readings
from mddag.metrics.ranking import NDCG, GainMetric, LetorNDCG, MeanNDCG
from mddag.serving.model_file.container import Metadata, ModelFileError, Tensors, Types

TENSORS = {
    "state.checks": ("I64", 1),
    "state.weights": ("F64", 2),
    "state.level": ("F64", 1),
    "state.edges": ("F64", 2),
    "state.spread": ("F64", 2),
    "state.gain_at": ("F64", 1),
    "state.gain": ("F64", 1),
}
FIELDS: dict[str, Types] = {"slope": float}
GAP_FIELDS: dict[str, Types] = {**FIELDS, "k": int}
URGENCY_FIELDS: dict[str, Types] = {
    **FIELDS,
    "metric": str,
    "k": (int, type(None)),
    "gain": (str, type(None)),
}
METRICS: dict[str, type[GainMetric]] = {kind.__name__: kind for kind in (NDCG, LetorNDCG, MeanNDCG)}


def parts(state: QueryState) -> tuple[Metadata, Tensors]:
    """Slope and arrays of the readings."""
    readings = state.readings
    arrays = {name: getattr(readings, name.removeprefix("state.")) for name in TENSORS}
    return {"slope": readings.slope}, {name: np.asarray(a) for name, a in arrays.items()}


def gap_parts(state: Gap) -> tuple[Metadata, Tensors]:
    """The same, and k."""
    metadata, tensors = parts(state)
    return {**metadata, "k": int(state.k)}, tensors


def urgency_parts(state: Urgency) -> tuple[Metadata, Tensors]:
    """The same, and the metric."""
    metadata, tensors = parts(state)
    params = {"k": None, "gain": None, **state.metric.get_params()}
    return {**metadata, "metric": type(state.metric).__name__, **params}, tensors


def reading(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Reading:
    return Reading(grid, _readings(metadata, tensors, n_steps))


def rank(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Rank:
    return Rank(grid, _readings(metadata, tensors, n_steps))


def share(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Share:
    return Share(grid, _readings(metadata, tensors, n_steps))


def gap(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Gap:
    return Gap(grid, _readings(metadata, tensors, n_steps), metadata["k"])


def urgency(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Urgency:
    return Urgency(grid, _readings(metadata, tensors, n_steps), _metric(metadata))


def query_urgency(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> QueryUrgency:
    return QueryUrgency(grid, _readings(metadata, tensors, n_steps), _metric(metadata))


def _metric(metadata: Metadata) -> GainMetric:
    kind = METRICS.get(metadata["metric"])
    if kind is None:
        raise ModelFileError(
            f"the metric of an urgency is {metadata['metric']!r:.20}; wanted {', '.join(METRICS)}"
        )
    known = {name: metadata[name] for name in kind().get_params()}
    return kind(**known)


def _readings(metadata: Metadata, tensors: Tensors, n_steps: int) -> Readings:
    arrays: dict[str, Any] = {name.removeprefix("state."): tensors[name] for name in TENSORS}
    found = Readings(**arrays, slope=metadata["slope"])
    if found.n_steps != n_steps:
        raise ModelFileError(
            f"the readings are of {found.n_steps} steps, but there are {n_steps}; wanted as many"
        )
    return found
