"""One factor turns scores into probabilities and never changes the winner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from mddag.calibration import Calibration, fit_factor, probabilities, smoothed


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("factor", [0.3, 1.0, 5.0])
def test_the_factor_that_made_the_labels_is_found(n_classes, factor):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(40_000, 1 if n_classes == 2 else n_classes))
    p = probabilities(scores, factor)
    labels = (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1)
    assert fit_factor(scores, labels, np.ones(len(p))) == pytest.approx(factor, rel=0.05)


def test_masses_are_repetitions():
    rng = np.random.default_rng(1)
    scores, labels, mass = rng.normal(size=(50, 3)), rng.integers(0, 3, 50), rng.integers(1, 4, 50)
    alone = fit_factor(scores, labels, mass.astype(float))
    again = fit_factor(scores.repeat(mass, axis=0), labels.repeat(mass), np.ones(mass.sum()))
    assert alone == pytest.approx(again, rel=1e-9)


def test_perfect_scores_stay_short_of_certainty():
    scores = np.array([[-3.0], [-1.0], [2.0], [3.0]])
    factor = fit_factor(scores, np.array([0, 0, 1, 1]), np.ones(4))
    assert 0.5 < probabilities(scores, factor)[2, 1] < 0.99


def test_scores_that_mislead_become_unsure_and_none_give_one():
    scores, labels = np.array([[-1.0], [1.0]]), np.array([1, 0])
    factor = fit_factor(scores, labels, np.ones(2))
    assert factor > 0
    assert_allclose(probabilities(scores, factor), 0.5, atol=1e-3)
    assert fit_factor(np.zeros((2, 1)), labels, np.ones(2)) == 1.0


def test_smoothed_labels_are_platts_for_two_classes():
    labels = np.array([0, 0, 0, 1])
    assert_allclose(smoothed(labels, 2, np.ones(4)), [[4 / 5, 1 / 5]] * 3 + [[1 / 3, 2 / 3]])


@settings(deadline=None, max_examples=60)
@given(
    arrays(float, (6, 3), elements=st.floats(-50, 50)),
    st.floats(1e-3, 1e3),
)
def test_probabilities_sum_to_one_and_keep_the_order(scores, factor):
    p = probabilities(scores, factor)
    assert_allclose(p.sum(axis=1), 1)
    assert (np.diff(np.take_along_axis(p, scores.argsort(axis=1), axis=1)) >= -1e-15).all()
    two = probabilities(scores[:, :1], factor)
    assert ((two[:, 1] >= 0.5) == (scores[:, 0] >= 0))[np.abs(scores[:, 0]) > 1e-9].all()


def test_the_winner_has_the_largest_probability_however_close_the_scores():
    tiny = np.array([[5e-324], [-1e-18], [1e-18], [0.0]])
    np.testing.assert_array_equal(probabilities(tiny, 0.1).argmax(axis=1), [1, 0, 1, 0])
    close = np.array([[1.0, 1.0 + 2.3e-16, 0.0], [1.0, 1.0, 1.0 - 1.2e-16]])
    p = probabilities(close, 1e-3)
    np.testing.assert_array_equal(p.argmax(axis=1), close.argmax(axis=1))
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_each_group_of_exits_has_its_own_factor():
    calibration = Calibration(np.array([0, 0, 1]), np.array([1.0, 3.0]), np.array([0.0, 0.5]))
    scores = np.array([[1.0], [1.0], [1.0]])
    assert calibration.calibrated(scores, np.array([0, 1, 2])).ravel().tolist() == [1, 1, 3.5]
    assert Calibration.one_group(2.0, 4).groups.tolist() == [0] * 5
