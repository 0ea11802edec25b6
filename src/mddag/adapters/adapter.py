"""Adapter: how a foreign model becomes an Ensemble, and the check that it is the same model.

An adapter accepts some models, converts them, and computes the model's own raw scores f(x) in the
Ensemble's form: (n, K), margin space, one column for binary problems. ``verify`` compares the two,
and the labels if the model predicts them, on rows around the ensemble's own thresholds.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import categories_of
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.tasks import Kind, Link

if TYPE_CHECKING:
    from mddag.adapters._files import Content, Format


class Adapter(Protocol):
    """Protocol of the adapter of one library."""

    library: str  # package whose models it reads
    models: str  # their names, for the message that lists what is supported
    tolerance: float  # largest difference allowed, relative to the size of the scores

    def accepts(self, model: Any) -> bool:
        """Return whether it can convert `model`, by class names and without imports."""
        ...

    def convert(self, model: Any) -> Ensemble:
        """Return the same model as an Ensemble, or raise an error that says why not."""
        ...

    def raw_scores(self, model: Any, X: Any) -> NDArray[np.float64]:
        """Return the model's own scores of X, (n, K)."""
        ...


class FileAdapter(Adapter, Protocol):
    """Protocol of the adapter of a library that saves models to files."""

    formats: tuple[Format, ...]  # kinds of files that it reads

    def load(self, path: str, content: Content) -> Any:
        """Load a file of one of the formats as an object of the library.

        It raises what the library does. The object predicts like the one that was saved, as far as
        the file records it.
        """
        ...


def lineage(model: Any) -> set[str]:
    """Return ``library.Class`` for every class that `model` descends from."""
    return {f"{c.__module__.partition('.')[0]}.{c.__name__}" for c in type(model).__mro__}


def kind_of_class(model: Any, library: str) -> Kind | None:
    """Return the kind that a model's class is named for, such as regressor for XGBRegressor."""
    named = [name for name in lineage(model) if name.startswith(f"{library}.")]
    kinds: tuple[Kind, ...] = get_args(Kind)
    return next((k for k in kinds if any(n.endswith(k.capitalize()) for n in named)), None)


def need(package: str, model: Any) -> Any:
    """Import the package that reading `model`, or a path, takes, or say how to install it."""
    try:
        return import_module(package)
    except ImportError as error:
        what = repr(model) if isinstance(model, str) else f"this {type(model).__name__}"
        raise ImportError(
            f"reading {what} needs {package} ({error}); install it: "
            f"pip install {package.partition('.')[0]}"
        ) from None


def refuse_unfitted(model: Any, attribute: str) -> None:
    """Raise scikit-learn's NotFittedError (a ValueError) unless `model` has `attribute`."""
    if hasattr(model, attribute):
        return
    from sklearn.exceptions import NotFittedError

    raise NotFittedError(
        f"this {type(model).__name__} is not fitted (it has no {attribute}); call fit before "
        "as_ensemble"
    )


def refuse_one_class(model: Any) -> None:
    """Raise ValueError if `model` is a classifier that has seen a single class."""
    classes = getattr(model, "classes_", None)
    if classes is not None and len(classes) == 1:
        raise ValueError(
            f"this {type(model).__name__} knows one class only ({classes[0]!r}); mddag needs a "
            "decision between at least two"
        )


def refuse_multi_output(model: Any, n_outputs: int) -> None:
    """Raise ValueError if `model` predicts several targets at once."""
    if n_outputs > 1:
        raise ValueError(
            f"this {type(model).__name__} predicts {n_outputs} targets at once; mddag reads models "
            "of one target: train one model per target"
        )


def as_columns(scores: Any) -> NDArray[np.float64]:
    """Return a source's raw scores as (n, K), two columns of one decision as their difference."""
    columns: NDArray[np.float64] = np.asarray(scores, np.float64).reshape(len(scores), -1)
    return columns[:, 1:] - columns[:, :1] if columns.shape[1] == 2 else columns


def verify(adapter: Adapter, model: Any, ensemble: Ensemble) -> None:
    """Raise ValueError unless `ensemble` scores and labels the probe rows as `model` does."""
    version = getattr(sys.modules.get(adapter.library), "__version__", "")
    name = f"the adapter for {adapter.library} {version}".strip()
    rows = probe_rows(ensemble)
    ours, given = ensemble.scores(rows), source_rows(ensemble.features, rows)
    theirs = adapter.raw_scores(model, given)
    if theirs.shape != ours.shape:
        raise ValueError(
            f"{name} gives scores of shape {ours.shape} where the model gives {theirs.shape}; "
            "please report this model"
        )
    difference = np.abs(ours - theirs).max(axis=1)
    # rounding errors of sums are relative to the size of scores and votes
    sizes = (theirs, ensemble.tables.values, ensemble.bias)
    rounding = adapter.tolerance * max(float(np.abs(a).max(initial=0.0)) for a in sizes)
    wrong = np.flatnonzero(~(difference <= rounding))
    if len(wrong):
        raise ValueError(
            f"{name} disagrees with the model on {len(wrong)} of {len(rows)} probe rows (largest "
            f"difference {difference.max():.2g}; first rows {wrong[:5].tolist()}); please report "
            "this model"
        )
    wrong = _other_labels(model, given, ensemble, ours, rounding)
    if len(wrong):
        raise ValueError(
            f"{name} has the scores of the model but predicts other labels on {len(wrong)} of "
            f"{len(rows)} probe rows (first rows {wrong[:5].tolist()}); please report this model"
        )


def _other_labels(
    model: Any, given: Any, ensemble: Ensemble, scores: NDArray[np.float64], rounding: float
) -> NDArray[np.intp]:
    """Return the probe rows that `model` labels differently, except those that rounding decides.

    Bare boosters predict no labels, nor do models trained for an objective of the user's own.
    """
    if ensemble.classes is None or not hasattr(model, "predict_proba"):
        return np.empty(0, np.intp)
    with warnings.catch_warnings():  # the user did not make these predictions
        warnings.simplefilter("ignore")
        theirs = np.ravel(model.predict(given))
    if theirs.shape != (len(scores),) or not np.isin(theirs, ensemble.classes).all():
        return np.empty(0, np.intp)
    best = np.sort(scores, axis=1)[:, -2:]
    margin = np.abs(best[:, 0]) if ensemble.n_scores == 1 else best[:, 1] - best[:, 0]
    return np.flatnonzero((margin > 2 * rounding) & (theirs != ensemble.labels(scores)))


N_ROWS = 256
FAR = 1e30  # within float32: scikit-learn refuses larger numbers
_MISSING_SHARE = 0.08


def probe_rows(ensemble: Ensemble, n_rows: int = N_ROWS) -> NDArray[Any]:
    """Return rows (n_rows, n_features) with category codes in nominal columns, or noisy patches."""
    rng = np.random.default_rng(0)
    features = ensemble.features
    if isinstance(features, PatchFeatures):
        return rng.integers(0, 256, (n_rows, *features.window), np.uint8)
    values = _values_by_column(ensemble)
    rows = np.zeros((n_rows, features.n))
    for i in range(features.n):
        rows[:, i] = rng.choice(values[i], n_rows) if i in values else rng.normal(size=n_rows)
    if features.missing:
        rows[rng.random(rows.shape) < _MISSING_SHARE] = np.nan
    return rows


def source_rows(features: Features, rows: NDArray[Any]) -> Any:
    """Return the rows as the source model takes them: a DataFrame if it knows named columns."""
    if features.names is None and not features.categories:
        return rows
    try:
        import pandas as pd
    except ImportError:
        if features.categories:
            raise ImportError(
                "checking a model with category columns needs pandas; pip install pandas"
            ) from None
        return rows
    frame = pd.DataFrame(rows, columns=None if features.names is None else list(features.names))
    for i, values in features.categories.items():
        codes = np.nan_to_num(rows[:, i], nan=-1).astype(int)
        frame.isetitem(i, pd.Categorical.from_codes(codes, categories=list(values)))
    return frame


def _values_by_column(ensemble: Ensemble) -> dict[int, NDArray[np.float64]]:
    splits = ensemble.nodes[ensemble.nodes["feature"] >= 0]
    numeric = splits[splits["n_words"] == 0]
    order = np.argsort(numeric["feature"], kind="stable")
    columns, first = np.unique(numeric["feature"][order], return_index=True)
    groups = np.split(numeric["threshold"][order], first)[1:]
    values = {int(i): _around(group) for i, group in zip(columns, groups, strict=True)}
    return values | _codes_by_column(ensemble)


def _around(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    t = np.clip(thresholds, -FAR, FAR)
    t32 = t.astype(np.float32)
    sides = [np.nextafter(t, -np.inf), np.nextafter(t, np.inf)]
    sides32 = [np.nextafter(t32, np.float32(side)) for side in (-np.inf, np.inf)]
    between = (t + np.roll(t, 1)) / 2
    near = np.concatenate([t, *sides, t32, *sides32, between]).astype(np.float64)
    rare = np.tile([0.0, FAR, -FAR], 1 + len(t) // 3)
    return np.concatenate([near, rare])


def _codes_by_column(ensemble: Ensemble) -> dict[int, NDArray[np.float64]]:
    known: dict[int, set[int]] = {i: set() for i in ensemble.features.categories}
    for t in np.flatnonzero(np.diff(ensemble.word_starts)):
        tree = ensemble.tree(int(t))
        for node in tree.records[tree.records["n_words"] > 0]:
            words = tree.words[node["word"] : node["word"] + node["n_words"]]
            known.setdefault(int(node["feature"]), set()).update(categories_of(words).tolist())
    return {i: _codes(ensemble.features, i, codes) for i, codes in known.items()}


def _codes(features: Features, i: int, known: set[int]) -> NDArray[np.float64]:
    if i in features.categories:
        return np.arange(len(features.categories[i]), dtype=np.float64)
    largest = max(known, default=0)
    unknown = [-1, largest + 1, largest + 40, 1000 + largest]
    return np.array([*known, *range(largest), *unknown], np.float64)


TOLERANCE = 1e-3  # float32 sums of many trees, and exp of them; links differ by far more


def link_of(model: Any, ensemble: Ensemble) -> Link:
    """Return which of the links turns the model's scores into its predictions."""
    rows = probe_rows(ensemble)
    scores = ensemble.scores(rows)[:, 0]
    given = source_rows(ensemble.features, rows)
    with warnings.catch_warnings():  # the user did not make these predictions
        warnings.simplefilter("ignore")
        if hasattr(model, "inplace_predict"):  # XGBoost's Booster takes plain rows nowhere else
            predicted = np.ravel(model.inplace_predict(given))
        else:
            predicted = np.ravel(model.predict(given))
    with np.errstate(over="ignore"):
        links: dict[Link, Any] = {"identity": scores, "exp": np.exp(scores)}
    for link, means in links.items():
        if np.allclose(predicted, means, rtol=TOLERANCE, atol=TOLERANCE * np.ptp(scores)):
            return link
    return "unknown"
