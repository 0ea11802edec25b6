"""Summary <-> metadata."""

from __future__ import annotations

from dataclasses import asdict, fields

from mddag.serving.model_file._fields import Types, check_fields
from mddag.serving.model_file.container import Metadata
from mddag.serving.summary import Summary

TYPES: dict[str, Types] = {
    "str": str,
    "int": int,
    "float": float,
    "float | None": (float, type(None)),
}
FIELDS: dict[str, Types] = {field.name: TYPES[str(field.type)] for field in fields(Summary)}


def summary_to_json(summary: Summary | None) -> Metadata | None:
    """The fields by name."""
    return None if summary is None else asdict(summary)


def summary_from_json(metadata: Metadata | None) -> Summary | None:
    """The inverse, for sound metadata."""
    return None if metadata is None else Summary(**check_fields("the summary", metadata, FIELDS))
