"""Adapters of scikit-learn's ensembles of trees, and of our own AdaBoostMHClassifier.

Most are read from the public ``tree_`` arrays, whose rule is ``float32(x) <= t``. treelite reads
these models too, but expects ``n_estimators`` trees, of which early stopping may have left fewer.
HistGradientBoosting has other trees (``x <= t`` in double precision), which treelite reads.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters._trees import TreeArrays, at_most_float32, averaged, build, read_treelite
from mddag.adapters.adapter import (
    as_columns,
    lineage,
    need,
    refuse_multi_output,
    refuse_unfitted,
    source_rows,
)
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import categories_of, category_words
from mddag.ensemble.votes import starts_of


def read_trees(trees: Sequence[Any], votes: Sequence[NDArray[np.float64]]) -> TreeArrays:
    """Read the ``tree_`` objects `trees`, whose nodes vote votes[t] (n_nodes, width)."""
    feature = np.concatenate([tree.feature for tree in trees])
    leaf = feature < 0
    return TreeArrays(
        starts=starts_of([tree.node_count for tree in trees]),
        feature=np.where(leaf, -1, feature),
        threshold=at_most_float32(np.concatenate([tree.threshold for tree in trees])),
        left=np.concatenate([tree.children_left for tree in trees]),
        right=np.concatenate([tree.children_right for tree in trees]),
        missing_left=np.concatenate([tree.missing_go_to_left for tree in trees]) != 0,
        votes=np.concatenate(votes)[leaf],
        weight=np.concatenate([tree.weighted_n_node_samples for tree in trees])[leaf],
        sets={},
    )


def features_of(model: Any, predict: Callable[[Any], Any]) -> Features:
    """Return names as fitted; NaN is allowed if the model itself takes it."""
    names = getattr(model, "feature_names_in_", None)
    features = Features(
        n=int(model.n_features_in_), names=None if names is None else tuple(map(str, names))
    )
    try:
        predict(source_rows(features, np.full((1, features.n), np.nan)))
    except ValueError:
        return replace(features, missing=False)
    return features


class GradientBoosting:
    """Adapter of gradient boosting: h_j is one stage, f^(0) the constant start of boosting."""

    library = "sklearn"
    models = "scikit-learn GradientBoostingClassifier and GradientBoostingRegressor"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "sklearn.BaseGradientBoosting" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "estimators_")
        constant = {"sklearn.DummyClassifier", "sklearn.DummyRegressor"}
        if model.init_ != "zero" and lineage(model.init_).isdisjoint(constant):
            raise ValueError(
                f"this {type(model).__name__} starts from init={model.init_!r}, whose score "
                "depends on x; mddag needs a constant start: train with init=None or init='zero'"
            )
        n_rounds, n_scores = model.estimators_.shape
        trees = [tree.tree_ for tree in model.estimators_.ravel()]
        flat = read_trees(trees, [t.value[:, 0] * model.learning_rate for t in trees])
        classes = getattr(model, "classes_", None)
        votes_alone = build(
            flat,
            features=features_of(model, model.predict),
            bias=np.zeros(n_scores),
            score=np.tile(np.arange(n_scores, dtype=np.int32), n_rounds),
            rounds=np.arange(n_rounds + 1) * n_scores,
            kind="regressor" if classes is None else "classifier",
            classes=classes,
        )
        origin = source_rows(votes_alone.features, np.zeros((1, votes_alone.n_features)))
        start = self.raw_scores(model, origin) - votes_alone.scores(origin)
        return replace(votes_alone, tables=replace(votes_alone.tables, bias=start[0]))

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        if hasattr(model, "decision_function"):
            return as_columns(model.decision_function(X))
        return as_columns(model.predict(X))


_FORESTS = {
    f"sklearn.{family}{kind}"
    for family in ("RandomForest", "ExtraTrees")
    for kind in ("Classifier", "Regressor")
}


class Forest:
    """Adapter of RandomForest and ExtraTrees: h_j is one tree, f the mean over trees.

    Classifiers average probabilities: f_k = p_k for K > 2, f = p_1 - p_0 if binary. Every tree's
    mean vote goes into the bias, so that a row that skips trees keeps the prior.
    """

    library = "sklearn"
    models = "scikit-learn RandomForest and ExtraTrees classifiers and regressors"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return not lineage(model).isdisjoint(_FORESTS)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "estimators_")
        refuse_multi_output(model, model.n_outputs_)
        trees = [tree.tree_ for tree in model.estimators_]
        flat = read_trees(trees, [tree.value[:, 0] for tree in trees])
        n_scores = flat.votes.shape[1]
        score = np.full(len(trees), -1 if n_scores > 1 else 0, np.int32)
        flat, bias = averaged(flat, score, n_scores, len(trees))
        classes = getattr(model, "classes_", None)
        return build(
            flat,
            features=features_of(model, model.predict),
            bias=bias,
            score=score,
            kind="regressor" if classes is None else "classifier",
            classes=classes,
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        if hasattr(model, "predict_proba"):
            return as_columns(model.predict_proba(X))
        return as_columns(model.predict(X))


class AdaBoost:
    """Adapter of AdaBoostClassifier (SAMME) over decision trees of any depth.

    h_j votes w_j for the class its tree predicts and -w_j / (K - 1) for the others, divided by the
    sum of all w; if binary, f = f_1 - f_0 of these, which is ±2 w_j / sum(w).
    """

    library = "sklearn"
    models = "scikit-learn AdaBoostClassifier over decision trees"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "sklearn.AdaBoostClassifier" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "estimators_")
        for j, learner in enumerate(model.estimators_):
            if "sklearn.DecisionTreeClassifier" not in lineage(learner):
                raise ValueError(
                    f"this AdaBoostClassifier boosts {type(learner).__name__} (estimator {j}), "
                    "which is not a decision tree; pass its votes to Ensemble.from_callables"
                )
        weights = (
            model.estimator_weights_[: len(model.estimators_)] / model.estimator_weights_.sum()
        )
        votes = [
            weight * _votes(tree, model.classes_)
            for tree, weight in zip(model.estimators_, weights, strict=True)
        ]
        return build(
            read_trees([tree.tree_ for tree in model.estimators_], votes),
            features=features_of(model, model.predict),
            bias=np.zeros(len(model.classes_)),
            kind="classifier",
            classes=model.classes_,
        )

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        return as_columns(model.decision_function(X))


def _votes(tree: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 for the class that each node predicts, -1 / (K - 1) for the others, (n_nodes, K)."""
    predicted = tree.classes_[tree.tree_.value[:, 0].argmax(axis=1)]
    return np.where(predicted[:, None] == classes, 1.0, -1.0 / (len(classes) - 1))


_LARGEST_CATEGORY = 2**20  # a set holds one bit for every number up to its largest category


class HistGradientBoosting:
    """Adapter of histogram gradient boosting: h_j is one iteration.

    Category columns pass an ordinal encoder and move to the front before the trees see them; here
    the trees read the caller's own columns. A category unknown to the encoder goes where NaN goes.
    """

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
        source = read_treelite(importer.import_model(encoded), np.asarray)
        n_scores = len(source.base)
        n_rounds = source.flat.n_trees // n_scores
        flat, features = _in_own_columns(model, source.flat)
        classes = getattr(model, "classes_", None)
        return build(
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
    """Return the trees over the columns of X, and what those are."""
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
    column = next((column for column, values in categories.items() if None in values), None)
    if column is not None:  # a null of polars, which scikit-learn takes for a category, unlike NaN
        raise ValueError(
            f"HistGradientBoosting model has unsupported categorical encodings: column {column} "
            "holds None, which counts as a category there; train on a pandas DataFrame, where it "
            "is missing, or fill the nulls with a value"
        )
    if names is not None:
        return flat, replace(features, categories=categories)
    return _on_values(flat, categories), features


def _on_values(flat: TreeArrays, categories: dict[int, tuple[Any, ...]]) -> TreeArrays:
    """Turn sets of codes into sets of the numbers in arrays; unknown numbers go where NaN goes."""
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


def _refuse_values(column: int, values: tuple[Any, ...]) -> None:
    for value in values:
        whole = isinstance(value, (int, float, np.number)) and float(value).is_integer()
        if not whole or not 0 <= value <= _LARGEST_CATEGORY:
            raise ValueError(
                f"HistGradientBoosting model has unsupported categorical encodings: column "
                f"{column} holds the category {value!r}; train on a DataFrame with category "
                f"columns, or on whole numbers from 0 to {_LARGEST_CATEGORY}"
            )


class AdaBoostMH:
    """Adapter of our own AdaBoostMHClassifier, which holds its Ensemble already."""

    library = "mddag"
    models = "mddag AdaBoostMHClassifier"
    tolerance = 1e-9

    def accepts(self, model: Any) -> bool:
        return "mddag.AdaBoostMHClassifier" in lineage(model)

    def convert(self, model: Any) -> Ensemble:
        refuse_unfitted(model, "ensemble_")
        ensemble: Ensemble = model.ensemble_
        return ensemble

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = model.ensemble_.scores(X)
        return scores
