import numpy as np
import pytest
from lightgbm import LGBMClassifier

from mddag import AdaBoostMHClassifier
from mddag.detection.cascades import SoftCascadeClassifier, WaldBoostClassifier
from mddag.learners import Haar
from tests.detection.cascades.rows import blobs, two_classes

POOLED = [SoftCascadeClassifier, WaldBoostClassifier]


@pytest.mark.parametrize("cascade", POOLED)
def test_models_of_other_libraries_with_a_bias(cascade):
    X, y = two_classes(1600)
    pool = LGBMClassifier(n_estimators=30, num_leaves=4, verbose=-1).fit(X[:800], y[:800])
    model = cascade(ensemble=pool).fit(X[800:], y[800:])
    votes = model.ensemble_.votes(X).dense()[:, :, 0]
    left = model.chain_.left(votes, model.ensemble_.tables.reach())
    assert model.chain_.bias == model.ensemble_.bias[0] != 0
    np.testing.assert_array_equal(left.accepted, model.predict(X) == 1)
    np.testing.assert_array_equal(left.n_evaluated, model.n_evaluated(X))


@pytest.mark.parametrize("cascade", POOLED)
def test_patches(cascade):
    X, y = blobs(400)
    boost = AdaBoostMHClassifier(Haar(60, random_state=0), n_rounds=10).fit(X[:200], y[:200])
    model = cascade(ensemble=boost.ensemble_).fit(X[200:], y[200:])
    assert model.score(X, y) > 0.8
    assert model.n_features_in_ == 64
