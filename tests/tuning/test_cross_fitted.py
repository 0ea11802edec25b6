"""Training rows as further rows for the policy."""

import numpy as np
import pytest
from sklearn.base import clone

import mddag
from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.tuning import cross_fitted
from mddag.tuning.cross_fitted import FOLDS, further_rows, stratified_folds
from mddag.tuning.given_rows import GivenRows
from mddag.tuning.set_models import SetModels
from mddag.tuning.set_rows import SetRows
from tests.tuning.costly import model, rows

EYE = np.eye(5, dtype=bool)


def prepared(of=None, n_classes=2, **other):
    """Given rows, models of two sets and the full one, and the policy rows in them."""
    X, y = rows(n_classes)
    of = of or model(n_classes)
    parts = {"X": X[500:1100], "y": y[500:1100], "X_train": X[:500], "y_train": y[:500]} | other
    ensemble = mddag.as_ensemble(of)
    given = GivenRows(of, ensemble, **parts, random=np.random.RandomState(0))
    prices = FeaturePrices.of(ensemble.features, np.array([1.0, 1, 5, 5, 1]))
    sets = FeatureSets.of(prices, [EYE[0], EYE[0] | EYE[2], np.ones(5, bool)])
    models = SetModels.trained(of, ensemble, sets, given.train, given.train_labels, 0)
    scores = models.scores(given.rows, ensemble.bias)
    return given, models, SetRows(models.sets, scores, given.labels)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_models_that_have_not_seen_the_row(n_classes):
    given, models, seen = prepared(n_classes=n_classes)
    found = further_rows(given, models, seen, seed=0)
    X, y = (part[:500] for part in rows(n_classes))
    fold = stratified_folds(y, FOLDS, 0)
    for s in range(1, len(models)):
        columns = models.sets.columns(s) if s < len(models) - 1 else np.arange(5)
        for f in range(FOLDS):
            like = clone(model(n_classes)).fit(X[fold != f][:, columns], y[fold != f])
            scores = mddag.as_ensemble(like).scores(X[fold == f][:, columns])
            np.testing.assert_allclose(found.scores[fold == f, s], scores)
    assert (found.scores[:, 0] == given.ensemble.bias).all()
    assert found.labels.tolist() == y.tolist()


def test_the_given_model_scores_rows_that_it_has_not_seen():
    given, models, seen = prepared(X_train=None, y_train=None)
    found = further_rows(given, models, seen, seed=0)
    np.testing.assert_array_equal(found.scores[:, -1], given.ensemble.scores(given.train_rows))
    assert len(found) + len(seen) == 600


def test_without_labels_there_are_none():
    assert further_rows(*prepared(y=None), seed=0) is None
    assert further_rows(*prepared(y_train=None), seed=0) is None


def test_enough_rows_need_no_more(monkeypatch):
    monkeypatch.setattr(cross_fitted, "ENOUGH", 600)
    assert further_rows(*prepared(), seed=0) is None


def test_no_more_folds_are_scored_than_are_needed(monkeypatch):
    monkeypatch.setattr(cross_fitted, "ENOUGH", 600 + 130)
    found = further_rows(*prepared(), seed=0)
    fold = stratified_folds(rows()[1][:500], FOLDS, 0)
    assert len(found) == np.sum(fold < 2)  # 125 rows each
    assert found.labels.tolist() == rows()[1][:500][fold < 2].tolist()


def test_a_class_of_few_rows():
    y = rows()[1][:500].copy()
    y[:] = 0
    y[: FOLDS - 1] = 1
    assert further_rows(*prepared(y_train=y), seed=0) is None


def test_clones_that_err_otherwise_are_left_out():
    given, models, seen = prepared()
    assert further_rows(given, models, seen, seed=0) is not None
    seen.scores[:, -1, 0] = np.where(np.arange(len(seen)) % 2, 1.0, -1.0)  # it guesses
    assert further_rows(given, models, seen, seed=0) is None


def test_every_class_is_in_every_fold():
    labels = np.repeat([0, 1, 2], [40, 8, 5])
    fold = stratified_folds(labels, 4, seed=3)
    counts = np.array([np.bincount(labels[fold == f], minlength=3) for f in range(4)])
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert (counts > 0).all()
