"""Rows: X as numbers that passed the checks of a ``Features``, in the form that kernels read.

X is checked once, by ``Features.rows``, and travels as Rows from there on: the same Features takes
Rows in constant time. A selection of rows, such as ``rows[:100]``, stays checked. All else that is
derived from Rows (a selection of columns, another type, a sum) has lost the mark of the check and
is checked like any other array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mddag.features.features import Features

Floats = NDArray[np.floating[Any]]
Patches = NDArray[np.uint8]  # grey levels (n, height, width), C-contiguous: see patches.py


class Rows(NDArray[np.floating[Any]]):
    """float32 or float64 (n_rows, n_features); nominal columns hold the codes of their values.

    features : which Features checked them; None if they have changed since
    """

    features: Features | None = None

    @classmethod
    def of(cls, checked: Floats, features: Features) -> Rows:
        """The array, which the features have checked; its memory is shared."""
        rows = checked.view(cls)
        rows._mark(features)
        return rows

    def passed(self, features: Features) -> bool:
        """Whether `features`, or others that are equal, have checked these rows."""
        if self.features is not features and self.features != features:
            return False
        # Shape and type can be set in place.
        return self.ndim == 2 and self.shape[1] == features.n and self.dtype.char in "fd"

    def in_c_order(self) -> Rows:
        """The same rows, each of them contiguous; a copy where writing to X could add a NaN."""
        features = self.features
        assert features is not None
        shared = features.missing and self.flags.c_contiguous
        return self if shared else Rows.of(np.array(self, order="C"), features)

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        of_rows = isinstance(part, Rows) and part.ndim == 2 and _selects_rows(index)
        if of_rows and self.features is not None:
            part._mark(self.features)
        return part

    def _mark(self, features: Features) -> None:
        self.features = features
        if not features.missing:  # a NaN that is written later would be in no check
            self.flags.writeable = False

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restored, (np.asarray(self), self.features)


def _selects_rows(index: Any) -> bool:
    """Whether an index into a matrix is one of its first axis alone; scikit-learn writes it as
    ``[rows, ...]``."""
    if not isinstance(index, tuple):
        return True
    return len(index) == 2 and index[1] is Ellipsis


def _restored(array: Floats, features: Features | None) -> Floats:
    return array.view(Rows) if features is None else Rows.of(array, features)
