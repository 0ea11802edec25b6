"""Policy and calibration <-> metadata and tensors.

What most policies do not have, a file need not say: verdicts are a tensor that may be absent, and
the state is in the metadata only where it is another than the scores.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.engine.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.votes import starts_of
from mddag.policy.calibration import Calibration
from mddag.policy.grid import Grid
from mddag.policy.policy import Policy
from mddag.policy.state import Score, State
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_length,
)
from mddag.serving.model_file.states import format_of, state_parts

POLICY_FIELDS: dict[str, Types] = {"every": int}
TENSORS = {
    "policy.edges": ("F64", 1),
    "policy.actions": ("U8", 2),
    "policy.order": ("I64", 1),
}
VERDICT = {"policy.verdict": ("I32", 2)}
LEAPS = {"policy.leaps": ("I32", 2)}
CALIBRATION_TENSORS = {
    "calibration.groups": ("I64", 1),
    "calibration.factors": ("F64", 1),
    "calibration.offsets": ("F64", 1),
}
MOST_EVERY = 2**20  # steps of one decision
MOST_CELLS = 2**20  # of a policy without steps, whose actions do not say how many there are


def policy_parts(policy: Policy) -> tuple[Metadata, Tensors]:
    """The metadata of POLICY_FIELDS and the arrays of TENSORS, with any state and verdicts."""
    metadata: Metadata = {"every": int(policy.every)}
    tensors: Tensors = {
        "policy.edges": policy.grid.edges,
        "policy.actions": policy.actions,
        "policy.order": policy.order.astype(np.int64),
    }
    state, of_state = state_parts(policy.state)
    if not isinstance(policy.state, Score):
        metadata["state"] = state
    if policy.verdict is not None:
        of_state["policy.verdict"] = policy.verdict.astype(np.int32)
    if policy.leaps is not None:
        of_state["policy.leaps"] = policy.leaps
    return metadata, tensors | of_state


def tensors_of(metadata: Metadata, tensors: Tensors) -> dict[str, tuple[str, int]]:
    """The tensors of a policy that a file with this metadata must have, or may."""
    wanted = dict(TENSORS)
    if "state" in metadata:
        wanted |= format_of(metadata["state"]).tensors
    if "policy.leaps" in tensors:
        wanted |= LEAPS
    return wanted | (VERDICT if "policy.verdict" in tensors else {})


def policy_of(metadata: Metadata, tensors: Tensors, ensemble: Ensemble) -> Policy:
    """The inverse of `policy_parts`, for the given ensemble."""
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
    """The arrays of CALIBRATION_TENSORS; none for a model without probabilities."""
    if calibration is None:
        return {}
    return {
        "calibration.groups": calibration.groups.astype(np.int64),
        "calibration.factors": calibration.factors,
        "calibration.offsets": calibration.offsets,
    }


def calibration_of(tensors: Tensors, ensemble: Ensemble, policy: Policy) -> Calibration | None:
    """The inverse of `calibration_parts`, for the given ensemble and policy."""
    if "calibration.groups" not in tensors:
        return None
    groups, factors, offsets = (tensors[name] for name in CALIBRATION_TENSORS)
    check_length("calibration.groups", groups, len(ensemble) + 1, "one for each exit step")
    calibration = Calibration(groups, factors, offsets)
    if not ensemble.task.calibration_changes_predictions and offsets.any():
        _check_offsets(calibration.offsets[calibration.groups], policy)
    return calibration


def _check_offsets(offsets: NDArray[np.float64], policy: Policy) -> None:
    """Refuse those of a classifier but at exits that rows with f <= 0 alone leave by, and there at
    most 0: they would change the winner."""
    winners = np.zeros(len(offsets), bool)  # exits by which a row with f > 0 may leave
    winners[-1] = True
    if policy.grid.n_scores == 1 and policy.state.has_kernels:
        positive = np.append(
            policy.grid.edges >= 0, True
        )  # cells of scores above 0, up to rounding
        quits = (policy.jumps[:-1] == policy.n_steps)[:, positive].any(axis=1)
        winners[: policy.n_steps : policy.every] = quits
    else:
        winners[:] = True
    if offsets[winners].any() or (offsets > 0).any():
        raise ModelFileError("tensor calibration.offsets would change winners; wanted zeros")


PRICE_FIELDS: dict[str, Types] = {"names": list, "needs": list, "wave_cost": float}
PRICE_TENSORS = {
    "prices.costs": ("F64", 1),
    "prices.sizes": ("I64", 1),
    "prices.columns": ("I64", 1),
    "prices.buys": ("U8", 2),
}


def prices_parts(purchases: Purchases) -> tuple[Metadata, Tensors]:
    """The metadata of PRICE_FIELDS and the arrays of PRICE_TENSORS."""
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
    """The inverse of `prices_parts`; whether they fit the model, the Dag checks."""
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
