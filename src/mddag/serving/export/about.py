"""The comment at the top of exported code: what the model is, its features, categories and classes.

Labels and names are any text: ``shown`` makes them ASCII, at most 60 characters, without line ends.
What a language reads inside comments besides is up to its renderer. Long lists are cut, since the
tables have all of them.
"""

from __future__ import annotations

from typing import Any

from mddag.serving.export.model_tables import ModelTables
from mddag.serving.export.worst_case import WorstCase

MOST_FEATURES, MOST_VALUES = 200, 10


def about(tables: ModelTables, worst: WorstCase, table_bytes: int) -> list[str]:
    """Lines for a comment."""
    ensemble = tables.ensemble
    classes = [] if ensemble.classes is None else ensemble.classes.tolist()
    return [
        "A sparse decision DAG, written by mddag.",
        f"{ensemble.kind} of {len(ensemble)} base classifiers, {ensemble.n_trees} trees",
        f"worst case of a row: {worst.evaluations} base classifiers, {worst.comparisons} "
        "comparisons",
        f"tables: {table_bytes} bytes",
        *_features(tables),
        *(f"class {k}: {shown(label)}" for k, label in enumerate(classes)),
    ]


def _features(tables: ModelTables) -> list[str]:
    features = tables.ensemble.features
    if tables.patches is not None:
        height, width = tables.patches.window
        return [f"a row: the grey levels of a patch, {height} lines of {width}"]
    lines = []
    for i in range(features.n if features.names is not None or features.categories else 0):
        name = "" if features.names is None else f": {shown(features.names[i])}"
        values = features.categories.get(i, ())
        codes = ", ".join(f"{c} = {shown(v)}" for c, v in enumerate(values[:MOST_VALUES]))
        more = ", ..." if len(values) > MOST_VALUES else ""
        lines.append(f"feature {i}{name}" + (f"; codes {codes}{more}" if values else ""))
    rest = len(lines) - MOST_FEATURES
    return lines if rest <= 0 else [*lines[:MOST_FEATURES], f"and {rest} features more"]


def shown(label: Any) -> str:
    """A label as one line of ASCII."""
    text = ascii(label)
    return text if len(text) <= 60 else f"{text[:57]}..."
