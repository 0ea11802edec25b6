"""The category values that XGBoost 3.1 and later keeps of the frame a model was trained on.

They stand in its documented JSON, under ``cats``: per column a list of strings (bytes one behind
the other, with offsets) or of numbers, in the order of the codes. treelite refuses models that have
them, so it is given the same JSON without; the codes in the trees are those of the training frame.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any


def without(booster: Any) -> str:
    """The model as JSON that treelite reads."""
    model = json.loads(booster.save_raw("json"))
    trees = _trees(model)
    if "cats" in trees:
        trees["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    return json.dumps(model)


def values(booster: Any) -> dict[int, tuple[Any, ...]]:
    """By column, the values of its categories in the order of their codes; {} for plain codes."""
    if "c" not in (booster.feature_types or []):
        return {}
    columns = _trees(json.loads(booster.save_raw("json"))).get("cats", {}).get("enc", [])
    decoded = {i: _decoded(column) for i, column in enumerate(columns)}
    return {i: column for i, column in decoded.items() if column}


def _trees(model: dict[str, Any]) -> dict[str, Any]:
    booster = model["learner"]["gradient_booster"]
    trees: dict[str, Any] = booster.get("gbtree", booster)["model"]
    return trees


def _decoded(column: dict[str, Any]) -> tuple[Any, ...]:
    if "offsets" not in column:
        return tuple(column["values"])
    letters, offsets = bytes(v % 256 for v in column["values"]), column["offsets"]
    return tuple(letters[a:b].decode() for a, b in pairwise(offsets))
