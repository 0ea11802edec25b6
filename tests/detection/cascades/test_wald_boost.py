import numpy as np
import pytest

from mddag import AdaBoostMHClassifier, DoubtfulResult
from mddag.detection.cascades import WaldBoostClassifier
from mddag.detection.cascades.wald_boost import FEWEST, wald_boost
from tests.detection.cascades.rows import material, two_classes


def test_no_more_positives_are_lost_than_may_be():
    X, y = two_classes(4000)
    model = WaldBoostClassifier(n_rounds=40, miss_rate=0.1, random_state=0).fit(X, y)
    rejected = model.n_evaluated(X) < len(model.ensemble_)
    assert 0 < rejected[y == 1].mean() < 0.1
    assert rejected[y == 0].mean() > 10 * rejected[y == 1].mean()


def test_a_given_ensemble_keeps_its_base_classifiers():
    X, y = two_classes(1500)
    boost = AdaBoostMHClassifier(n_rounds=20).fit(X[:700], y[:700])
    model = WaldBoostClassifier(ensemble=boost, miss_rate=0.1).fit(X[700:], y[700:])
    assert model.ensemble_ is boost.ensemble_
    assert model.chain_.order.tolist() == list(range(model.chain_.n_stages))
    again = WaldBoostClassifier(ensemble=boost, miss_rate=0.1, n_rounds=5).fit(X[700:], y[700:])
    np.testing.assert_array_equal(again.chain_.rejects[:4], model.chain_.rejects[:4])


def test_the_last_rows_of_a_class_are_boosted_on_to_the_end():
    rows = material()
    steps = wald_boost(rows, n_rounds=30, miss=0.9, smoothing=0.5)
    assert len(steps.trees) == 30
    score = np.cumsum([rows.aside.votes(nodes) for nodes in steps.trees], axis=0).T
    left = (score > steps.chain.rejects).all(axis=1)
    assert np.count_nonzero(left & ~rows.aside.positive) >= FEWEST


def test_negatives_are_refilled_from_a_function():
    X, y = two_classes(800)
    asked = []

    def more(n):
        asked.append(n)
        return np.random.default_rng(len(asked)).normal(size=(n, 10))

    model = WaldBoostClassifier(n_rounds=15, miss_rate=0.3, random_state=0)
    model.fit(X, y, negatives=more)
    assert asked
    assert len(model.ensemble_) == 15


def test_a_pool_that_runs_out_ends_the_cascade_with_a_warning():
    X, y = two_classes(400)
    pool = np.random.default_rng(0).normal(size=(30, 10))
    model = WaldBoostClassifier(n_rounds=100, miss_rate=0.9, random_state=0)
    with pytest.warns(DoubtfulResult, match="too few of the negatives given pass the first"):
        model.fit(X, y, negatives=pool)
    assert model.stopped_by_ == "negatives"
    assert 0 < len(model.ensemble_) < 100
    assert model.predict(X).shape == y.shape


def test_perfect_rows_end_early():
    X = np.repeat([[0.0], [1.0]], 60, axis=0)
    model = WaldBoostClassifier(random_state=0).fit(X, np.repeat([0, 1], 60))
    assert model.stopped_by_ == "perfect"
    assert len(model.ensemble_) == 1
