"""XGBoost: classifiers, regressors, rankers, random forests and bare Boosters (gbtree and dart).

The rule is ``float32(x) < t`` with float32 leaves; our sums are in double precision, so scores
agree to float32 accuracy. Early stopping counts as in the object's own ``predict``: wrappers stop
at ``best_iteration``, a bare Booster uses every tree. A file of a wrapper is read as a wrapper; its
classes are 0 … K-1.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters._files import Content, DamagedError, Format
from mddag.adapters._trees import Source, build, less_float32, read_treelite
from mddag.adapters.adapter import (
    as_columns,
    kind_of_class,
    lineage,
    need,
    refuse_multi_output,
    refuse_unfitted,
)
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.tasks import TASKS, Kind


class XGBoost:
    """Adapter of XGBoost."""

    library = "xgboost"
    models = "XGBoost classifiers, regressors, rankers, random forests and Boosters"
    tolerance = 3e-5  # float32 sums of many thousand trees
    formats: tuple[Format, ...] = (
        Format("XGBoost JSON", ".json", lambda c: "learner" in c.keys),
        # {, then the type and the eight bytes of the first key's length
        Format("XGBoost UBJSON", ".ubj", lambda c: c.data[10:17] in (b"learner", b"version")),
    )

    def load(self, path: str, content: Content) -> Any:
        library = need("xgboost", path)
        if not content.data.rstrip().endswith(b"}"):  # it might read on beyond the end
            raise DamagedError("it does not end with a brace, so it is cut short; get a whole copy")
        booster = library.Booster()
        booster.load_model(bytearray(content.data))
        about = json.loads(booster.attr("scikit_learn") or "{}")
        kind = about.get("_estimator_type")
        if kind not in TASKS:
            return booster
        model = getattr(library, f"XGB{kind.capitalize()}")()
        model.load_model(bytearray(content.data))
        return model

    def accepts(self, model: Any) -> bool:
        return not lineage(model).isdisjoint({"xgboost.XGBModel", "xgboost.Booster"})

    def convert(self, model: Any) -> Ensemble:
        need("xgboost", model)
        booster = _booster(model)
        try:
            config: dict[str, Any] = json.loads(booster.save_config())["learner"]
        except ValueError:  # XGBoost's own error is one, with a stack trace for a message
            raise ValueError(
                "this xgboost Booster is not fitted; train it or load a model"
            ) from None
        if config["gradient_booster"]["name"] == "gblinear":
            raise ValueError(
                "XGBoost model is linear (booster='gblinear'); mddag reads trees: train with "
                "booster='gbtree' or 'dart'"
            )
        if booster.num_boosted_rounds() == 0:
            raise ValueError("XGBoost model has no trees; train it for at least one round")
        source = _read(booster, need("treelite.frontend", model))
        refuse_multi_output(model, source.n_target)
        order, rounds = _rounds(source, config)
        ensemble = build(
            source.flat,
            features=_features(booster, source.n_features),
            bias=source.base,
            score=source.score,
            order=order,
            rounds=rounds,
            kind=_kind(model, config),
            classes=getattr(model, "classes_", None),
        )
        _refuse_missing_value(model, ensemble)
        # The wrappers' predict stops at the best round, that of a bare Booster does not
        best = None if booster is model else booster.attr("best_iteration")
        return ensemble if best is None else ensemble.truncated(int(best) + 1)

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        if "xgboost.Booster" in lineage(model):
            return as_columns(model.inplace_predict(X, predict_type="margin"))
        return as_columns(model.predict(X, output_margin=True))


def _booster(model: Any) -> Any:
    if "xgboost.Booster" in lineage(model):
        return model
    refuse_unfitted(model, "_Booster")
    return model.get_booster()


def _read(booster: Any, frontend: Any) -> Source:
    """Read the trees; without the categories' values, which XGBoost keeps since 3.1.

    treelite does not read models that have these.
    """
    if "c" not in (booster.feature_types or []):
        return read_treelite(frontend.from_xgboost(booster), less_float32)
    model = json.loads(booster.save_raw("json"))
    if "cats" in _trees(model):
        _trees(model)["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    return read_treelite(frontend.from_xgboost_json(json.dumps(model)), less_float32)


def _rounds(source: Source, config: dict[str, Any]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the trees in order, and where each h_j begins among them.

    A round holds `n_parallel` trees for each score, score by score. A model of a single round is a
    forest: there each of the parallel trees (one for each score) is an h_j.
    """
    n_trees = source.flat.n_trees
    booster = config["gradient_booster"]
    n_parallel = int(booster.get("gbtree", booster)["gbtree_model_param"]["num_parallel_tree"])
    n_groups = 1 if source.score[0] < 0 else len(source.base)
    place = np.arange(n_trees).reshape(-1, n_groups, n_parallel)
    if len(place) == 1:
        place = place.transpose(2, 1, 0)
    return place.ravel(), np.arange(len(place) + 1, dtype=np.int64) * (n_trees // len(place))


def _refuse_missing_value(model: Any, ensemble: Ensemble) -> None:
    """Raise ValueError for `missing=` other than NaN, unless splits send both the same way."""
    value = getattr(model, "missing", None)
    if value is None or np.isnan(value):
        return
    nodes = ensemble.nodes[ensemble.nodes["feature"] >= 0]
    goes_left = (value <= nodes["threshold"]) & (nodes["n_words"] == 0)
    astray = np.flatnonzero(goes_left != nodes["missing_left"])
    if len(astray):
        raise ValueError(
            f"XGBoost model treats {value} as missing, and {len(astray)} of its {len(nodes)} "
            f"splits send {value} and NaN different ways; mddag knows NaN alone: train with "
            f"missing=nan and NaN in place of {value}"
        )


def _kind(model: Any, config: dict[str, Any]) -> Kind:
    family = config["objective"]["name"].partition(":")[0]
    return kind_of_class(model, "xgboost") or _FAMILIES.get(family, "regressor")


_FAMILIES: dict[str, Kind] = {"binary": "classifier", "multi": "classifier", "rank": "ranker"}


def _features(booster: Any, n_features: int) -> Features:
    names = booster.feature_names
    real = names is not None and names != [f"f{i}" for i in range(len(names))]
    categories = _categories(booster)
    return Features(
        n=n_features,
        names=tuple(names) if real else None,
        categories=categories,
        unknown="error" if categories else "missing",
    )


def _categories(booster: Any) -> dict[int, tuple[Any, ...]]:
    """Return by column the values of its categories in the order of their codes; {} for codes.

    They are lists of strings (concatenated bytes with offsets) or of numbers.
    """
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
