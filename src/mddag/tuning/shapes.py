"""Shapes: leaves, learning rate and rounds of a model that is yet to be trained, by library.

Each library has its own names for the three. A shape sets them, and what must go with them (depth
limits off, its own early stopping off), in a clone of the estimator; every other parameter stays as
the user set it. Models without a learning rate (forests, AdaBoost.MH) have shapes of leaves and
rounds alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mddag._internal.checks import typed
from mddag.adapters.adapter import lineage
from mddag.learners import Tree

LEAVES = (8, 16, 32, 64, 128, 255)
RATES = (0.1, 0.3, 0.6)
WORK = 12.0  # of a first training: rounds x rate
LONGEST = 100.0  # of any training, likewise
ROUNDS = (60, 500)  # without a rate: of a first training, and of any
MOST_ROUNDS = 700


@dataclass(frozen=True)
class Shape:
    """How large trees are, how fast they are added and how many there are.

    n_leaves : of a tree, at most; None: as the estimator has it
    rate     : the learning rate; None for a model that has none, or as the estimator has it
    n_rounds : boosting rounds, or trees of a forest; None: as the estimator has it
    """

    n_leaves: int | None = None
    rate: float | None = None
    n_rounds: int | None = None

    def __str__(self) -> str:
        if self.n_leaves is None:
            return "as given"
        rate = "" if self.rate is None else f"rate {self.rate:g}, "
        return f"{self.n_leaves} leaves, {rate}{self.n_rounds} rounds"

    @property
    def longest(self) -> int:
        """The most rounds that are worth trying."""
        if self.rate is None:
            return ROUNDS[1]
        return min(round(LONGEST / self.rate), MOST_ROUNDS)

    def longer(self, factor: float) -> Shape:
        """The same with more rounds, as far as these are worth trying."""
        assert self.n_rounds is not None
        return replace(self, n_rounds=min(round(self.n_rounds * factor), self.longest))


@dataclass(frozen=True)
class Library:
    """The parameters of one kind of models.

    models : names of their classes, as ``adapters.lineage`` gives them
    leaves : what sets a number of leaves
    rate   : the name of the learning rate; None where there is none
    rounds : the name of the number of rounds
    fixed  : what goes with every shape
    means  : whether scores are means over all trees: a model of fewer trees is not a prefix then,
             its trees vote more each
    """

    models: frozenset[str]
    leaves: Callable[[int], dict[str, Any]]
    rate: str | None
    rounds: str
    fixed: tuple[tuple[str, Any], ...] = ()
    means: bool = False

    def grid(self) -> list[Shape]:
        """The shapes of a first training, small trees first."""
        if self.rate is None:
            return [Shape(n, None, ROUNDS[0]) for n in LEAVES]
        return [Shape(n, rate, round(WORK / rate)) for n in LEAVES for rate in RATES]

    def parameters(self, shape: Shape) -> dict[str, Any]:
        """What a shape sets."""
        if shape.n_leaves is None:
            return dict(self.fixed)
        found = {**dict(self.fixed), **self.leaves(shape.n_leaves), self.rounds: shape.n_rounds}
        if self.rate is not None:
            found[self.rate] = shape.rate
        return found


def _depth(n_leaves: int) -> int:
    """Of a balanced tree with about so many leaves."""
    return max(n_leaves.bit_length() - 1, 1) if n_leaves < 255 else 8


LIBRARIES = (
    Library(
        frozenset({"lightgbm.LGBMClassifier", "lightgbm.LGBMRegressor"}),
        lambda n: {"num_leaves": n, "max_depth": -1},
        "learning_rate",
        "n_estimators",
    ),
    Library(
        frozenset({"xgboost.XGBClassifier", "xgboost.XGBRegressor"}),
        lambda n: {"max_leaves": n, "max_depth": 0, "grow_policy": "lossguide"},
        "learning_rate",
        "n_estimators",
        (("tree_method", "hist"), ("early_stopping_rounds", None)),
    ),
    Library(
        frozenset({"catboost.CatBoostClassifier", "catboost.CatBoostRegressor"}),
        lambda n: {"depth": _depth(n)},
        "learning_rate",
        "iterations",
    ),
    Library(
        frozenset(
            {"sklearn.HistGradientBoostingClassifier", "sklearn.HistGradientBoostingRegressor"}
        ),
        lambda n: {"max_leaf_nodes": n, "max_depth": None},
        "learning_rate",
        "max_iter",
        (("early_stopping", False),),
    ),
    Library(
        frozenset({"sklearn.GradientBoostingClassifier", "sklearn.GradientBoostingRegressor"}),
        lambda n: {"max_leaf_nodes": n, "max_depth": None},
        "learning_rate",
        "n_estimators",
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
        means=True,
    ),
    Library(
        frozenset({"mddag.AdaBoostMHClassifier"}),
        lambda n: {"learner": Tree(n)},
        None,
        "n_rounds",
    ),
)
# CatBoost has several names for a parameter, and refuses two of them at once.
ALIASES = {
    "iterations": ("n_estimators", "num_boost_round", "num_trees"),
    "depth": ("max_depth",),
    "learning_rate": ("eta",),
}


def library_of(estimator: Any) -> Library:
    """The library of an estimator, or of the last step of a Pipeline; refuses all others."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
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
    """A clone of the estimator in another shape."""
    made, prefix = clone(estimator), ""
    if isinstance(estimator, Pipeline):
        prefix = f"{estimator.steps[-1][0]}__"
    set_before = made.get_params()
    wanted = {}
    for name, value in library_of(estimator).parameters(shape).items():
        known = (alias for alias in ALIASES.get(name, ()) if f"{prefix}{alias}" in set_before)
        own = name if f"{prefix}{name}" in set_before else next(known, name)
        wanted[f"{prefix}{own}"] = value
    return made.set_params(**wanted)
