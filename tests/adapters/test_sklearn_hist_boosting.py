"""scikit-learn's HistGradientBoosting as Ensembles."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from mddag import as_ensemble


def test_two_classes(check, two_missing) -> None:
    X, y = two_missing
    model = HistGradientBoostingClassifier(max_iter=12).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (12, 1)
    assert ensemble.features.missing


def test_three_classes(check, three) -> None:
    X, y = three
    model = HistGradientBoostingClassifier(max_iter=12).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees, ensemble.n_scores) == (12, 36, 3)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma", "absolute_error"])
def test_regressor(check, two_missing, loss: str) -> None:
    X, _ = two_missing
    model = HistGradientBoostingRegressor(max_iter=12, loss=loss)
    ensemble = check(model.fit(X, 0.1 + np.abs(np.nan_to_num(X[:, 0]))), X)
    assert ensemble.kind == "regressor"


def test_early_stopping(check, two) -> None:
    X, y = two
    model = HistGradientBoostingClassifier(
        max_iter=300, early_stopping=True, n_iter_no_change=2, learning_rate=0.5
    ).fit(X, y)
    assert len(check(model, X, model.predict(X))) == model.n_iter_ < 300


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
