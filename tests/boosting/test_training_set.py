"""Rows that fit takes, and rows that it refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from mddag import AdaBoostMHClassifier
from mddag.boosting.training_set import (
    TrainingSet,
    among,
    on_used_columns,
)
from mddag.detection.haar import haar_features
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.patches import PatchFeatures

X = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 4.0], [3.0, 1.0], [4.0, 5.0], [5.0, 9.0]])
y = np.array([0, 0, 1, 0, 1, 1])


def fit(X=X, y=y, sample_weight=None, **settings):
    return AdaBoostMHClassifier(n_rounds=5, **settings).fit(X, y, sample_weight)


def frames():
    colours = ["red", "green", None, "red", "blue", "blue"]
    size = [1.0, 2.0, 3.0, 4.0, None, 6.0]
    enum = pl.Enum(["blue", "green", "red"])
    return {
        "pandas": pd.DataFrame({"colour": pd.Categorical(colours), "size": size}),
        "polars Categorical": pl.DataFrame(
            {"colour": pl.Series(colours, dtype=pl.Categorical), "size": size}
        ),
        "polars Enum": pl.DataFrame({"colour": pl.Series(colours, dtype=enum), "size": size}),
    }


@pytest.mark.parametrize("library", frames())
def test_frames_bring_names_categories_and_missing_values(library):
    frame = frames()[library]
    model = fit(frame)
    assert model.feature_names_in_.tolist() == ["colour", "size"]
    assert model.ensemble_.features == Features(
        2, ("colour", "size"), {0: ("blue", "green", "red")}
    )
    codes = np.array([2, 1, np.nan, 2, 0, 0])
    rows = np.column_stack([codes, [1, 2, 3, 4, np.nan, 6]])
    as_array = fit(rows, categorical_features=[0])
    assert_array_equal(model.scores(frame), as_array.scores(rows))
    with pytest.warns(UserWarning, match="valid feature names"):
        assert_array_equal(model.scores(rows), as_array.scores(rows))


def test_columns_of_strings_can_be_named_nominal():
    frame = pd.DataFrame({"s": ["b", "a", "c", "b", "c", None], "x": X[:, 0]})
    model = fit(frame, categorical_features=["s"])
    assert model.ensemble_.features.categories == {0: ("a", "b", "c")}
    assert model.predict(frame).shape == (6,)
    with pytest.raises(ValueError, match=r"column 's' has dtype .*; mddag reads numbers"):
        fit(frame)


def test_nominal_columns_by_number_name_and_mask():
    frame = pd.DataFrame(np.round(X), columns=["a", "b"])
    by_number = fit(frame, categorical_features=[1]).ensemble_
    assert list(by_number.features.categories) == [1]
    for wanted in (["b"], [False, True], np.array([1])):
        assert fit(frame, categorical_features=wanted).ensemble_.features == by_number.features
    assert not fit(frame, categorical_features=None).ensemble_.features.categories


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.zeros(6)}, "y has one class only, 0.0.*at least two classes"),
        ({"sample_weight": 1.0 - y}, "one class only, 0, among the rows of positive weight"),
        ({"y": np.array([0, 1, np.nan, 0, 1, 1])}, "Input y contains NaN"),
        ({"y": np.array(["a", "b", None, "a", "b", "a"], object)}, r"y contains None \(row 2\)"),
        ({"y": np.linspace(0, 1, 6)}, "Unknown label type: continuous"),
        ({"y": y[:5]}, "inconsistent numbers of samples"),
        ({"sample_weight": [1, 1, -1, 1, 1, 1]}, "(?i)negative"),
        ({"sample_weight": np.zeros(6)}, "(?i)zero"),
        ({"sample_weight": [1, np.nan, 1, 1, 1, 1]}, "NaN"),
        ({"X": np.where(X == 9, np.inf, X)}, "infinity"),
        ({"X": X[:, :0]}, "0 feature"),
        ({"X": X - 1, "categorical_features": [0]}, "nominal column 0 contains -1.0"),
        ({"categorical_features": ["a"]}, "names column 'a'; X has no column names"),
        (
            {"X": pd.DataFrame(X, columns=["a", "b"]), "categorical_features": ["c"]},
            "names column 'c'; X has the columns a, b",
        ),
        ({"categorical_features": [2]}, r"contains 2; wanted 'auto', .* column numbers in 0..1"),
        ({"categorical_features": [0.5]}, "contains 0.5"),
        ({"categorical_features": [True]}, "contains True"),
        ({"class_weight": "even"}, "class_weight is 'even'; wanted None, 'balanced' or a dict"),
        ({"class_weight": {1: 0.0}}, r"class_weight\[1\] is 0.0; wanted a number above 0"),
        ({"class_weight": {"z": 1.0}}, r"not classes, \['z'\], and lacks the classes \[0, 1\]"),
    ],
)
def test_bad_rows_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        fit(**change)


def test_as_many_classes_as_rows():
    model = fit(y=np.arange(6))
    assert model.classes_.tolist() == list(range(6))
    assert model.predict_proba(X).shape == (6, 6)


def test_a_share_of_every_class_is_held_out():
    labels = np.repeat([0, 1, 2], [50, 20, 1])
    rows = TrainingSet(
        np.arange(71.0)[:, None], labels, np.ones(71), np.arange(3), Features(1), np.zeros(1, bool)
    )
    rest, held = rows.held_out(0.2, "fraction", np.random.default_rng(0))
    assert np.bincount(held.labels, minlength=3).tolist() == [10, 4, 0]
    assert sorted(np.concatenate([rest.rows, held.rows]).ravel()) == list(range(71))


def test_fractions_that_hold_out_nothing_are_refused():
    with pytest.raises(ValueError, match=r"validation_fraction is 0.1, which holds out none of 6"):
        fit(early_stopping=3)
    with pytest.raises(ValueError, match=r"calibration_fraction is 0.01, which holds out none"):
        fit(calibration_fraction=0.01)


def test_a_dict_names_classes_and_leaves_the_others_at_one():
    noisy = np.array([0, 1, 0, 0, 1, 0])
    given = ({0: 1, 1: 2.5}, {1: 2.5}, {0: 1, 1: 2.5, 9: 7}, None)
    scores = [fit(y=noisy, class_weight=weight).scores(X) for weight in given]
    assert_array_equal(scores[0], scores[1])
    assert_array_equal(scores[0], scores[2])
    assert (scores[0] != scores[3]).any()


def test_weights_that_sum_to_nothing_are_refused():
    X, y = np.arange(8.0)[:, None], [0, 1] * 4
    with pytest.raises(ValueError, match=r"sums to 8e-06; a weight of 1 stands for one row"):
        AdaBoostMHClassifier(n_rounds=2).fit(X, y, sample_weight=np.full(8, 1e-6))


ALL = PatchFeatures.of((4, 4), haar_features((4, 4)))


def stump(column):
    tree = TreeBuilder()
    left, right = tree.leaf(np.array([-1.0])), tree.leaf(np.array([1.0]))
    return tree.finish(tree.split(column, 0.25, left, right, True))


def constant():
    tree = TreeBuilder()
    return tree.finish(tree.leaf(np.array([1.0])))


def read(trees):
    return [nodes.records["feature"].tolist() for nodes in trees]


def test_columns_that_are_not_read_are_left_out():
    trees, features = on_used_columns([stump(40), constant(), stump(7), stump(40)], ALL)
    assert read(trees) == [[1, -1, -1], [-1], [0, -1, -1], [1, -1, -1]]
    np.testing.assert_array_equal(features.rectangles, ALL.rectangles[[7, 40]])


def test_the_numbers_come_back():
    given = [stump(40), constant(), stump(7)]
    trees, features = on_used_columns(given, ALL)
    ensemble = Ensemble.from_trees(trees, features=features)
    assert read(among(ALL, ensemble)) == read(given)
    with pytest.raises(ValueError, match="not among those of the learner"):
        among(ALL.taken(np.arange(20)), ensemble)
