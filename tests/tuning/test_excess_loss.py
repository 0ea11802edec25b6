import numpy as np
import pytest

from mddag import Ensemble
from mddag.tuning.excess_loss import ExcessLoss


def left(scores, exits=None):
    """Scores and exit steps."""
    steps = np.zeros(len(scores), np.int32) if exits is None else np.asarray(exits, np.int32)
    return np.asarray(scores, float)[:, None], steps


def voter(**settings):
    return Ensemble.from_callables([lambda X: X[:, 0]], n_features=1, **settings)


def test_labels_and_errors():
    full, truth = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    run = left([1.0, 1.0, 1.0, -1.0])  # labels 1, 1, 1, 0
    rows = np.arange(4)
    share = ExcessLoss(voter(classes=[0, 1]), "share", truth, full, rows)(*run)
    assert share.tolist() == [1, 1, 0, 1]
    difference = ExcessLoss(voter(classes=[0, 1]), "difference", truth, full, rows)(*run)
    assert difference.tolist() == [1, -1, 0, -1]
    assert difference.mean() == np.mean(truth != [1, 1, 1, 0]) - np.mean(full != truth)


def test_numbers_are_calibrated_on_the_rows_that_may_be_seen():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=4000)
    full = truth + 0.1 * rng.normal(size=4000)
    run = left(truth / 2)  # an early exit, half as far from the mean as it should be
    seen = np.arange(2000)
    excess = ExcessLoss(voter(kind="regressor"), "mean", truth, full, seen)(*run)
    lost = 1 - np.var(truth - full) / np.var(truth)
    assert excess.mean() == pytest.approx((lost - 1) - 0, abs=0.01)
    few = ExcessLoss(voter(kind="regressor"), "mean", truth, full, seen[:5])(*run)
    assert few.mean() == pytest.approx(0.25 - 0.01, abs=0.02)


def test_the_full_ensemble_does_no_harm():
    truth = np.random.default_rng(0).normal(size=500)
    run = left(truth + 1, exits=np.ones(500))
    excess = ExcessLoss(voter(kind="regressor"), "mean", truth, truth + 1, np.arange(500))(*run)
    assert excess.tolist() == [0.0] * 500
    constant = ExcessLoss(
        voter(kind="regressor"), "mean", np.ones(500), np.ones(500), np.arange(500)
    )
    assert np.isfinite(constant(*run)).all()


def test_weights_calibrate_and_set_the_unit():
    """A row of weight 2 is two rows, in lines through exits and in the variance of y."""
    rng = np.random.default_rng(0)
    truth, weight = rng.normal(size=600), np.repeat([1.0, 3.0], 300)
    full, run = truth + 0.1, left(truth / 2 + 0.1 * rng.normal(size=600))
    twice = np.repeat(np.arange(600), np.repeat([1, 3], 300))
    excess = ExcessLoss(voter(kind="regressor"), "mean", truth, full, np.arange(600), weight)(*run)
    copies = ExcessLoss(voter(kind="regressor"), "mean", truth[twice], full[twice], np.arange(1200))
    copied = copies(run[0][twice], run[1][twice])
    assert np.average(excess, weights=weight) == pytest.approx(copied.mean(), abs=0.01)
    plain = ExcessLoss(voter(kind="regressor"), "mean", truth, full, np.arange(600))(*run)
    scaled = ExcessLoss(
        voter(kind="regressor"), "mean", truth, full, np.arange(600), np.full(600, 8.0)
    )(*run)
    np.testing.assert_allclose(scaled, plain)
