"""Policy and calibration <-> metadata and tensors."""

from __future__ import annotations

import numpy as np

from mddag.calibration import Calibration
from mddag.ensemble import Ensemble
from mddag.grid import Grid
from mddag.model_file._fields import Types, check_length
from mddag.model_file.container import Metadata, ModelFileError, Tensors
from mddag.policy import Policy

FIELDS: dict[str, Types] = {"every": int}
TENSORS = {
    "policy.edges": ("F64", 1),
    "policy.actions": ("U8", 2),
    "policy.order": ("I64", 1),
}
CALIBRATION_TENSORS = {
    "calibration.groups": ("I64", 1),
    "calibration.factors": ("F64", 1),
    "calibration.offsets": ("F64", 1),
}
MOST_EVERY = 2**20  # steps of one decision; the kernels count in 32 bits
MOST_JUMPS = 2**27  # entries of the jump table, (N + 1) x cells: half a gigabyte


def policy_parts(policy: Policy) -> tuple[Metadata, Tensors]:
    """The metadata of FIELDS and the arrays of TENSORS."""
    return {"every": int(policy.every)}, {
        "policy.edges": policy.grid.edges,
        "policy.actions": policy.actions,
        "policy.order": policy.order.astype(np.int64),
    }


def policy_of(metadata: Metadata, tensors: Tensors, ensemble: Ensemble) -> Policy:
    """The inverse of `policy_parts`, for the given ensemble."""
    grid = Grid(tensors["policy.edges"], ensemble.n_scores)
    check_length("policy.order", tensors["policy.order"], len(ensemble), "one for each step")
    if metadata["every"] > MOST_EVERY:
        raise ModelFileError(f"every is {metadata['every']}; wanted at most {MOST_EVERY}")
    # Few actions may cover many steps, so a small file could ask for a huge table.
    if (len(ensemble) + 1) * grid.n_cells > MOST_JUMPS:
        raise ModelFileError(
            f"{len(ensemble)} steps in {grid.n_cells} cells make a jump table of more than "
            f"{MOST_JUMPS} entries; use fewer cells"
        )
    return Policy(tensors["policy.actions"], grid, tensors["policy.order"], metadata["every"])


def calibration_parts(calibration: Calibration | None) -> Tensors:
    """The arrays of CALIBRATION_TENSORS; none for a model without probabilities."""
    if calibration is None:
        return {}
    return {
        "calibration.groups": calibration.groups.astype(np.int64),
        "calibration.factors": calibration.factors,
        "calibration.offsets": calibration.offsets,
    }


def calibration_of(tensors: Tensors, ensemble: Ensemble) -> Calibration | None:
    """The inverse of `calibration_parts`, for the given ensemble."""
    if "calibration.groups" not in tensors:
        return None
    groups, factors, offsets = (tensors[name] for name in CALIBRATION_TENSORS)
    check_length("calibration.groups", groups, len(ensemble) + 1, "one for each exit step")
    check_length("calibration.offsets", offsets, len(factors), "one for each factor")
    if groups.min(initial=0) < 0 or groups.max(initial=0) >= len(factors):
        raise ModelFileError(f"tensor calibration.groups leaves 0..{len(factors) - 1}")
    if not (np.isfinite(factors) & (factors > 0)).all():
        raise ModelFileError("tensor calibration.factors holds others than positive numbers")
    if not np.isfinite(offsets).all() or (ensemble.kind == "classifier" and offsets.any()):
        raise ModelFileError("tensor calibration.offsets would change winners, or is not finite")
    return Calibration(groups, factors, offsets)
