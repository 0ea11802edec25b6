"""CatBoost: classifiers, regressors, rankers and bare CatBoost, over float features.

CatBoost writes its own documented JSON, which treelite does not read. ``float32(x) > border`` goes
right. h_j is one tree, which votes for all K scores; ``scale_and_bias`` scales the leaves and gives
f^(0). Files hold class labels.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters._files import Content, DamagedError, Format
from mddag.adapters._trees import TreeArrays, at_most_float32, build
from mddag.adapters.adapter import as_columns, kind_of_class, lineage, need, refuse_multi_output
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.tasks import Kind
from mddag.ensemble.votes import starts_of


class CatBoost:
    """Adapter of CatBoost."""

    library = "catboost"
    models = "CatBoost classifiers, regressors, rankers and bare CatBoost"
    tolerance = 1e-9
    formats: tuple[Format, ...] = (
        Format("CatBoost JSON", ".json", lambda c: c.keys >= {"features_info", "scale_and_bias"}),
        Format("CatBoost binary", ".cbm", lambda c: c.data.startswith(b"CBM1")),
    )

    def load(self, path: str, content: Content) -> Any:
        library = need("catboost", path)
        how = "json" if content.is_json else "cbm"
        bias = content.json["scale_and_bias"] if content.is_json else [1.0, 0.0]
        if not isinstance(bias, list) or len(bias) != 2:  # it would read on
            raise DamagedError("it has no scale_and_bias of its scores; get a whole copy")
        bare = library.CatBoost().load_model(path, format=how)
        wrapper = getattr(library, f"CatBoost{_kind(bare).capitalize()}")
        return wrapper().load_model(path, format=how)

    def accepts(self, model: Any) -> bool:
        return "catboost.CatBoost" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        need("catboost", model)
        if not model.is_fitted():
            raise ValueError(
                f"this {type(model).__name__} is not fitted; call fit before as_ensemble"
            )
        if _loss(model) in ("MultiLogloss", "MultiCrossEntropy"):
            raise ValueError(
                f"CatBoost model gives several labels at once (loss_function='{_loss(model)}'); "
                "mddag decides between classes: train one model per label"
            )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            model.save_model(str(path), format="json")
            saved: dict[str, Any] = json.loads(path.read_text())
        _refuse(saved["features_info"])
        scale, bias = saved["scale_and_bias"]
        kind = _kind(model)
        if kind != "classifier":
            refuse_multi_output(model, len(bias))
        flat = read_json(saved, len(bias))
        labels = np.asarray(model.classes_)
        return build(
            replace(flat, votes=flat.votes * scale),
            features=_features(saved["features_info"], len(model.feature_names_)),
            bias=bias,
            kind=kind,
            classes=labels if len(labels) else None,
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        plain = need("catboost", model).CatBoost  # a ranker's own predict has no prediction_type
        return as_columns(plain.predict(model, X, prediction_type="RawFormulaVal"))


def _refuse(about: dict[str, Any]) -> None:
    for kind in ("categorical", "text", "embedding"):
        features = about.get(f"{kind}_features") or []
        if features:
            first = features[0]
            name = first.get("feature_id") or first["flat_feature_index"]
            raise ValueError(
                f"CatBoost model has {len(features)} {kind} feature(s) (the first is {name!r}), "
                "unsupported categorical encodings: mddag reads float features; encode the column "
                "as numbers before training"
            )


def _loss(model: Any) -> str:
    return str(model.get_all_params().get("loss_function", "")).partition(":")[0]


def _kind(model: Any) -> Kind:
    return kind_of_class(model, "catboost") or _KINDS.get(_loss(model), "regressor")


_CLASSIFIES = ("Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll", "Focal")
_RANKS = (
    *("LambdaMart", "PairLogit", "PairLogitPairwise", "QueryRMSE", "QuerySoftMax"),
    *("StochasticRank", "YetiRank", "YetiRankPairwise"),
)
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(_CLASSIFIES, "classifier"),
    **dict.fromkeys(_RANKS, "ranker"),
}


def _features(about: dict[str, Any], n_features: int) -> Features:
    names = [feature.get("feature_id", "") for feature in about["float_features"]]
    real = len(names) == n_features and all(names)
    return Features(n=n_features, names=tuple(names) if real else None)


# float_feature_index (-1 at a leaf), border, left and right of nodes; votes, weight of leaves
_Tree = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def read_json(model: dict[str, Any], width: int) -> TreeArrays:
    """Read the trees of a model saved with ``format="json"``; leaves vote for `width` scores."""
    if "oblivious_trees" in model:
        trees = [_symmetric(tree, width) for tree in model["oblivious_trees"]]
    else:
        trees = [_nested(tree, width) for tree in model["trees"]]
    parts = (np.concatenate(part) for part in zip(*trees, strict=True))
    feature, border, left, right, votes, weight = parts
    columns = model["features_info"]["float_features"]
    column, missing_left = np.zeros(len(columns) + 1, np.int64), np.ones(len(columns) + 1, np.bool_)
    column[-1] = -1  # what a leaf's -1 picks
    for about in columns:
        column[about["feature_index"]] = about["flat_feature_index"]
        # AsFalse reads NaN as -inf; AsIs compares it, which is false: both go left.
        missing_left[about["feature_index"]] = about["nan_value_treatment"] != "AsTrue"
    return TreeArrays(
        starts=starts_of([len(tree[0]) for tree in trees]),
        feature=column[feature],
        threshold=at_most_float32(border),
        left=left,
        right=right,
        missing_left=missing_left[feature],
        votes=votes,
        weight=weight,
        sets={},
    )


def _symmetric(tree: dict[str, Any], width: int) -> _Tree:
    """Read a tree with one split per level; the outcome of level d is bit d of the leaf's number.

    With the last level at the root, its leaves are in the order of these numbers.
    """
    questions = (tree.get("splits") or [])[::-1]
    n_inner = 2 ** len(questions) - 1
    n_nodes = 2 * n_inner + 1
    per_level = 2 ** np.arange(len(questions))
    feature, border = np.full(n_nodes, -1), np.zeros(n_nodes)
    asked = [question["float_feature_index"] for question in questions]
    feature[:n_inner] = np.repeat(np.array(asked, np.int64), per_level)
    border[:n_inner] = np.repeat(np.array([q["border"] for q in questions], float), per_level)
    node = np.arange(n_nodes)
    votes = np.array(tree["leaf_values"], np.float64).reshape(-1, width)
    weight = np.array(tree.get("leaf_weights") or np.ones(len(votes)), np.float64)
    return feature, border, 2 * node + 1, 2 * node + 2, votes, weight


def _nested(tree: dict[str, Any], width: int) -> _Tree:
    records: list[tuple[int, float, int, int]] = []
    votes, weight = [], []
    waiting: list[tuple[dict[str, Any], int]] = [(tree, -1)]  # a node, and whose right child it is
    while waiting:
        node, parent = waiting.pop()
        at = len(records)
        if parent >= 0:
            records[parent] = (*records[parent][:3], at)
        if "split" not in node:
            records.append((-1, 0.0, -1, -1))
            votes.append(node["value"])
            weight.append(node.get("weight", 1.0))
            continue
        question = node["split"]
        records.append((question["float_feature_index"], question["border"], at + 1, -1))
        waiting += [(node["right"], at), (node["left"], -1)]
    feature, border, left, right = (np.array(field) for field in zip(*records, strict=True))
    leaves = np.array(votes, float).reshape(-1, width), np.array(weight, float)
    return feature, border, left, right, *leaves
