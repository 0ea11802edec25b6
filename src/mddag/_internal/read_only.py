"""Read-only copies of arrays, for objects that derive other arrays from them once.

A caller who kept the array could otherwise change it, and what was derived would no longer fit.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def read_only(array: ArrayLike, dtype: Any) -> NDArray[Any]:
    """A C-contiguous copy that cannot be written; `dtype` None keeps the type."""
    copy = np.array(array, dtype, order="C")
    copy.flags.writeable = False
    return copy


class ReadOnlyArrays:
    """For dataclasses whose arrays are read-only: so they are in copies and after unpickling.

    Only the fields are kept; what is derived from them is derived again.
    """

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)
