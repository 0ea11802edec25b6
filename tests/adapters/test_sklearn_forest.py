"""scikit-learn's forests as Ensembles."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from mddag import as_ensemble

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]


@pytest.mark.parametrize("forest", CLASSIFIERS)
@pytest.mark.parametrize("options", [{}, {"max_depth": 4}, {"max_leaf_nodes": 9}])
def test_two_classes(check, two_missing, forest, options) -> None:
    X, y = two_missing
    model = forest(12, random_state=0, **options).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (12, 1)
    assert ensemble.features.missing


@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_three_classes(check, three, forest) -> None:
    X, y = three
    model = forest(12, random_state=0, bootstrap=True).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees, ensemble.n_scores) == (12, 12, 3)
    np.testing.assert_allclose(ensemble.scores(X), model.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("forest", [RandomForestRegressor, ExtraTreesRegressor])
def test_regressor(check, two, forest) -> None:
    X, _ = two
    ensemble = check(forest(12, random_state=0).fit(X, 1e5 * X[:, 0]), X)
    assert ensemble.kind == "regressor"


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
