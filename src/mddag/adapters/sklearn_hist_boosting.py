"""scikit-learn HistGradientBoosting: h_j is one iteration, rule ``x <= t`` in double precision.

Category columns pass an ordinal encoder and move to the front before the trees see them; here the
trees read the caller's own columns. A category unknown to the encoder goes where NaN goes.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import _build, _treelite
from mddag.adapters._tree_arrays import TreeArrays
from mddag.adapters.adapter import as_columns, lineage, need, refuse_unfitted
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import categories_of, category_words
from mddag.features.features import Features

_LARGEST_CATEGORY = 2**20  # a set holds one bit for every number up to its largest category


class HistGradientBoosting:
    library = "sklearn"
    models = "scikit-learn HistGradientBoostingClassifier and HistGradientBoostingRegressor"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "sklearn.BaseHistGradientBoosting" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "n_features_in_")
        importer = need("treelite.sklearn", model)
        encoded = copy.copy(model)
        encoded._preprocessor = None  # treelite cannot read its strings; the trees stay the same
        source = _treelite.read(importer.import_model(encoded), np.asarray)
        n_scores = len(source.base)
        n_rounds = source.flat.n_trees // n_scores
        flat, features = _in_own_columns(model, source.flat)
        classes = getattr(model, "classes_", None)
        return _build.build(
            flat,
            features=features,
            bias=source.base,
            score=source.score,
            rounds=np.arange(n_rounds + 1) * n_scores,
            kind="regressor" if classes is None else "classifier",
            classes=classes,
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        if hasattr(model, "decision_function"):
            return as_columns(model.decision_function(X))
        predicted = model.predict(X)
        return as_columns(np.log(predicted) if model.loss in {"poisson", "gamma"} else predicted)


def _in_own_columns(model: Any, flat: TreeArrays) -> tuple[TreeArrays, Features]:
    """The trees over the columns of X, and what those are."""
    names = getattr(model, "feature_names_in_", None)
    features = Features(
        n=int(model.n_features_in_), names=None if names is None else tuple(map(str, names))
    )
    encoder = getattr(model, "_preprocessor", None)
    if encoder is None:
        return flat, features
    nominal = np.asarray(model.is_categorical_)
    columns = np.concatenate([np.flatnonzero(nominal), np.flatnonzero(~nominal)])
    flat = replace(flat, feature=np.where(flat.feature < 0, -1, columns[flat.feature]))
    known = [
        tuple(value for value in values.tolist() if value == value)  # the encoder lists NaN as well
        for values in encoder.named_transformers_["encoder"].categories_
    ]
    categories = dict(zip(np.flatnonzero(nominal).tolist(), known, strict=True))
    _refuse_none(categories)
    if names is not None:
        return flat, replace(features, categories=categories)
    return _on_values(flat, categories), features


def _on_values(flat: TreeArrays, categories: dict[int, tuple[Any, ...]]) -> TreeArrays:
    """Sets of codes as sets of the numbers that arrays hold; unknown numbers go where NaN goes."""
    for column, values in categories.items():
        _refuse_values(column, values)
    sets = {}
    swap = np.zeros(len(flat.feature), np.bool_)
    for at, words in flat.sets.items():
        numbers = np.array(categories[int(flat.feature[at])]).astype(np.int64)
        goes_left = np.isin(np.arange(len(numbers)), categories_of(words))
        # What is not in the set goes right. Where NaN goes left, the set is that of the right side.
        swap[at] = flat.missing_left[at]
        sets[at] = category_words(numbers[goes_left ^ swap[at]])
    return replace(
        flat,
        sets=sets,
        left=np.where(swap, flat.right, flat.left),
        right=np.where(swap, flat.left, flat.right),
        missing_left=flat.missing_left & ~swap,
    )


def _refuse_none(categories: dict[int, tuple[Any, ...]]) -> None:
    """scikit-learn takes the nulls of polars frames for a category of their own, and NaN not."""
    column = next((column for column, values in categories.items() if None in values), None)
    if column is not None:
        raise ValueError(
            f"HistGradientBoosting model has unsupported categorical encodings: column {column} "
            "holds None, which counts as a category there; train on a pandas frame, where it is "
            "missing, or fill the nulls with a value"
        )


def _refuse_values(column: int, values: tuple[Any, ...]) -> None:
    for value in values:
        whole = isinstance(value, (int, float, np.number)) and float(value).is_integer()
        if not whole or not 0 <= value <= _LARGEST_CATEGORY:
            raise ValueError(
                f"HistGradientBoosting model has unsupported categorical encodings: column "
                f"{column} holds the category {value!r}; train on a frame with category columns, "
                f"or on whole numbers from 0 to {_LARGEST_CATEGORY}"
            )
