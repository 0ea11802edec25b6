"""Fitted estimators leave Python: files and headers."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag.solvers import Sarsa


def test_a_fitted_estimator_is_saved_with_what_was_measured(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = MDDAGClassifier(AdaBoostMHClassifier(n_rounds=5), solver=Sarsa(n_episodes=5000))
    model.set_params(beta=0, n_threads=2).fit(X, X[:, 0] > 0)
    model.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    assert loaded.model.beta == 0.0
    assert loaded.model.evaluation == model.evaluation_
    assert loaded.classes_.dtype == bool
    assert model.predictor().n_threads == 2
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_there_is_nothing_to_save_before_fit(tmp_path):
    with pytest.raises(NotFittedError):
        MDDAGClassifier().save(tmp_path / "model.mddag")
    with pytest.raises(NotFittedError):
        MDDAGClassifier().predictor()


def test_a_fitted_estimator_is_exported(tmp_path):
    X = np.random.default_rng(0).normal(size=(100, 3))
    model = MDDAGClassifier(AdaBoostMHClassifier(n_rounds=5), solver=Sarsa(n_episodes=5000))
    model.fit(X, X[:, 0] > 0).export(tmp_path / "net.h", name="net")
    mddag.export(model, tmp_path / "again.h", name="net")
    assert "static inline int net_predict(const net_value *x)" in (tmp_path / "net.h").read_text()
    assert (tmp_path / "net.h").read_bytes() == (tmp_path / "again.h").read_bytes()
