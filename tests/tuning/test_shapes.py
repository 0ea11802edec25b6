"""A shape sets leaves, rate, rounds and rows per leaf by each library's names, and nothing else."""

import pytest
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier, XGBRegressor

from mddag import AdaBoostMHClassifier
from mddag.learners import Tree
from mddag.tuning.shapes import MOST_LEAVES, Shape, shaped, shapes_of

SHAPE = Shape(32, 0.3, 40, 5)


@pytest.mark.parametrize(
    ("estimator", "wanted"),
    [
        (
            LGBMClassifier(),
            {"num_leaves": 32, "learning_rate": 0.3, "n_estimators": 40, "min_child_samples": 5},
        ),
        (LGBMClassifier(min_data_in_leaf=50), {"min_data_in_leaf": 5}),
        (
            XGBClassifier(),
            {"max_leaves": 32, "learning_rate": 0.3, "n_estimators": 40, "min_child_weight": 1.25},
        ),
        (XGBRegressor(), {"max_leaves": 32, "min_child_weight": 5}),
        (CatBoostClassifier(), {"depth": 5, "learning_rate": 0.3, "iterations": 40}),
        (CatBoostClassifier(n_estimators=7), {"depth": 5, "n_estimators": 40}),
        (CatBoostClassifier(grow_policy="Depthwise"), {"depth": 5, "min_data_in_leaf": 5}),
        (
            HistGradientBoostingRegressor(),
            {"max_leaf_nodes": 32, "max_iter": 40, "min_samples_leaf": 5},
        ),
        (GradientBoostingClassifier(), {"max_leaf_nodes": 32, "max_depth": None}),
        (RandomForestClassifier(), {"max_leaf_nodes": 32, "n_estimators": 40}),
        (ExtraTreesRegressor(), {"max_leaf_nodes": 32, "min_samples_leaf": 5}),
        (AdaBoostMHClassifier(), {"learner": Tree(32), "n_rounds": 40}),
        (make_pipeline(StandardScaler(), LGBMClassifier()), {"lgbmclassifier__num_leaves": 32}),
    ],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else "",
)
def test_each_library_has_its_names(estimator, wanted):
    found = shaped(estimator, SHAPE).get_params()
    assert {name: found[name] for name in wanted} == wanted


def test_other_parameters_stay():
    estimator = LGBMClassifier(reg_lambda=3.0, monotone_constraints=[1], random_state=5)
    made = shaped(estimator, SHAPE)
    assert made is not estimator
    assert estimator.get_params()["num_leaves"] == 31
    kept = {"reg_lambda": 3.0, "monotone_constraints": [1], "random_state": 5}
    assert {name: made.get_params()[name] for name in kept} == kept


def test_as_given_changes_no_shape():
    made = shaped(LGBMClassifier(num_leaves=9, n_estimators=11), Shape())
    assert (made.num_leaves, made.n_estimators) == (9, 11)
    assert Shape().name(11) == "as given, 11 rounds"
    assert SHAPE.name(20) == "32 leaves, rate 0.3, 5 rows per leaf, 20 rounds"


def test_the_grid_fits_the_model_and_the_rows():
    grid = shapes_of(LGBMClassifier(), 20_000, 1)
    assert grid[0] == Shape()
    assert len(grid) == len(set(grid))
    assert {shape.n_leaves for shape in grid[1:]} == {8, 32, 128, 512, 2047}
    assert all(shape.n_leaves * shape.n_rounds <= MOST_LEAVES for shape in grid[1:])
    assert max(shape.n_leaves for shape in shapes_of(LGBMClassifier(), 300, 1)[1:]) == 32
    assert {shape.rate for shape in shapes_of(RandomForestClassifier(), 20_000, 1)} == {None}
    assert {shape.least_rows for shape in shapes_of(CatBoostClassifier(), 20_000, 1)} == {None}
    assert max(shape.n_leaves for shape in shapes_of(CatBoostClassifier(), 20_000, 1)[1:]) == 256
    many = shapes_of(LGBMClassifier(), 20_000, 26)
    assert all(many[k].n_rounds <= grid[k].n_rounds for k in range(1, len(grid)))
