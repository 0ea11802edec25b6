"""Checks of parameters: what was got, what was wanted."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse `value` unless it is a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is {value!r}; wanted a whole number, {least} or more")


def check_fraction(name: str, value: Any, *, zero: bool) -> None:
    """Refuse `value` unless it lies between 0 and 1, 0 itself being allowed or not."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not (0 <= value < 1) or (value == 0 and not zero):
        interval = "[0, 1)" if zero else "(0, 1)"
        raise ValueError(f"{name} is {value!r}; wanted a fraction of the rows, in {interval}")


def check_positive(name: str, value: Any) -> None:
    """Refuse `value` unless it is a number above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or value <= 0:
        raise ValueError(f"{name} is {value!r}; wanted a number above 0")


def check_one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Refuse `value` unless it is one of `allowed`."""
    if not any(type(value) is type(a) and value == a for a in allowed):
        raise ValueError(f"{name} is {value!r}; wanted one of {', '.join(map(repr, allowed))}")
