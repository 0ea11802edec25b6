"""Shapes: the leaves, learning rate, rounds and rows per leaf of a model that ``train`` tries.

Each library has its own names for the four. A shape sets them, and what must go with them (depth
limits off, the library's early stopping off), in a clone of the estimator; every other parameter
stays as the user set it. Models without a learning rate (forests, AdaBoost.MH) have shapes without
one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import log2
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from mddag._utils.checks import typed
from mddag.adapters.adapter import lineage
from mddag.learners import Tree

LEAVES = (8, 32, 128, 512, 2047)
ROUNDS = {0.1: 250, 0.3: 100, 0.6: 50}  # by learning rate
ROUNDS_WITHOUT_RATE = 100
LEAST_ROWS = (5, 20)
MOST_LEAVES = 40_000  # of a model, all trees together: this bounds the time
FEWEST_ROUNDS = 15
TRAINED_PER_LEAF = 8  # training rows, at least, beyond the smallest trees


@dataclass(frozen=True)
class Shape:
    """How large trees are, how fast they are added and how many there are.

    What is None stays as the estimator has it; a shape of four Nones is the estimator as given.

    n_leaves   : of a tree, at most
    rate       : the learning rate
    n_rounds   : boosting rounds, or trees of a forest
    least_rows : training rows that a leaf must have
    """

    n_leaves: int | None = None
    rate: float | None = None
    n_rounds: int | None = None
    least_rows: int | None = None

    @property
    def is_given(self) -> bool:
        """Whether this is the estimator as the user gave it."""
        return self.n_leaves is None

    def name(self, n_rounds: int) -> str:
        """Return what messages call a model of this shape with this number of rounds."""
        if self.is_given:
            return f"as given, {n_rounds} rounds"
        parts = [f"{self.n_leaves} leaves"]
        if self.rate is not None:
            parts.append(f"rate {self.rate:g}")
        if self.least_rows is not None:
            parts.append(f"{self.least_rows} rows per leaf")
        return ", ".join([*parts, f"{n_rounds} rounds"])


@dataclass(frozen=True)
class Library:
    """The parameters of one kind of models.

    models : names of their classes, as ``adapters.lineage`` gives them
    leaves : what sets a number of leaves
    rate   : the name of the learning rate; None where there is none
    rounds : the name of the number of rounds
    least  : what sets the rows of a leaf, given the estimator; an empty dict where nothing does
    fixed  : what goes with every shape
    most_leaves : of a tree
    """

    models: frozenset[str]
    leaves: Callable[[int], dict[str, Any]]
    rate: str | None
    rounds: str
    least: Callable[[int, Any], dict[str, Any]]
    fixed: tuple[tuple[str, Any], ...] = ()
    most_leaves: int = LEAVES[-1]

    def parameters(self, shape: Shape, model: Any) -> dict[str, Any]:
        """Return what a shape sets in a model."""
        found = dict(self.fixed)
        if shape.is_given:
            return found
        assert shape.n_leaves is not None
        found |= {**self.leaves(shape.n_leaves), self.rounds: shape.n_rounds}
        if self.rate is not None:
            found[self.rate] = shape.rate
        if shape.least_rows is not None:
            found |= self.least(shape.least_rows, model)
        return found


def _hessians(n_rows: int, model: Any) -> dict[str, Any]:
    # XGBoost counts second derivatives; that of a row is at most a quarter for the logistic loss
    # and one for squared errors.
    return {"min_child_weight": n_rows / 4 if is_classifier(model) else n_rows}


def _catboost_rows(n_rows: int, model: Any) -> dict[str, Any]:
    # CatBoost ignores the number for symmetric trees, its default.
    return {"min_data_in_leaf": n_rows} if _grows_leaf_by_leaf(model) else {}


def _grows_leaf_by_leaf(model: Any) -> bool:
    return model.get_params().get("grow_policy") in ("Depthwise", "Lossguide")


LIBRARIES = (
    Library(
        frozenset({"lightgbm.LGBMClassifier", "lightgbm.LGBMRegressor"}),
        lambda n: {"num_leaves": n, "max_depth": -1},
        "learning_rate",
        "n_estimators",
        lambda n, _: {"min_child_samples": n},
    ),
    Library(
        frozenset({"xgboost.XGBClassifier", "xgboost.XGBRegressor"}),
        lambda n: {"max_leaves": n, "max_depth": 0, "grow_policy": "lossguide"},
        "learning_rate",
        "n_estimators",
        _hessians,
        (("tree_method", "hist"), ("early_stopping_rounds", None)),
    ),
    Library(
        frozenset({"catboost.CatBoostClassifier", "catboost.CatBoostRegressor"}),
        lambda n: {"depth": round(log2(n))},  # deeper trees than of 256 leaves take minutes
        "learning_rate",
        "iterations",
        _catboost_rows,
        most_leaves=256,
    ),
    Library(
        frozenset(
            {"sklearn.HistGradientBoostingClassifier", "sklearn.HistGradientBoostingRegressor"}
        ),
        lambda n: {"max_leaf_nodes": n, "max_depth": None},
        "learning_rate",
        "max_iter",
        lambda n, _: {"min_samples_leaf": n},
        (("early_stopping", False),),
    ),
    Library(
        frozenset({"sklearn.GradientBoostingClassifier", "sklearn.GradientBoostingRegressor"}),
        lambda n: {"max_leaf_nodes": n, "max_depth": None},
        "learning_rate",
        "n_estimators",
        lambda n, _: {"min_samples_leaf": n},
        (("n_iter_no_change", None),),
    ),
    Library(
        frozenset(
            f"sklearn.{kind}{task}"
            for kind in ("RandomForest", "ExtraTrees")
            for task in ("Classifier", "Regressor")
        ),
        lambda n: {"max_leaf_nodes": n, "max_depth": None},
        None,
        "n_estimators",
        lambda n, _: {"min_samples_leaf": n},
    ),
    Library(
        frozenset({"mddag.AdaBoostMHClassifier"}),
        lambda n: {"learner": Tree(n)},
        None,
        "n_rounds",
        lambda *_: {},
        most_leaves=256,
    ),
)
# Libraries have several names for a parameter; CatBoost refuses two of them at once, and LightGBM
# prefers the other one.
ALIASES = {
    "iterations": ("n_estimators", "num_boost_round", "num_trees"),
    "depth": ("max_depth",),
    "learning_rate": ("eta",),
    "min_child_samples": ("min_data_in_leaf", "min_data_per_leaf", "min_data", "min_samples_leaf"),
}


def shapes_of(estimator: Any, n_rows: int, n_scores: int) -> list[Shape]:
    """Return the estimator as given, then the grid, without leaves that `n_rows` cannot fill.

    n_scores : trees of one round, which is what makes rounds of many classes expensive
    """
    library, found = library_of(estimator), [Shape()]
    rates = (None,) if library.rate is None else tuple(ROUNDS)
    leasts = LEAST_ROWS if library.least(1, last_step(estimator)) else (None,)
    for wanted, rate, least in product(LEAVES, rates, leasts):
        n_leaves = min(wanted, library.most_leaves)
        if n_leaves > LEAVES[0] and n_leaves * max(least or 1, TRAINED_PER_LEAF) > n_rows:
            continue
        n_rounds = ROUNDS_WITHOUT_RATE if rate is None else ROUNDS[rate]
        affordable = max(MOST_LEAVES // (n_leaves * n_scores), FEWEST_ROUNDS)
        found.append(Shape(n_leaves, rate, min(n_rounds, affordable), least))
    return list(dict.fromkeys(found))


def library_of(estimator: Any) -> Library:
    """Return the library of an estimator, or of the last step of a Pipeline."""
    last = last_step(estimator)
    for library in LIBRARIES:
        if not library.models.isdisjoint(lineage(last)):
            return library
    known = ", ".join(sorted(name.partition(".")[2] for lib in LIBRARIES for name in lib.models))
    raise TypeError(
        f"estimator is {typed(last)}, whose shape train does not know how to set; wanted one of "
        f"{known}, a Pipeline that ends with one, or None. For any other model fit it, and call "
        "mddag.sparsify"
    )


def shaped(estimator: Any, shape: Shape) -> Any:
    """Return a clone of the estimator in another shape."""
    made, prefix = clone(estimator), ""
    if isinstance(estimator, Pipeline):
        prefix = f"{estimator.steps[-1][0]}__"
    present = made.get_params()
    wanted: dict[str, Any] = {}
    for name, value in library_of(estimator).parameters(shape, last_step(estimator)).items():
        names = [some for some in (name, *ALIASES.get(name, ())) if f"{prefix}{some}" in present]
        wanted |= {f"{prefix}{some}": value for some in names or [name]}
    return made.set_params(**wanted)


def last_step(estimator: Any) -> Any:
    """Return the last step of a Pipeline, or the estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
