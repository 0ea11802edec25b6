"""Categories: the values of a nominal column and their codes.

Values must have a type that occurred in training; another type means that the column was encoded in
between, and every answer would be wrong. An unknown value counts as missing or raises ValueError,
as in the source model; a column with no known value gives a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.warnings import warn_user


@dataclass(frozen=True)
class Categories:
    """The values of one column in the order of their codes."""

    name: Any  # what messages call the column
    values: tuple[Any, ...]  # the values
    refuses: bool = False  # whether an unknown value raises ValueError

    def codes(self, column: Any) -> NDArray[np.float64]:
        """Return the code of each entry of a pandas or polars column, (n,), NaN if it has none."""
        codes: NDArray[np.float64]
        if str(column.dtype) == "category":  # pandas
            values, places = column.array.categories.tolist(), column.array.codes
            used = np.unique(places[places >= 0])
            table = np.full(len(values) + 1, np.nan)  # the last is for -1, a missing value
            table[used] = self._codes_of([values[i] for i in used.tolist()], len(column))
            codes = table[places]
            return codes
        if _is_plain_float(column.dtype):  # each NaN would be a value of its own below
            numbers, places = np.unique(column.to_numpy(), return_inverse=True)
            codes = np.array(self._codes_of(numbers.tolist(), len(column)))[places]
            return codes
        entries = column.tolist() if hasattr(column, "tolist") else column.to_list()
        try:
            distinct = list(dict.fromkeys(entries))
        except TypeError:
            raise ValueError(
                f"column {self.name!r} holds values that are no scalars; {self._wanted()}"
            ) from None
        code = dict(zip(distinct, self._codes_of(distinct, len(column)), strict=True))
        return np.fromiter(map(code.__getitem__, entries), np.float64, len(entries))

    def code(self, value: Any) -> float:
        """Return the code of one value, NaN if it has none."""
        return self._codes_of([value], 1)[0]

    @cached_property
    def _code(self) -> dict[Any, float]:
        return {value: float(i) for i, value in enumerate(self.values)}

    @cached_property
    def _kinds(self) -> frozenset[str]:
        kinds = frozenset(map(_kind, self.values))
        # scikit-learn turns bools into numbers before it looks for categories
        return kinds | {"bools"} if "numbers" in kinds and set(self.values) <= {0, 1} else kinds

    def _codes_of(self, distinct: list[Any], n_rows: int) -> list[float]:
        """Return the codes of the distinct values of `n_rows` rows, after checking their types."""
        present = [value for value in distinct if not is_missing(value)]
        if present and self.values:  # a column that was empty in training is in no split
            self._check(present, n_rows)
        return [self._code.get(value, np.nan) for value in distinct]

    def _check(self, present: list[Any], n_rows: int) -> None:
        for value in present:
            if _kind(value) not in self._kinds:
                raise ValueError(
                    f"column {self.name!r} holds {_kind(value)}, such as {value!r:.40}; "
                    f"{self._wanted()}"
                )
        unknown = [value for value in present if value not in self._code]
        if unknown and self.refuses:
            raise ValueError(
                f"column {self.name!r} holds {unknown[0]!r:.40}, which was not there in training, "
                f"and the source model refuses such values; wanted {self._examples()}: replace it, "
                "or leave it missing (None)"
            )
        if len(unknown) == len(present) and n_rows > 1:
            warn_user(
                f"no value of column {self.name!r} was there in training (got {unknown[0]!r:.40}, "
                f"wanted {self._examples()}), so all of them count as missing; pass the column as "
                "it was in training",
                UserWarning,
            )

    def _wanted(self) -> str:
        kinds = " or ".join(sorted(set(map(_kind, self.values))))
        return (
            f"the model was trained on {kinds} there, {self._examples()}: pass the column as it "
            "was in training, its values and not their codes"
        )

    def _examples(self) -> str:
        rest = ", …" if len(self.values) > 3 else ""
        return ", ".join(f"{value!r:.40}" for value in self.values[:3]) + rest


def category_values(column: Any) -> tuple[Any, ...] | None:
    """Return the values of a categorical pandas or polars column in the order of their codes.

    None if it is not categorical.
    """
    dtype = str(column.dtype)
    if dtype == "category":
        return tuple(column.dtype.categories.tolist())
    if dtype.startswith("Enum"):
        return tuple(column.dtype.categories.to_list())
    if dtype.startswith("Categorical"):  # its codes are shared with other columns
        return tuple(sorted(column.drop_nulls().unique().cast(str).to_list()))
    return None


def is_missing(value: Any) -> bool:
    """Return whether `value` is None, NaN, or what pandas uses for either."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, Decimal)) and value != value


def _is_plain_float(dtype: Any) -> bool:
    """Return whether a column is an array of floats: numpy's in pandas, or polars' own."""
    of_polars = hasattr(dtype, "is_float") and dtype.is_float()
    return of_polars or (isinstance(dtype, np.dtype) and dtype.kind == "f")


def _kind(value: Any) -> str:
    """Return what messages call values of this type; all types of numbers are one kind."""
    if isinstance(value, str):
        return "strings"
    if isinstance(value, (bool, np.bool_)):
        return "bools"
    if isinstance(value, (Real, Decimal)):
        return "numbers"
    return "dates" if isinstance(value, date) else f"{type(value).__name__} objects"
