"""scikit-learn's HistGradientBoosting as Ensembles."""

import numpy as np
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
