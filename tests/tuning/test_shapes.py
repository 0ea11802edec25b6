"""A shape sets leaves, rate and rounds by each library's own names, and nothing else."""

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
from xgboost import XGBClassifier

from mddag import AdaBoostMHClassifier
from mddag.learners import Tree
from mddag.tuning.shapes import Shape, library_of, shaped

SHAPE = Shape(32, 0.3, 40)


@pytest.mark.parametrize(
    ("estimator", "wanted"),
    [
        (LGBMClassifier(), {"num_leaves": 32, "learning_rate": 0.3, "n_estimators": 40}),
        (XGBClassifier(), {"max_leaves": 32, "learning_rate": 0.3, "n_estimators": 40}),
        (CatBoostClassifier(), {"depth": 5, "learning_rate": 0.3, "iterations": 40}),
        (CatBoostClassifier(n_estimators=7), {"depth": 5, "n_estimators": 40}),
        (HistGradientBoostingRegressor(), {"max_leaf_nodes": 32, "max_iter": 40}),
        (GradientBoostingClassifier(), {"max_leaf_nodes": 32, "max_depth": None}),
        (RandomForestClassifier(), {"max_leaf_nodes": 32, "n_estimators": 40}),
        (ExtraTreesRegressor(), {"max_leaf_nodes": 32, "n_estimators": 40}),
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
    assert str(Shape()) == "as given"


def test_scores_of_forests_are_means():
    assert library_of(ExtraTreesRegressor()).means
    assert not library_of(LGBMClassifier()).means


def test_grids():
    assert {shape.rate for shape in library_of(RandomForestClassifier()).grid()} == {None}
    grid = library_of(LGBMClassifier()).grid()
    assert len({shape.n_leaves for shape in grid}) * 3 == len(grid)
    assert all(shape.n_rounds < shape.longest for shape in grid)


def test_longer_has_an_end():
    shape = SHAPE
    for _ in range(20):
        shape = shape.longer(2.5)
    assert shape.n_rounds == shape.longest == 333
    assert str(SHAPE) == "32 leaves, rate 0.3, 40 rounds"
    assert str(Shape(8, None, 60)) == "8 leaves, 60 rounds"
