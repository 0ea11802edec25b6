"""Models of sets of groups."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag.ensemble.read_groups import read_groups
from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.tuning.set_models import SetModels
from tests.tuning.costly import model, rows

EYE = np.eye(5, dtype=bool)


def sets_of(ensemble):
    prices = FeaturePrices.of(ensemble.features, np.array([1.0, 1, 5, 5, 1]))
    return FeatureSets.of(prices, [EYE[0], EYE[0] | EYE[2], EYE[3], np.ones(5, bool)])


def test_models_are_clones_on_the_columns_of_their_sets():
    X, y = rows()
    ensemble = mddag.as_ensemble(model())
    models = SetModels.trained(model(), ensemble, sets_of(ensemble), X[:500], y[:500], 0)
    assert models.models[0] is None
    assert models.models[-1] is ensemble
    for s, found in enumerate(models.models[1:-1], 1):
        columns = models.sets.columns(s)
        like = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
        own = mddag.as_ensemble(like.fit(X[:500, columns], y[:500]))
        np.testing.assert_allclose(found.scores(X), own.scores(X[:, columns]))
        assert not read_groups(models.sets.prices, found)[:, ~models.sets.held[s]].any()
    scores = models.scores(ensemble.features.rows(X), ensemble.bias)
    assert scores.shape == (len(X), len(models), 1)
    assert (scores[:, 0] == ensemble.bias).all()


def test_other_classes_are_refused():
    X, y = rows()
    ensemble = mddag.as_ensemble(model())
    with pytest.raises(
        ValueError, match=r"rows to train on have the classes \[0, 7\], but the mod"
    ):
        SetModels.trained(model(), ensemble, sets_of(ensemble), X[:500], 7 * y[:500], 0)
