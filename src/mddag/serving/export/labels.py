"""Labels: names of features, values of categories and classes, as tables of one type each.

Whole numbers that a double holds exactly and bools stay whole numbers, other real numbers become
doubles, and everything else, mixed columns too, is text. Python's own types do not leave Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from mddag.ensemble.ensemble import Ensemble
from mddag.features.patches import PatchFeatures

EXACT = 2**53  # the largest whole number up to which doubles hold all


@dataclass(frozen=True)
class Labels:
    """Values of one kind.

    values : int, float or str, as `kind` says
    """

    kind: Literal["whole", "real", "text"]
    values: tuple[Any, ...]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Labels:
        plain = [v.item() if isinstance(v, np.generic) else v for v in values]
        if all(isinstance(v, Integral) and abs(int(v)) <= EXACT for v in plain):
            return cls("whole", tuple(map(int, plain)))
        if all(map(_is_double, plain)):
            return cls("real", tuple(map(float, plain)))
        return cls("text", tuple(v if isinstance(v, str) else str(v) for v in plain))


def classes_of(ensemble: Ensemble) -> Labels | None:
    """The labels; None for regressors and rankers."""
    return None if ensemble.classes is None else Labels.of(ensemble.classes.tolist())


def names_of(ensemble: Ensemble) -> tuple[str, ...] | None:
    """The names of the features; None where there are none, as of pixels."""
    features = ensemble.features
    if isinstance(features, PatchFeatures) or features.names is None:
        return None
    return tuple(map(str, features.names))


def categories_of(ensemble: Ensemble) -> dict[int, tuple[Any, ...]]:
    """By nominal column, its values in the order of their codes: text, or numbers as floats.

    In a row by name a value is text or a number; two values that look alike there keep both codes,
    and a look-up gives one of them.
    """
    columns = sorted(ensemble.features.categories.items())
    return {i: tuple(map(_key, values)) for i, values in columns}


def _is_double(value: Any) -> bool:
    """Whether a double holds the number; NaN, which equals nothing, is text."""
    try:
        return isinstance(value, (Real, np.bool_)) and bool(float(value) == value)
    except OverflowError:
        return False


def _key(value: Any) -> str | float:
    if _is_double(value):
        return float(value)
    return value if isinstance(value, str) else str(value)
