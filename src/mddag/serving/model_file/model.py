"""Write and read the content of a file: a DAG, its calibration, and what was measured.

``load`` checks every array before a kernel reads it; whatever is wrong with a file raises
ModelFileError. What most models do not have, a file need not say: verdicts are a tensor that may be
absent, and the state is in the metadata only if it is not the scores. Another state is one more
line of FORMATS; those of applications are looked up by name in ``_utils.applications``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.applications import STATES, part
from mddag._utils.checks import checked_path, typed
from mddag._utils.output import write_whole
from mddag.engine.dag import Dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.votes import starts_of
from mddag.policy.calibration import Calibration
from mddag.policy.grid import Grid
from mddag.policy.policy import Policy
from mddag.policy.state import Score, Stages, State
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_length,
    check_tensors,
    content_of,
    pack,
)
from mddag.serving.model_file.ensemble import (
    ENSEMBLE_FIELDS,
    ENSEMBLE_TENSORS,
    ensemble_of,
    ensemble_parts,
)
from mddag.serving.result import Result, from_json

VERSION = 1  # of the format
FIELDS: dict[str, Types] = {
    "version": int,
    "result": (dict, type(None)),
    "every": int,
    **ENSEMBLE_FIELDS,
}
POLICY = {
    "policy.edges": ("F64", 1),
    "policy.actions": ("U8", 2),
    "policy.order": ("I64", 1),
}
OPTIONAL = {
    "policy.verdict": ("I32", 2),
    "policy.leaps": ("I32", 2),
    "features.rectangles": ("I32", 2),  # of models that read patches alone
}
CALIBRATION = {
    "calibration.groups": ("I64", 1),
    "calibration.factors": ("F64", 1),
    "calibration.offsets": ("F64", 1),
}
PRICES = {
    "prices.costs": ("F64", 1),
    "prices.sizes": ("I64", 1),
    "prices.columns": ("I64", 1),
    "prices.buys": ("U8", 2),
}


@dataclass(frozen=True, eq=False)
class Model:
    """What is needed to predict, and what is known of it."""

    dag: Dag  # ensemble and policy
    calibration: Calibration | None = None  # what scores at each exit stand for
    result: Result | None = None  # what was asked for, found and measured

    def __post_init__(self) -> None:
        n_exits = len(self.dag.ensemble) + 1
        if self.calibration is not None and len(self.calibration.groups) != n_exits:
            raise ValueError(
                f"the calibration is of {len(self.calibration.groups)} exit steps, but the DAG has "
                f"{n_exits}; wanted the calibration of this DAG"
            )
        if self.dag.needs_queries and self.dag.ensemble.kind != "ranker":
            raise ValueError(
                f"the policy looks at all documents of a query ({typed(self.dag.policy.state)}), "
                f"but the ensemble is a {self.dag.ensemble.kind}; wanted a ranker"
            )

    def to_bytes(self) -> bytes:
        """Return the file's content; the same for the same model."""
        of_ensemble, trees = ensemble_parts(self.dag.ensemble)
        of_policy, actions = policy_parts(self.dag.policy)
        metadata = {
            "version": VERSION,
            "result": None if self.result is None else asdict(self.result),
            **of_ensemble,
            **of_policy,
        }
        if self.dag.purchases is not None:
            metadata["prices"], of_prices = prices_parts(self.dag.purchases)
            trees |= of_prices
        tensors = trees | actions | calibration_parts(self.calibration)
        return pack(metadata, {name: np.ascontiguousarray(t) for name, t in tensors.items()})

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Read the model in a file's content, checked throughout."""
        return content_of(data, cls.of_content)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all; what cannot be read back is not written."""
        data = self.to_bytes()
        self.from_bytes(data)
        write_whole(checked_path(path), data)

    @classmethod
    def of_content(cls, metadata: Metadata, tensors: Tensors) -> Model:
        """Make the model that these hold, checked throughout."""
        version = metadata.get("version")
        if type(version) is not int or version != VERSION:
            raise ModelFileError(
                f"the file has format version {version!r:.20}, but this mddag reads version "
                f"{VERSION}"
            )
        optional: dict[str, Types] = {n: dict for n in ("state", "prices") if n in metadata}
        check_fields("the metadata", metadata, FIELDS | optional)
        wanted = ENSEMBLE_TENSORS | POLICY
        wanted |= {name: OPTIONAL[name] for name in OPTIONAL.keys() & tensors.keys()}
        wanted |= CALIBRATION if "calibration.groups" in tensors else {}
        wanted |= PRICES if "prices" in metadata else {}
        wanted |= format_of(metadata["state"]).tensors if "state" in metadata else {}
        check_tensors(tensors, wanted)
        ensemble = ensemble_of(metadata, tensors)
        policy = policy_of(metadata, tensors, ensemble)
        result, expected = None, None
        if metadata["result"] is not None:
            result = from_json(Result, metadata["result"], "the result")
            expected = None if result.evaluation is None else result.evaluation.n_evaluated
        purchases = purchases_of(metadata["prices"], tensors) if "prices" in metadata else None
        dag = Dag(ensemble, policy, expected_evaluations=expected, purchases=purchases)
        _ = dag.fixed_point  # raises for votes whose sums no executor could hold
        return cls(dag, calibration_of(tensors, ensemble, policy), result)


@dataclass(frozen=True)
class StateFormat:
    """How one kind of state is kept."""

    name: str  # what files call it
    kind: type  # its class
    # of a state, the metadata of `fields` and the arrays of `tensors`
    parts: Callable[[Any], tuple[Metadata, Tensors]]
    # the inverse, of metadata and tensors of the right types, the grid and the number of steps
    read: Callable[[Metadata, Tensors, Grid, int], State]
    fields: Mapping[str, Types] = field(default_factory=dict)  # types of its metadata
    # type and number of dimensions of its arrays, whose names begin with "state."
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


STAGES = {"state.reads": ("I64", 1), "state.writes": ("U8", 2)}
FORMATS = (StateFormat("stages", Stages, _stages_parts, _stages, tensors=STAGES),)


def state_parts(state: State) -> tuple[Metadata, Tensors]:
    """Return {"kind": name, ...} and the arrays of a state other than the scores."""
    for known in chain(FORMATS, map(_of_application, STATES)):  # which are imported if needed
        if type(state) is known.kind:
            metadata, tensors = known.parts(state)
            return {"kind": known.name, **metadata}, tensors
    raise TypeError(
        f"the state of the policy is {typed(state)}, which a file cannot keep; wanted Score or "
        "Stages, or a state of mddag.ranking"
    )


def format_of(metadata: Any) -> StateFormat:
    """Return the format that the metadata of a state names."""
    name = metadata.get("kind") if isinstance(metadata, dict) else None
    own = {known.name: known for known in FORMATS}
    if type(name) is not str or name not in {**own, **STATES}:
        raise ModelFileError(
            f"the state of the policy is {name!r:.20}, unknown here; wanted "
            f"{', '.join([*own, *STATES])}"
        )
    found = own.get(name) or _of_application(name)
    check_fields("the state", metadata, {"kind": str, **found.fields})
    return found


def _of_application(name: str) -> StateFormat:
    """Return the format of a state that an application has."""
    formats: tuple[StateFormat, ...] = part(STATES, name).FORMATS
    return next(known for known in formats if known.name == name)


MOST_EVERY = 2**20  # steps of one decision
MOST_CELLS = 2**20  # of a policy without steps, whose actions do not say how many there are


def policy_parts(policy: Policy) -> tuple[Metadata, Tensors]:
    """Return the metadata and the arrays of a policy, any state and verdicts."""
    metadata: Metadata = {"every": int(policy.every)}
    tensors: Tensors = {
        "policy.edges": policy.grid.edges,
        "policy.actions": policy.actions,
        "policy.order": policy.order.astype(np.int64),
    }
    if type(policy.state) is not Score:
        metadata["state"], of_state = state_parts(policy.state)
        tensors |= of_state
    if policy.verdict is not None:
        tensors["policy.verdict"] = policy.verdict.astype(np.int32)
    if policy.leaps is not None:
        tensors["policy.leaps"] = policy.leaps
    return metadata, tensors


def policy_of(metadata: Metadata, tensors: Tensors, ensemble: Ensemble) -> Policy:
    """Invert `policy_parts`, for the given ensemble."""
    grid = Grid(tensors["policy.edges"], ensemble.n_scores)
    check_length("policy.order", tensors["policy.order"], len(ensemble), "one for each step")
    if metadata["every"] > MOST_EVERY:
        raise ModelFileError(f"every is {metadata['every']}; wanted at most {MOST_EVERY}")
    if len(ensemble) == 0 and grid.n_cells > MOST_CELLS:
        raise ModelFileError(
            f"the grid has {grid.n_cells} cells and the policy no step; "
            f"wanted at most {MOST_CELLS} cells"
        )
    state: State = Score(grid)
    if "state" in metadata:
        kept = metadata["state"]
        state = format_of(kept).read(kept, tensors, grid, len(ensemble))
    return Policy(
        tensors["policy.actions"],
        grid,
        tensors["policy.order"],
        metadata["every"],
        state=state,
        verdict=tensors.get("policy.verdict"),
        leaps=tensors.get("policy.leaps"),
    )


def calibration_parts(calibration: Calibration | None) -> Tensors:
    """Return the arrays of CALIBRATION; none for a model without probabilities."""
    if calibration is None:
        return {}
    return {
        "calibration.groups": calibration.groups.astype(np.int64),
        "calibration.factors": calibration.factors,
        "calibration.offsets": calibration.offsets,
    }


def calibration_of(tensors: Tensors, ensemble: Ensemble, policy: Policy) -> Calibration | None:
    """Invert `calibration_parts`, for the given ensemble and policy."""
    if "calibration.groups" not in tensors:
        return None
    groups, factors, offsets = (tensors[name] for name in CALIBRATION)
    check_length("calibration.groups", groups, len(ensemble) + 1, "one for each exit step")
    calibration = Calibration(groups, factors, offsets)
    if not ensemble.task.calibration_changes_predictions and offsets.any():
        _check_offsets(calibration.offsets[calibration.groups], policy)
    return calibration


def _check_offsets(offsets: NDArray[np.float64], policy: Policy) -> None:
    """Reject offsets that would change the winner of a classifier.

    They may be negative at exits by which only rows with f <= 0 leave, and nowhere else.
    """
    winners = np.zeros(len(offsets), bool)  # exits by which a row with f > 0 may leave
    winners[-1] = True
    if policy.grid.n_scores == 1 and policy.state.has_kernels:
        # Cells of scores above 0, up to rounding.
        positive = np.append(policy.grid.edges >= 0, True)
        quits = (policy.jumps[:-1] == policy.n_steps)[:, positive].any(axis=1)
        winners[: policy.n_steps : policy.every] = quits
    else:
        winners[:] = True
    if offsets[winners].any() or (offsets > 0).any():
        raise ModelFileError("tensor calibration.offsets would change winners; wanted zeros")


PRICE_FIELDS: dict[str, Types] = {"names": list, "needs": list, "wave_cost": float}


def prices_parts(purchases: Purchases) -> tuple[Metadata, Tensors]:
    """Return the metadata of PRICE_FIELDS and the arrays of PRICES."""
    prices = purchases.prices
    metadata = {
        "names": list(prices.names),
        "needs": [list(groups) for groups in prices.needs],
        "wave_cost": float(prices.wave_cost),
    }
    return metadata, {
        "prices.costs": prices.costs,
        "prices.sizes": np.array([len(c) for c in prices.columns], np.int64),
        "prices.columns": np.array([c for group in prices.columns for c in group], np.int64),
        "prices.buys": purchases.buys.astype(np.uint8),
    }


def purchases_of(metadata: Any, tensors: Tensors) -> Purchases:
    """Invert `prices_parts`; the Dag checks whether they fit the model."""
    check_fields("prices", metadata, PRICE_FIELDS)
    names, needs = metadata["names"], metadata["needs"]
    if not all(type(name) in (str, int) for name in names):
        raise ModelFileError("prices have names of groups that are neither strings nor positions")
    if not all(type(of) is list and all(type(g) is int for g in of) for of in needs):
        raise ModelFileError("prices have needs that are no lists of groups")
    sizes, columns, buys = (tensors[f"prices.{name}"] for name in ("sizes", "columns", "buys"))
    if sizes.min(initial=1) < 1 or sizes.max(initial=0) > len(columns):
        raise ModelFileError("tensor prices.sizes holds sizes that no group can have")
    starts = starts_of(sizes)
    check_length("prices.columns", columns, int(starts[-1]), "one for each column of a group")
    if buys.max(initial=0) > 1:
        raise ModelFileError("tensor prices.buys holds numbers above 1; wanted 0 or 1")
    held = columns.tolist()
    prices = FeaturePrices(
        tuple(names),
        tuple(tuple(held[a:b]) for a, b in pairwise(starts.tolist())),
        tensors["prices.costs"],
        metadata["wave_cost"],
        tuple(map(tuple, needs)),
    )
    return Purchases(prices, buys.astype(bool))
