"""What must be there, and of which type: one check for metadata, one for tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.serving.model_file.container import DTYPES, Metadata, ModelFileError, Tensors

Types = type | tuple[type, ...]


def check_fields(what: str, metadata: Any, wanted: Mapping[str, Types]) -> Metadata:
    """`metadata` if it has exactly the wanted keys, with values of the wanted types."""
    if not isinstance(metadata, dict) or metadata.keys() != wanted.keys():
        got = sorted(metadata)[:12] if isinstance(metadata, dict) else f"{metadata!r:.40}"
        raise ModelFileError(f"{what} has the fields {got}; wanted {sorted(wanted)}")
    for name, types in wanted.items():
        allowed = types if isinstance(types, tuple) else (types,)
        if type(metadata[name]) not in allowed:  # a bool is no int here
            raise ModelFileError(
                f"{what} has {name} = {metadata[name]!r:.40}; "
                f"wanted {' or '.join(t.__name__ for t in allowed)}"
            )
    return metadata


def check_tensors(tensors: Tensors, wanted: Mapping[str, tuple[str, int]]) -> None:
    """Refuse tensors other than those wanted, by name, type and number of dimensions."""
    if tensors.keys() != wanted.keys():
        absent, extra = sorted(wanted.keys() - tensors), sorted(tensors.keys() - wanted)
        raise ModelFileError(
            f"the tensors {absent} are missing and {[f'{e:.40}' for e in extra[:5]]} are unexpected"
        )
    for name, (dtype, n_dims) in wanted.items():
        tensor = tensors[name]
        if tensor.dtype != DTYPES[dtype] or tensor.ndim != n_dims:
            raise ModelFileError(
                f"tensor {name} is {tensor.dtype} of shape {tensor.shape}; "
                f"wanted {DTYPES[dtype]} with {n_dims} dimension(s)"
            )
        if dtype == "F64" and np.isnan(tensor).any():
            raise ModelFileError(f"tensor {name} holds NaN; wanted numbers")


def check_length(name: str, tensor: NDArray[Any], n: int, of_what: str) -> None:
    if len(tensor) != n:
        raise ModelFileError(f"tensor {name} has {len(tensor)} entries; wanted {n}, {of_what}")
