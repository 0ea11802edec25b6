"""The state of a policy <-> metadata and tensors. Another state is one more line of FORMATS.

A file without a state has the scores. States of applications are looked up by name in
``_utils.applications``; their modules have FORMATS, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mddag._utils.applications import STATES, part
from mddag._utils.checks import typed
from mddag.policy.grid import Grid
from mddag.policy.state import Score, Stages, State
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_length,
)


@dataclass(frozen=True)
class StateFormat:
    """How one kind of state is kept.

    name    : what files call it
    kind    : its class
    parts   : of a state, the metadata of `fields` and the arrays of `tensors`
    read    : the inverse: metadata and tensors of the right types, the grid, the number of steps
    fields  : the types of its metadata
    tensors : type and number of dimensions of its arrays, whose names begin with "state."
    """

    name: str
    kind: type
    parts: Callable[[Any], tuple[Metadata, Tensors]]
    read: Callable[[Metadata, Tensors, Grid, int], State]
    fields: Mapping[str, Types] = field(default_factory=dict)
    tensors: Mapping[str, tuple[str, int]] = field(default_factory=dict)


def _stages_parts(state: Stages) -> tuple[Metadata, Tensors]:
    reads, writes = state.reads.astype(np.int64), state.writes.astype(np.uint8)
    return {}, {"state.reads": reads, "state.writes": writes}


def _stages(metadata: Metadata, tensors: Tensors, grid: Grid, n_steps: int) -> Stages:
    reads, writes = tensors["state.reads"], tensors["state.writes"]
    check_length("state.reads", reads, n_steps + 1, "one for each step and the end")
    check_length("state.writes", writes, n_steps, "one row for each step")
    if writes.shape[1] > n_steps + 1:  # no more can be read, and rows carry all of them
        raise ModelFileError(
            f"there are {writes.shape[1]} score columns for {n_steps} steps; wanted at most "
            f"{n_steps + 1}"
        )
    if writes.max(initial=0) > 1:
        raise ModelFileError("tensor state.writes holds numbers above 1; wanted 0 or 1")
    return Stages(grid, reads, writes.astype(bool))


FORMATS = (
    StateFormat("score", Score, lambda state: ({}, {}), lambda _m, _t, grid, _n: Score(grid)),
    StateFormat(
        "stages",
        Stages,
        _stages_parts,
        _stages,
        tensors={"state.reads": ("I64", 1), "state.writes": ("U8", 2)},
    ),
)


def state_parts(state: State) -> tuple[Metadata, Tensors]:
    """{"kind": name, ...} and the arrays of a state."""
    formats = list(FORMATS)
    if not any(type(state) is known.kind for known in formats):
        formats += [_of_application(name) for name in STATES]
    for known in formats:
        if type(state) is known.kind:
            metadata, tensors = known.parts(state)
            return {"kind": known.name, **metadata}, tensors
    names = " or ".join(known.kind.__name__ for known in formats)
    raise TypeError(
        f"the state of the policy is {typed(state)}, which a file cannot keep; wanted {names}"
    )


def format_of(metadata: Any) -> StateFormat:
    """The format that the metadata of a state names."""
    name = metadata.get("kind") if isinstance(metadata, dict) else None
    found = {known.name: known for known in FORMATS}.get(name) if type(name) is str else None
    if type(name) is str and name in STATES:
        found = _of_application(name)
    if found is None:
        names = ", ".join([*(known.name for known in FORMATS), *STATES])
        raise ModelFileError(
            f"the state of the policy is {name!r:.20}, unknown here; wanted {names}"
        )
    check_fields("the state", metadata, {"kind": str, **found.fields})
    return found


def _of_application(name: str) -> StateFormat:
    """The format of a state that an application has."""
    formats: tuple[StateFormat, ...] = part(STATES, name).FORMATS
    return next(known for known in formats if known.name == name)
