"""Export a model as an ES module: typed arrays and the code of walks/javascript.

Scores are sums of integers below 2^31, which numbers hold exactly, so no BigInt is needed. Values
of rows are compared as float32.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.serving.export.render import Rendered, about, array_bytes, joined, walk_of
from mddag.serving.export.tables import ModelTables


def render(tables: ModelTables, name: str) -> Rendered:
    """Return the module; `name` has no place in it."""
    size = array_bytes(tables)
    parts = [
        "".join(f"// {line}\n" for line in about(tables, size)),
        *(f"export const {n.upper()} = {value};" for n, value in tables.constants.items()),
        f"const UNIT = {tables.unit!r}; // a score is a sum times this power of two",
        *_tables(tables),
        *_labels(tables),
        walk_of("javascript", "js", tables.facts),
    ]
    return Rendered("\n".join(parts).encode("ascii"), size)


def _tables(tables: ModelTables) -> list[str]:
    words = {
        n: values.view(np.uint32).reshape(-1, 2)[:, ::-1] for n, values in tables.longs.items()
    }
    arrays: dict[str, Mapping[str, NDArray[Any]]] = {
        "Int32": tables.integers,
        "Float64": tables.doubles,
        "Uint32": {n: pairs.ravel() for n, pairs in words.items()},
    }
    return [
        f"const {n.upper()} = new {kind}Array([\n{joined(list(map(repr, values.tolist())))}]);"
        for kind, named in arrays.items()
        for n, values in named.items()
    ]


def _labels(tables: ModelTables) -> list[str]:
    """Write names, categories (column and values in the order of their codes) and classes."""
    names, classes = tables.names, tables.classes
    categories = [[i, list(values)] for i, values in tables.categories.items()]
    named = {
        "FEATURE_NAMES": None if names is None else list(names),
        "CATEGORIES": categories or (None if names is None else []),
        "CLASSES": None if classes is None else list(classes.values),
    }
    return [f"export const {n} = {_literal(v)};" for n, v in named.items() if v is not None]


def _literal(values: list[Any]) -> str:
    """Write one entry on each line; JSON's ASCII is JavaScript, with its names of infinities."""
    return "[\n" + ",\n".join(json.dumps(value) for value in values) + "]"
