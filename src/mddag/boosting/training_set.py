"""TrainingSet: X, y and sample weights of ``fit``, checked, and parts of them.

Rows of weight zero are left out: they set no threshold and add no class. Nominal columns of
DataFrames become category numbers; in arrays they are category numbers already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, validate_data

from mddag import _core
from mddag._utils.arrays import stratified
from mddag._utils.checks import as_floats
from mddag.ensemble.categories import category_values
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features, Patches, Rows, array_rows, frame_columns, is_frame
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.row_checks import checked_array, checked_labels, checked_rows
from mddag.ensemble.votes import Codes

LEAST_WEIGHT = 0.01  # below this the smoothing of alpha, 0.01 / the sum, would outweigh every vote


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Rows with their classes."""

    rows: Rows | Patches  # rows (n, d), where NaN is missing, or patches (n, h, w)
    labels: NDArray[np.intp]  # (n,), indices into `classes`
    weight: NDArray[np.float64]  # (n,), positive weights
    classes: NDArray[Any]  # sorted labels
    features: Features  # columns
    nominal: NDArray[np.bool_]  # (d,), which columns are nominal

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, index: NDArray[np.intp]) -> TrainingSet:
        """Select rows."""
        parts = self.rows[index], self.labels[index], self.weight[index]
        return TrainingSet(*parts, self.classes, self.features, self.nominal)

    def leaf_codes(self, nodes: Nodes, n_jobs: int) -> Codes:
        """Return the leaf of `nodes` that each of the rows reaches, (n,)."""
        (nodes,), features = on_used_columns([nodes], self.features)
        codes = np.empty((len(self), 1), np.min_scalar_type(max(nodes.n_leaves - 1, 0)))
        starts = np.array([0, len(nodes.records)])
        word_starts = np.array([0, len(nodes.words)])
        tree = nodes.records.view(np.uint8), starts, nodes.words, word_starts
        _core.leaf_codes(tree, features.rows(self.rows), codes, n_jobs)
        return codes.ravel()

    def in_c_order(self) -> TrainingSet:
        """Return the same rows, each of them contiguous."""
        rows = self.rows.in_c_order() if isinstance(self.rows, Rows) else self.rows
        return replace(self, rows=rows)

    def held_out(
        self, fraction: float, name: str, rng: np.random.Generator
    ) -> tuple[TrainingSet, TrainingSet]:
        """Split off `fraction` of every class; at least one row of each stays in the first part."""
        out = stratified(self.labels, fraction, rng)
        if len(out) == 0:
            raise ValueError(
                f"{name} is {fraction}, which holds out none of {len(self)} rows in "
                f"{len(self.classes)} classes; give more rows or a larger fraction"
            )
        return self.take(np.setdiff1d(np.arange(len(self)), out)), self.take(out)


def training_set(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    categorical_features: Any,
    continued: Ensemble | None = None,
    features: Features | None = None,
) -> TrainingSet:
    """Check what was given to ``estimator.fit``; `continued` has set features and classes.

    `features` are those of a learner that makes its own columns; X are then patches.
    """
    if isinstance(features, PatchFeatures):
        patches = features.patches(X)
        flat = patches.reshape(len(patches), -1)
        validate_data(estimator, flat, y, reset=continued is None, skip_check_array=True)
        nominal = nominal_columns(flat, categorical_features, flat.shape[1])
        if nominal.any():
            raise ValueError(
                f"categorical_features is {categorical_features!r}, but the pixels of patches are "
                "numbers; leave it out"
            )
        return _labeled(patches, y, sample_weight, features, nominal, continued)
    if not is_frame(X) and not hasattr(X, "shape"):  # whose columns scikit-learn cannot count
        X = array_rows(X)
    features = _frame_features(X, categorical_features) if is_frame(X) else None
    validate_data(estimator, X, y, reset=continued is None, skip_check_array=True)
    if continued is not None:
        features = continued.features
    if features is None:
        array = checked_array(estimator, X, finite=True)
        features = Features(array.shape[1])
        rows = features.rows(array)
    else:
        rows = checked_rows(estimator, X, features, finite=True)
    nominal = nominal_columns(X, categorical_features, features.n)
    return _labeled(rows, y, sample_weight, features, nominal, continued)


def _labeled(
    rows: Rows | Patches,
    y: Any,
    sample_weight: Any,
    features: Features,
    nominal: NDArray[np.bool_],
    continued: Ensemble | None,
) -> TrainingSet:
    """Return checked rows with labels and weights, which are checked here."""
    labels = checked_labels(y)
    check_consistent_length(rows, labels)
    if not isinstance(sample_weight, Real | None):
        sample_weight = as_floats("sample_weight", sample_weight, "one number per row")
    weight = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
    counted = np.flatnonzero(weight)
    if len(counted) == 0:
        raise ValueError(f"sample_weight is zero for all {len(weight)} rows; wanted some above 0")
    if weight.sum() < LEAST_WEIGHT:
        raise ValueError(
            f"sample_weight sums to {weight.sum():.3g}; a weight of 1 stands for one row: scale "
            "the weights so that they sum to about the number of rows"
        )
    if len(counted) < len(weight):
        rows, labels, weight = rows[counted], labels[counted], weight[counted]
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {classes.tolist()[0]!r}, among the rows of positive weight; "
            "a classifier needs at least two classes"
        )
    fitted = None if continued is None else continued.classes
    if fitted is not None and not np.array_equal(classes, fitted):
        raise ValueError(
            f"y has the classes {classes.tolist()[:8]}, but the model that warm_start continues "
            f"knows {fitted.tolist()[:8]}; fit with warm_start=False to start again"
        )
    return TrainingSet(rows, codes.astype(np.intp), weight, classes, features, nominal)


def nominal_columns(X: Any, categorical_features: Any, n_features: int) -> NDArray[np.bool_]:
    """Return which columns of X are nominal, bool (n_features,)."""
    mask = np.zeros(n_features, np.bool_)
    if categorical_features is None:
        return mask
    if isinstance(categorical_features, str) and categorical_features == "auto":
        if is_frame(X):
            mask[:] = [category_values(c) is not None for c in frame_columns(X).values()]
        return mask
    wanted = np.atleast_1d(np.asarray(categorical_features))
    if wanted.dtype == np.bool_ and wanted.shape == (n_features,):
        return wanted
    mask[[_place(c, X, n_features) for c in wanted.tolist()]] = True
    return mask


def class_weights(class_weight: Any, rows: TrainingSet) -> NDArray[np.float64]:
    """Return one factor per class, (n_classes,), for None, "balanced" or a dict by label."""
    if class_weight is None:
        return np.ones(len(rows.classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        mass = np.bincount(rows.labels, rows.weight, len(rows.classes))
        return np.asarray(mass.sum() / (len(mass) * mass))
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight is {class_weight!r}; wanted None, 'balanced' or a dict by class label"
        )
    classes = rows.classes.tolist()
    bad = next((label for label, factor in class_weight.items() if not 0 < factor < np.inf), None)
    if bad is not None:
        raise ValueError(f"class_weight[{bad!r}] is {class_weight[bad]}; wanted a number above 0")
    unknown = [label for label in class_weight if label not in classes]
    left_out = [label for label in classes if label not in class_weight]
    if unknown and left_out:  # most likely a label misspelt
        raise ValueError(
            f"class_weight has labels that are not classes, {unknown[:5]}, and lacks the "
            f"classes {left_out[:5]}"
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in classes])


def _frame_features(X: Any, categorical_features: Any) -> Features:
    columns = frame_columns(X)
    nominal = nominal_columns(X, categorical_features, len(columns))
    pairs = zip(columns.values(), nominal, strict=True)
    categories = {f: _categories(column) for f, (column, is_set) in enumerate(pairs) if is_set}
    names = tuple(columns) if all(isinstance(name, str) for name in columns) else None
    return Features(len(columns), names, categories)


def _categories(column: Any) -> tuple[Any, ...]:
    """Return the categories of a categorical column, the sorted values of any other."""
    values = category_values(column)
    if values is not None:
        return values
    present = column.drop_nulls() if hasattr(column, "drop_nulls") else column.dropna()
    return tuple(sorted(set(present.to_list())))


def _place(column: Any, X: Any, n_features: int) -> int:
    if isinstance(column, str):
        names = list(X.columns) if is_frame(X) else []
        if column not in names:
            raise ValueError(
                f"categorical_features names column {column!r}; X has "
                f"{'the columns ' + ', '.join(map(str, names[:8])) if names else 'no column names'}"
            )
        return names.index(column)
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < n_features:
        return column
    raise ValueError(
        f"categorical_features contains {column!r}; wanted 'auto', column names, column numbers "
        f"in 0..{n_features - 1}, or one bool per column ({n_features})"
    )


def on_used_columns(trees: Sequence[Nodes], features: Features) -> tuple[Sequence[Nodes], Features]:
    """Return the trees over those columns that they read, and these columns."""
    if not isinstance(features, PatchFeatures):
        return trees, features
    read = [nodes.records["feature"] for nodes in trees]
    used = np.unique(np.concatenate([np.empty(0, np.int32), *read]))
    used = used[used >= 0].astype(np.intp)
    numbers = np.zeros(features.n, np.int32)
    numbers[used] = np.arange(len(used))
    return [_renumbered(nodes, numbers) for nodes in trees], features.taken(used)


def among(features: Features, ensemble: Ensemble) -> list[Nodes]:
    """Return the trees of an ensemble with the numbers that its columns have in `features`."""
    trees = [ensemble.tree(t) for t in range(ensemble.n_trees)]
    source = ensemble.features
    if not (isinstance(features, PatchFeatures) and isinstance(source, PatchFeatures)):
        return trees
    places = {rectangles.tobytes(): f for f, rectangles in enumerate(features.rectangles)}
    found = [places.get(rectangles.tobytes(), -1) for rectangles in source.rectangles]
    if features.window != source.window or -1 in found:
        raise ValueError(
            "the model that warm_start continues has Haar features that are not among those of "
            "the learner; keep n_features and random_state as they were"
        )
    numbers = np.array(found, np.int32)
    return [_renumbered(nodes, numbers) for nodes in trees]


def _renumbered(nodes: Nodes, numbers: NDArray[np.int32]) -> Nodes:
    records = nodes.records.copy()
    splits = records["feature"] >= 0
    records["feature"][splits] = numbers[records["feature"][splits]]
    return Nodes(records, nodes.votes, nodes.words)
