"""What a column of a pandas frame holds, by its type: a word of ``Column.kind``."""

from __future__ import annotations

from typing import Any

KINDS = {"b": "bools", "i": "numbers", "u": "numbers", "f": "numbers", "M": "dates"}


def pandas_kind(dtype: Any) -> str:
    """ "" for categories and objects, whose values are of types of their own."""
    if str(dtype) in ("category", "object"):
        return ""
    if str(dtype).startswith(("str", "large_string")):  # pandas' own and those of Arrow
        return "strings"
    return KINDS.get(dtype.kind, str(dtype))
