"""scikit-learn's GradientBoosting as Ensembles."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

from mddag import as_ensemble


@pytest.mark.parametrize(
    "options", [{}, {"loss": "exponential"}, {"init": "zero"}, {"max_leaf_nodes": 7}]
)
def test_two_classes(check, two, options) -> None:
    X, y = two
    model = GradientBoostingClassifier(n_estimators=12, **options).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (12, 1)
    assert not ensemble.features.missing


def test_three_classes(check, three) -> None:
    X, y = three
    model = GradientBoostingClassifier(n_estimators=12).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees, ensemble.n_scores) == (12, 36, 3)


def test_regressor_stopped_early(check, two) -> None:
    X, _ = two
    model = GradientBoostingRegressor(n_estimators=300, n_iter_no_change=2, learning_rate=0.5)
    model.fit(X, X[:, 0] * X[:, 1])
    ensemble = check(model, X)
    assert ensemble.kind == "regressor"
    assert len(ensemble) == model.n_estimators_ < 300


def test_the_start_is_the_bias(two) -> None:
    X, _ = two
    y = X[:, 0] > 1.5
    ensemble = as_ensemble(GradientBoostingClassifier(n_estimators=3).fit(X, y))
    np.testing.assert_allclose(ensemble.bias, np.log(y.mean() / (1 - y.mean())), rtol=1e-6)


def test_names_are_checked(check, two) -> None:
    X, y = two
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = GradientBoostingRegressor(n_estimators=3).fit(frame, y)
    ensemble = check(model, frame)
    with pytest.raises(ValueError, match="another order"):
        ensemble.scores(frame[list("bacdefgh")])


def test_a_start_that_depends_on_x_is_refused(two) -> None:
    model = GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()).fit(*two)
    with pytest.raises(ValueError, match=r"starts from init=LogisticRegression\(\)"):
        as_ensemble(model)
