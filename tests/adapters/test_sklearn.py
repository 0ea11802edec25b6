"""scikit-learn's ensembles of trees as Ensembles."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mddag import as_ensemble


def test_the_start_is_the_bias(two) -> None:
    X, _ = two
    y = X[:, 0] > 1.5
    ensemble = as_ensemble(GradientBoostingClassifier(n_estimators=3).fit(X, y))
    np.testing.assert_allclose(ensemble.bias, np.log(y.mean() / (1 - y.mean())), rtol=1e-6)


def test_a_start_that_depends_on_x_is_refused(two) -> None:
    model = GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()).fit(*two)
    with pytest.raises(ValueError, match=r"starts from init=LogisticRegression\(\)"):
        as_ensemble(model)


def test_ties_stay_ties_in_any_order(check, two) -> None:
    X, _ = two
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    model = RandomForestClassifier(10, random_state=0).fit(X[:350], noise[:350])
    ensemble = check(model, X, model.predict(X))
    tied = model.predict_proba(X)[:, 0] == 0.5
    assert tied.sum() > 10
    assert (ensemble.scores(X)[tied] == 0).all()
    assert (ensemble.reordered(range(9, -1, -1)).scores(X) == ensemble.scores(X)).all()


def test_the_prior_sits_in_the_bias(two) -> None:
    X, _ = two
    y = X[:, 0] > 1.5
    ensemble = as_ensemble(RandomForestClassifier(12, random_state=0).fit(X, y))
    prior = 2 * y.mean() - 1
    votes = ensemble.votes(X).dense()
    assert abs(ensemble.bias[0] - prior) < 0.05
    assert abs((ensemble.scores(X) - votes[:, 0]).mean() - prior) < 0.05


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_several_targets_are_refused(two, forest) -> None:
    X, y = two
    with pytest.raises(ValueError, match="predicts 2 targets at once"):
        as_ensemble(forest(3).fit(X, np.c_[y, y]))


def test_other_base_learners_are_refused(two) -> None:
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(*two)
    with pytest.raises(ValueError, match=r"boosts LogisticRegression.*Ensemble\.from_callables"):
        as_ensemble(model)


def test_category_columns_of_a_frame(check, frame) -> None:
    X, y = frame
    model = HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=5).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    nominal = ensemble.nodes[ensemble.nodes["n_words"] > 0]
    assert set(nominal["feature"]) == {1, 4}
    unknown = X.assign(x1=X["x1"].cat.rename_categories({"low": "lower"}))
    check(model, unknown, model.predict(unknown))


def test_bools_are_categories_too(check, frame) -> None:
    X, y = frame
    X = X.assign(x1=pd.Categorical(X["x2"] > 0))
    model = HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=5).fit(X, y)
    check(model, X, model.predict(X))
    plain = X.assign(x1=X["x2"] > 0)
    check(model, plain, model.predict(plain))


def test_category_columns_of_another_type_are_refused(frame) -> None:
    """scikit-learn fails at codes with an error of numpy's."""
    X, y = frame
    model = HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=5).fit(X, y)
    codes = X.assign(x1=X["x1"].cat.codes)
    with pytest.raises(TypeError, match="isnan"):
        model.predict(codes)
    with pytest.raises(ValueError, match=r"column 'x1' holds numbers, .* on strings there, 'high'"):
        as_ensemble(model).scores(codes)


def test_nulls_of_polars_that_count_as_a_category_are_refused(frame) -> None:
    X, y = frame
    words = pl.Series([None if w != w else w for w in X["x1"]], dtype=pl.Categorical)
    X = pl.DataFrame({"x0": X["x0"].to_numpy(), "x1": words})
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="column 1 holds None, which counts as a category there"):
        as_ensemble(model)


def test_category_numbers(check, codes) -> None:
    X, y = codes
    model = HistGradientBoostingClassifier(
        max_iter=12, min_samples_leaf=5, categorical_features=[1, 4]
    ).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    nominal = ensemble.nodes[ensemble.nodes["n_words"] > 0]
    assert set(nominal["feature"]) == {1, 4}
    strange = X.copy()
    strange[:, 4] = np.resize([-1, -7, 44, 3, 1000, 2**24], len(X))
    check(model, strange, model.predict(strange))


def test_categories_that_are_not_whole_numbers_are_refused(codes) -> None:
    X, y = codes
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=[1]).fit(X - 0.5, y)
    with pytest.raises(ValueError, match=r"unsupported categorical encodings: column 1 .*-0\.5"):
        as_ensemble(model)


def trees(depth):
    return DecisionTreeClassifier(max_depth=depth, min_samples_leaf=2, random_state=0)


STOPPED = {"n_iter_no_change": 2, "learning_rate": 0.5}
CLASSIFIERS = [
    # model, whether it takes NaN
    (GradientBoostingClassifier(n_estimators=12), False),
    (GradientBoostingClassifier(n_estimators=12, loss="exponential"), False),
    (GradientBoostingClassifier(n_estimators=12, init="zero"), False),
    (GradientBoostingClassifier(n_estimators=12, max_leaf_nodes=7), False),
    *[
        (forest(12, random_state=0, **options), True)
        for forest in (RandomForestClassifier, ExtraTreesClassifier)
        for options in ({}, {"max_depth": 4}, {"max_leaf_nodes": 9}, {"bootstrap": True})
    ],
    *[(AdaBoostClassifier(trees(d), n_estimators=12, random_state=0), False) for d in (1, 3, None)],
    (HistGradientBoostingClassifier(max_iter=12), True),
    (HistGradientBoostingClassifier(max_iter=300, early_stopping=True, **STOPPED), True),
]


@pytest.mark.parametrize(("model", "missing"), CLASSIFIERS)
def test_two_classes(check, two, two_missing, model, missing) -> None:
    X, y = two_missing if missing else two
    model = clone(model).fit(X, np.where(y, "b", "a"))
    ensemble = check(model, X, model.predict(X))
    assert ensemble.n_scores == 1
    assert len(ensemble) == getattr(model, "n_iter_", len(getattr(model, "estimators_", ())))
    assert len(ensemble) <= 12 or len(ensemble) < 300
    assert ensemble.features.missing == missing


@pytest.mark.parametrize(
    ("model", "n_trees"),
    [
        (GradientBoostingClassifier(n_estimators=12), 36),
        (RandomForestClassifier(12, random_state=0), 12),
        (ExtraTreesClassifier(12, random_state=0, bootstrap=True), 12),
        (AdaBoostClassifier(trees(2), n_estimators=12, random_state=0), 12),
        (HistGradientBoostingClassifier(max_iter=12), 36),
    ],
)
def test_three_classes(check, three, model, n_trees) -> None:
    X, y = three
    model = clone(model).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees, ensemble.n_scores) == (12, n_trees, 3)


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingRegressor(n_estimators=300, **STOPPED),
        RandomForestRegressor(12, random_state=0),
        ExtraTreesRegressor(12, random_state=0),
        *[
            HistGradientBoostingRegressor(max_iter=12, loss=loss)
            for loss in ("squared_error", "poisson", "gamma", "absolute_error")
        ],
    ],
)
def test_regressors(check, two, model) -> None:
    X, _ = two
    ensemble = check(clone(model).fit(X, 0.1 + 1e3 * np.abs(X[:, 0])), X)
    assert ensemble.kind == "regressor"
    assert len(ensemble) < 300
