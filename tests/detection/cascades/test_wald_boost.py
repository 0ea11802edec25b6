import numpy as np
import pytest

from mddag import AdaBoostMHClassifier, DoubtfulResult
from mddag.detection.cascades import WaldBoostClassifier
from mddag.detection.cascades.wald_boost import (
    BINS,
    FEWEST,
    NORMAL_RULE,
    Surviving,
    wald_boost,
    wald_reject,
    wald_rejects,
)
from tests.detection.cascades.rows import material, two_classes
from tests.reference import cascades as reference


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


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("miss", [0.02, 0.2, 0.6])
def test_equals_sums_of_gaussians(seed, miss):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.normal(1, 1, 80), rng.normal(-1, 1, 120)
    found = wald_reject(positives, negatives, (1 / 100, 1 / 300), miss, 0.5)
    width = 0.5 * NORMAL_RULE * positives.std() * 80**-0.2
    low, high = min(negatives.min(), positives.min()), positives.max()
    grid = np.linspace(low - 3 * width, high, 400)
    wanted = reference.wald_reject(positives, negatives, (1 / 100, 1 / 300), miss, width, grid)
    assert found == pytest.approx(wanted, abs=3 * (high - low) / BINS + 0.1 * width)


def test_a_larger_miss_rate_rejects_more():
    rng = np.random.default_rng(0)
    rows = rng.normal(1, 1, 500), rng.normal(-1, 1, 500)
    found = [wald_reject(*rows, (1 / 500, 1 / 500), miss, 0.5) for miss in (0.01, 0.1, 0.5)]
    assert found == sorted(found)
    assert [np.mean(rows[0] <= r) < miss for r, miss in zip(found, (0.01, 0.1, 0.5), strict=True)]


def test_a_class_without_rows_has_no_threshold():
    some = np.array([0.0, 1.0])
    assert wald_reject(some, some[:0], (1.0, 1.0), 0.1, 0.5) == -np.inf
    assert wald_reject(some[:0], some, (1.0, 1.0), 0.1, 0.5) == -np.inf


def test_equal_scores_of_both_classes_are_not_told_apart():
    assert wald_reject(np.zeros(10), np.zeros(10), (0.1, 0.1), 0.1, 0.5) < 0


def test_thresholds_are_those_of_the_rows_that_survive():
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 150
    votes = 0.5 * rng.choice([-1.0, 1.0], (400, 12)) + 0.3 * positive[:, None]
    rejects = wald_rejects(votes, positive, miss=0.2, smoothing=0.5)
    first = wald_rejects(votes[:, :6], positive, miss=0.2, smoothing=0.5)
    np.testing.assert_array_equal(rejects[:6], first)
    assert np.isfinite(rejects).any()


def test_rows_that_replace_others_stand_for_as_much():
    positive = np.array([True, True, False, False])
    tested = Surviving.of(np.array([1.0, 2.0, 0.5, 3.0]), positive)
    tested.reject(0.7)
    assert tested.n_left.tolist() == [1, 2]
    assert tested.survived == (0.5, 1.0)
    refilled = Surviving.of(np.zeros(6), np.arange(6) < 2, tested.survived)
    assert refilled.share == (0.125, 0.5)
