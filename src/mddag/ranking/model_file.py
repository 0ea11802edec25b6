"""Convert states that look at a whole query to metadata and tensors, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from mddag._utils.checks import check_whole
from mddag.metrics.ranking import NDCG, GainMetric, LetorNDCG, MeanNDCG
from mddag.policy.grid import Grid
from mddag.ranking.states import Gap, QueryState, Readings, Urgency
from mddag.serving.model_file.container import Metadata, ModelFileError, Tensors, Types
from mddag.serving.model_file.model import StateFormat

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
LARGEST = 1e100  # numbers whose sums and squares remain numbers


def gap_parts(state: Gap) -> tuple[Metadata, Tensors]:
    """Return slope and arrays of the readings, and k."""
    return {"slope": state.readings.slope, "k": int(state.k)}, _arrays(state)


def urgency_parts(state: Urgency) -> tuple[Metadata, Tensors]:
    """Return slope and arrays of the readings, and the metric."""
    params = {"k": None, "gain": None, **state.metric.get_params()}
    named = {"slope": state.readings.slope, "metric": type(state.metric).__name__}
    return named | params, _arrays(state)


def gap(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Gap:
    """Invert `gap_parts`."""
    check_whole("k", metadata["k"], 1)
    return Gap(grid, _readings(metadata, tensors, n_steps), metadata["k"])


def urgency(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Urgency:
    """Invert `urgency_parts`."""
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
    n, n_cells, n_knots = len(found), found.spread.shape[1], len(found.gain_at)
    shapes = {
        "weights": (n, n),
        "level": (n,),
        "edges": (n, max(n_cells - 1, 0)),
        "spread": (n, max(n_cells, 1)),
        "gain": (max(n_knots, 1),),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape or n == 0:
            raise ModelFileError(
                f"tensor state.{name} has shape {arrays[name].shape}; wanted {shape} for {n} check "
                "points, one or more"
            )
    sound = {
        "checks": found.checks[0] > 0 and (np.diff(found.checks) > 0).all(),
        "edges": (np.diff(found.edges, axis=1) >= 0).all(),
        "gain_at": (np.diff(found.gain_at) > 0).all(),
        "gain": (np.diff(found.gain) >= 0).all() and (found.gain >= 0).all(),
        "spread": (found.spread > 0).all(),
        "slope": 0 <= found.slope <= LARGEST,
    }
    for name, array in arrays.items():
        if not (np.abs(array) <= LARGEST).all() or not sound.get(name, True):
            raise ModelFileError(f"tensor state.{name} holds unsound numbers or is not in order")
    if not sound["slope"]:
        raise ModelFileError(f"the slope of readings is {found.slope}; wanted 0 or more")
    if found.n_steps != n_steps:
        raise ModelFileError(
            f"the readings are of {found.n_steps} steps, but there are {n_steps}; wanted as many"
        )
    return found
