"""Factors turn scores into probabilities and never change the winner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from mddag.calibration.calibration import Calibration, probabilities
from tests.reference import probabilities as twin


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


@settings(deadline=None, max_examples=200)
@given(
    st.integers(1, 12).flatmap(
        lambda K: arrays(float, (5, K), elements=st.floats(-800, 800) | st.floats(-1e-15, 1e-15))
    ),
    arrays(float, 5, elements=st.floats(1e-3, 1e3)),
)
def test_the_kernel_equals_its_twin(scores, factors):
    wanted = [twin.probabilities(f, a) for f, a in zip(scores.tolist(), factors, strict=True)]
    np.testing.assert_array_equal(probabilities(scores, factors), wanted)
    np.testing.assert_array_equal(probabilities(scores[:1], factors[0]), wanted[:1])
    np.testing.assert_array_equal(probabilities(scores, factors[:, None]), wanted)
    strided = np.asfortranarray(scores)
    np.testing.assert_array_equal(probabilities(strided, factors), wanted)


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


@pytest.mark.parametrize(
    ("groups", "factors", "offsets", "message"),
    [
        ([0, 2], [1.0, 1.0], [0.0, 0.0], r"exit step 1 is in group 2; groups are numbered 0\.\.1"),
        ([-1], [1.0], [0.0], "exit step 0 is in group -1"),
        ([0.0], [1.0], [0.0], r"groups are float64 \(1,\); wanted the number of a group"),
        ([[0]], [1.0], [0.0], r"groups are int64 \(1, 1\)"),
        ([0], [1.0], [0.0, 0.0], r"have shapes \(1,\) and \(2,\); wanted one of each"),
        ([0], [0.0], [0.0], "factors hold others than positive numbers"),
        ([0], [np.inf], [0.0], "factors hold others than positive numbers"),
        ([0], [1.0], [np.nan], "offsets others than finite ones"),
    ],
)
def test_numbers_that_calibrate_nothing_are_refused(groups, factors, offsets, message):
    with pytest.raises(ValueError, match=message):
        Calibration(groups, factors, offsets)


def test_probabilities_are_those_of_the_exit():
    calibration = Calibration(np.array([0, 0, 1]), np.array([1.0, 3.0]), np.zeros(2))
    scores = np.array([[1.0], [1.0], [-2.0]])
    p = calibration.probabilities(scores, np.array([0, 2, 2]))
    assert_allclose(p[:, 1], 1 / (1 + np.exp(-np.array([1.0, 3.0, -6.0]))))


def test_sure_scores_are_sure_without_a_warning():
    p = probabilities(np.array([[-1e4], [1e4]]), 1.0)
    assert_allclose(p, [[1, 0], [0, 1]])
    assert_allclose(probabilities(np.array([[-1e4, 0, 1e4]]), 1.0), [[0, 0, 1]])
    assert_allclose(probabilities(np.array([[-1e308], [1e308]]), 1e3), [[1, 0], [0, 1]])
    assert_allclose(probabilities(np.array([[-1e308, 1e308, 1e308]]), 1e3), [[0, 0.5, 0.5]])
