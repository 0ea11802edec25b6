"""Models of a shape: LightGBM, XGBoost, CatBoost and AdaBoost.MH behind one call.

A `Shape` is what a user tunes: leaves of a tree, learning rate, and how many rows a leaf must have
(for XGBoost and CatBoost their nearest parameters). A model of m rounds is the beginning of a
longer one, so one model per shape serves every number of rounds. CatBoost grows symmetric trees of
2^depth leaves.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from benchmarks.quality.rows import Sample
from mddag import AdaBoostMHClassifier, Ensemble, as_ensemble
from mddag.learners import Stump

LIBRARIES = ("LightGBM", "AdaBoost.MH", "XGBoost", "CatBoost")
MANY_COLUMNS = 100  # fewer bins then, as is usual: training takes a third of the time


@dataclass(frozen=True, order=True)
class Shape:
    """leaves and rate; `smooth` asks for more weight and fewer rows in a leaf than the default.

    LightGBM: min_child_samples 20 and min_child_weight 0.001, or with `smooth` 5 and 1.
    """

    leaves: int
    rate: float
    smooth: bool = False

    def __str__(self) -> str:
        return f"{self.leaves} leaves, rate {self.rate:g}" + (", smooth" if self.smooth else "")


def trained(library: str, shape: Shape, n_rounds: int, rows: Sample) -> Ensemble:
    """An ensemble of this shape."""
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    model = MODELS[library](shape, n_rounds, rows.X.shape[1] > MANY_COLUMNS)
    return as_ensemble(model.fit(rows.X, rows.y))


def lightgbm(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=n_rounds,
        num_leaves=shape.leaves,
        learning_rate=shape.rate,
        min_child_samples=5 if shape.smooth else 20,
        min_child_weight=1.0 if shape.smooth else 1e-3,
        max_bin=63 if many_columns else 255,
        n_jobs=1,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )


def xgboost(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=n_rounds,
        max_leaves=shape.leaves,
        max_depth=0,
        grow_policy="lossguide",
        learning_rate=shape.rate,
        min_child_weight=1.0 if shape.smooth else 5.0,
        max_bin=64 if many_columns else 256,
        n_jobs=1,
    )


def catboost(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=n_rounds,
        depth=shape.leaves.bit_length() - 1,
        learning_rate=shape.rate,
        l2_leaf_reg=3.0 if shape.smooth else 1.0,
        border_count=63 if many_columns else 254,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        random_seed=0,
    )


def adaboost(shape: Shape, n_rounds: int, many_columns: bool) -> Any:
    """Stumps, whatever the shape."""
    return AdaBoostMHClassifier(Stump(), n_rounds=n_rounds, max_bins=255)


MODELS = dict(zip(LIBRARIES, (lightgbm, adaboost, xgboost, catboost), strict=True))
