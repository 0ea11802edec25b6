import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.frozen import FrozenEstimator

import mddag
from mddag.estimators.fitted_model import fitted_model, is_fitted

X, y = load_breast_cancer(return_X_y=True)


def source(model, held_out=0.3):
    return fitted_model(model, "classifier", X, y, held_out, np.random.RandomState(0))


def test_a_fitted_model_is_used_as_it_is_on_every_row():
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X[:300], y[:300])
    for given in (model, FrozenEstimator(model), mddag.as_ensemble(model)):
        found = source(given)
        assert found.rows.tolist() == list(range(len(y)))
        np.testing.assert_allclose(
            found.ensemble.scores(X)[:, 0], model.decision_function(X), atol=1e-12
        )


def test_an_unfitted_model_never_sees_the_policy_rows():
    seen = []

    class Watched(GradientBoostingClassifier):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    found = source(Watched(n_estimators=5))
    assert len(found.rows) == pytest.approx(0.3 * len(y), abs=2)
    assert len(seen[0]) == len(y) - len(found.rows)
    assert not {r.tobytes() for r in X[found.rows]} & {r.tobytes() for r in seen[0]}
    assert source(Watched(n_estimators=5), held_out=0.0).rows.tolist() == list(range(len(y)))


def test_the_model_given_is_not_touched():
    model = GradientBoostingClassifier(n_estimators=5)
    source(model)
    assert not is_fitted(model)


def test_a_regressor_is_refused():
    rows, target = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=2).fit(rows, target)
    with pytest.raises(ValueError, match="that of a regressor; a classifier is wanted here"):
        source(model)


def test_a_model_that_is_fitted_here_gets_the_weights_of_its_rows():
    seen = []

    class Watched(GradientBoostingClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((X, sample_weight))
            return super().fit(X, y, sample_weight)

    weight = np.arange(1.0, len(y) + 1)
    random = np.random.RandomState(0)
    found = fitted_model(Watched(n_estimators=2), "classifier", X, y, 0.3, random, weight)
    rest = np.setdiff1d(np.arange(len(y)), found.rows)
    np.testing.assert_array_equal(seen[0][1], weight[rest])


def test_a_model_that_knows_no_weights_is_refused():
    class Plain(GradientBoostingClassifier):
        def fit(self, X, y):
            return super().fit(X, y)

    random, weight = np.random.RandomState(0), np.ones(len(y))
    with pytest.raises(ValueError, match=r"sample_weight is given, but Plain.fit, which is to"):
        fitted_model(Plain(), "classifier", X, y, 0.3, random, weight)
    fitted = Plain(n_estimators=2).fit(X, y)  # it is not trained here
    assert len(fitted_model(fitted, "classifier", X, y, 0.3, random, weight).rows) == len(y)
