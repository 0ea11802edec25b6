"""Convert an ensemble to metadata and tensors, and back.

Trees are kept field by field and with lengths instead of starts, so that less can be inconsistent.
Reading goes through ``Nodes`` and ``Ensemble.from_trees``, which check each tree and all together.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import MOST_FEATURES, Features
from mddag.ensemble.nodes import NODE, Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.tasks import LINKS, TASKS
from mddag.ensemble.votes import starts_of
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_length,
)

ENSEMBLE_FIELDS: dict[str, Types] = {
    "classes": (dict, type(None)),
    "features": dict,
    "kind": str,
    "link": str,
    "priced": bool,
}
FEATURE_FIELDS: dict[str, Types] = {
    "n": int,
    "names": (list, type(None)),
    "categories": list,
    "missing": bool,
    "unknown": str,
}
ENSEMBLE_TENSORS = {
    "ensemble.bias": ("F64", 1),
    "ensemble.cost": ("F64", 1),
    "ensemble.n_trees": ("I64", 1),
    "trees.score": ("I32", 1),
    "trees.n_nodes": ("I64", 1),
    "trees.n_leaves": ("I64", 1),
    "trees.n_words": ("I64", 1),
    "nodes.threshold": ("F64", 1),
    "nodes.feature": ("I32", 1),
    "nodes.left": ("I32", 1),
    "nodes.right": ("I32", 1),
    "nodes.word": ("I32", 1),
    "nodes.n_words": ("I32", 1),
    "nodes.missing_left": ("U8", 1),
    "words": ("U32", 1),
    "votes": ("F64", 1),
}


def ensemble_parts(ensemble: Ensemble) -> tuple[Metadata, Tensors]:
    """Return the metadata of ENSEMBLE_FIELDS and the arrays of ENSEMBLE_TENSORS."""
    if ensemble.callables:
        raise TypeError(
            f"the base classifiers are {len(ensemble.callables)} callables, and a file runs no "
            "code; only ensembles of trees can be saved"
        )
    tables = ensemble.tables
    metadata = {
        "classes": labels_to_json(ensemble.classes),
        "features": _features_to_json(ensemble.features),
        "kind": ensemble.kind,
        "link": ensemble.link,
        "priced": ensemble.priced,
    }
    tensors = {
        "ensemble.bias": tables.bias,
        "ensemble.cost": ensemble.cost,
        "ensemble.n_trees": np.diff(tables.rounds),
        "trees.score": tables.score,
        "trees.n_nodes": np.diff(ensemble.starts),
        "trees.n_leaves": tables.n_leaves,
        "trees.n_words": np.diff(ensemble.word_starts),
        "words": ensemble.words,
        "votes": tables.values,
    }
    tensors |= {f"nodes.{name}": ensemble.nodes[name] for name in NODE.names or ()}
    if isinstance(ensemble.features, PatchFeatures):
        tensors["features.rectangles"] = ensemble.features.rectangles.reshape(-1, 15)
    tensors["nodes.missing_left"] = ensemble.nodes["missing_left"].astype(np.uint8)
    return metadata, tensors


def ensemble_of(metadata: Metadata, tensors: Tensors) -> Ensemble:
    """Invert `ensemble_parts`."""
    if metadata["kind"] not in TASKS:
        raise ModelFileError(f"the ensemble is that of a {metadata['kind']!r:.20}, unknown here")
    if metadata["link"] not in LINKS:
        raise ModelFileError(f"the link is {metadata['link']!r:.20}, unknown here")
    ensemble = Ensemble.from_trees(
        _trees(tensors),
        features=_features_from_json(metadata["features"], tensors.get("features.rectangles")),
        bias=tensors["ensemble.bias"],
        score=tensors["trees.score"],
        rounds=_starts(
            "ensemble.n_trees", tensors["ensemble.n_trees"], len(tensors["trees.score"])
        ),
        cost=tensors["ensemble.cost"],
        classes=labels_from_json(metadata["classes"]),
        kind=metadata["kind"],
        link=metadata["link"],
    )
    return replace(ensemble, priced=metadata["priced"])


def _trees(tensors: Tensors) -> list[Nodes]:
    n_trees, n_scores = len(tensors["trees.score"]), len(tensors["ensemble.bias"])
    for name in ("trees.n_nodes", "trees.n_leaves", "trees.n_words"):
        check_length(name, tensors[name], n_trees, "one for each tree")
    records, words, votes = _records(tensors), tensors["words"], tensors["votes"]
    width = np.where(tensors["trees.score"] < 0, n_scores, 1)
    at_node = _starts("trees.n_nodes", tensors["trees.n_nodes"], len(records)).tolist()
    at_word = _starts("trees.n_words", tensors["trees.n_words"], len(words)).tolist()
    at_vote = _starts("trees.n_leaves", tensors["trees.n_leaves"], len(votes), width).tolist()
    return [
        Nodes(
            records[at_node[t] : at_node[t + 1]],
            votes[at_vote[t] : at_vote[t + 1]].reshape(-1, width[t]),
            words[at_word[t] : at_word[t + 1]],
        )
        for t in range(n_trees)
    ]


def _records(tensors: Tensors) -> NDArray[np.void]:
    if tensors["nodes.missing_left"].max(initial=0) > 1:
        raise ModelFileError("tensor nodes.missing_left holds numbers above 1; wanted 0 or 1")
    records = np.zeros(len(tensors["nodes.feature"]), NODE)
    for name in NODE.names or ():
        check_length(f"nodes.{name}", tensors[f"nodes.{name}"], len(records), "one for each node")
        records[name] = tensors[f"nodes.{name}"]
    return records


def _starts(
    name: str, lengths: NDArray[np.int64], total: int, width: NDArray[np.intp] | int = 1
) -> NDArray[np.int64]:
    """Return where segments of these lengths (times width) begin; they must make up the total."""
    if lengths.min(initial=0) < 0 or lengths.max(initial=0) > total:
        raise ModelFileError(f"tensor {name} holds lengths outside of 0..{total}")
    starts = starts_of(lengths * width)
    if starts[-1] != total:
        raise ModelFileError(f"the lengths of tensor {name} sum up to {starts[-1]}; wanted {total}")
    return starts


def _features_to_json(features: Features) -> Metadata:
    return {
        "n": int(features.n),
        "names": None if features.names is None else [str(name) for name in features.names],
        "categories": [
            [int(column), [_plain(value, column) for value in features.categories[column]]]
            for column in sorted(features.categories)
        ],
        "missing": bool(features.missing),
        "unknown": features.unknown,
        **({"window": list(features.window)} if isinstance(features, PatchFeatures) else {}),
    }


def _plain(value: Any, column: int) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) not in (str, int, float, bool) or plain in (np.inf, -np.inf) or plain != plain:
        raise TypeError(
            f"column {column} has the category {value!r}; a file keeps strings, finite numbers and "
            "bools: encode the column"
        )
    return plain


def _features_from_json(metadata: Metadata, rectangles: NDArray[np.int32] | None) -> Features:
    if rectangles is not None:
        return _patch_features(metadata, rectangles)
    check_fields("features", metadata, FEATURE_FIELDS)
    unknown = metadata["unknown"]
    if unknown not in ("missing", "error"):
        raise ModelFileError(f"unknown categories are {unknown!r:.20}; wanted missing or error")
    n, names = metadata["n"], metadata["names"]
    if not 0 <= n <= MOST_FEATURES:
        raise ModelFileError(f"there are {n} features; wanted at most {MOST_FEATURES}")
    if names is not None and (len(names) != n or any(type(name) is not str for name in names)):
        raise ModelFileError(f"there are {len(names)} feature names; wanted {n} strings")
    categories = {}
    for pair in metadata["categories"]:
        if not (type(pair) is list and [type(p) for p in pair] == [int, list]):
            raise ModelFileError(
                f"a column's categories are {pair!r:.40}; wanted [column, [values]]"
            )
        column, values = pair
        if not 0 <= column < n or column in categories:
            raise ModelFileError(f"column {column} of {n} has categories (again)")
        if any(type(value) not in (str, int, float, bool) for value in values):
            raise ModelFileError(f"column {column} has categories that are no scalars")
        categories[column] = tuple(values)
    names = None if names is None else tuple(names)
    return Features(n, names, categories, metadata["missing"], unknown)


def _patch_features(metadata: Metadata, rectangles: NDArray[np.int32]) -> Features:
    check_fields("features", metadata, FEATURE_FIELDS | {"window": list})
    if [type(side) for side in metadata["window"]] != [int, int]:
        raise ModelFileError(
            f"the window is {metadata['window']!r:.40}; wanted its height and width"
        )
    if rectangles.shape[1] != 15:
        raise ModelFileError(
            f"tensor features.rectangles has rows of {rectangles.shape[1]} numbers; wanted 15"
        )
    features = PatchFeatures.of(tuple(metadata["window"]), rectangles.reshape(-1, 3, 5))
    rules = metadata["missing"] and metadata["unknown"] == "missing"
    plain = metadata["names"] is None and not metadata["categories"] and rules
    if metadata["n"] != features.n or not plain:
        raise ModelFileError(
            f"there are {metadata['n']} features with names, categories or rules of their own; "
            f"wanted the {features.n} that rectangles make up"
        )
    return features


# In an array of strings every label takes the place of the longest, so their total is bounded: by
# a constant, and by a multiple of the characters that there are.
MOST_CHARACTERS, MOST_TIMES = 2**21, 4
_NUMBERS = {
    "bool": bool,
    **dict.fromkeys((f"{sign}int{8 * n}" for sign in ("", "u") for n in (1, 2, 4, 8)), int),
    **dict.fromkeys(("float16", "float32", "float64"), float),
}


def labels_to_json(classes: NDArray[Any] | None) -> Metadata | None:
    """Return {"dtype", "values"}; None for ensembles without classes."""
    if classes is None:
        return None
    values = classes.tolist()
    name = f"U{classes.dtype.itemsize // 4}" if classes.dtype.kind == "U" else classes.dtype.name
    texts = classes.dtype.kind in "UO" and all(type(value) is str for value in values)
    if not texts and name not in _NUMBERS:
        raise TypeError(
            f"classes are {classes.dtype} such as {values[0]!r:.40}; a file keeps bools, integers, "
            "floats and strings: encode the labels"
        )
    return {"dtype": name, "values": values}


def labels_from_json(metadata: Metadata | None) -> NDArray[Any] | None:
    """Invert `labels_to_json`."""
    if metadata is None:
        return None
    check_fields("classes", metadata, {"dtype": str, "values": list})
    name, values = metadata["dtype"], metadata["values"]
    kind = _NUMBERS.get(name, str)
    if any(type(value) is not kind for value in values):
        raise ModelFileError(f"classes of type {name!r:.20} hold other values than {kind.__name__}")
    if kind is str:
        _check_strings(name, values)
    classes: NDArray[Any] = np.array(values, name)
    if classes.tolist() != values:
        raise ModelFileError(f"classes do not fit their type {name}")
    return classes


def _check_strings(name: str, values: list[str]) -> None:
    if name == "object":
        return
    width = int(name[1:]) if re.fullmatch(r"U[0-9]{1,8}", name) else None
    if width is None:
        raise ModelFileError(f"classes are of type {name!r:.20}; wanted one of {[*_NUMBERS]}, U<n>")
    most = MOST_CHARACTERS + MOST_TIMES * sum(map(len, values))
    if width * len(values) > most:
        raise ModelFileError(
            f"{len(values)} labels of {width} characters each are too long; "
            f"wanted at most {most} characters in all"
        )
