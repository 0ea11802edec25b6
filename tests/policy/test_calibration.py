"""Factors turn scores into probabilities and never change the winner."""

import gc
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from mddag.policy.calibration import (
    LEAST,
    Calibration,
    class_calibration,
    exit_groups,
    fit_factor,
    fitted_probabilities,
    log_mean_calibration,
    mean_calibration,
    probabilities,
    smoothed,
)
from tests.reference import serving as twin


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


def test_sure_scores_are_sure_without_a_warning():
    p = probabilities(np.array([[-1e4], [1e4]]), 1.0)
    assert_allclose(p, [[1, 0], [0, 1]])
    assert_allclose(probabilities(np.array([[-1e4, 0, 1e4]]), 1.0), [[0, 0, 1]])
    assert_allclose(probabilities(np.array([[-1e308], [1e308]]), 1e3), [[1, 0], [0, 1]])
    assert_allclose(probabilities(np.array([[-1e308, 1e308, 1e308]]), 1e3), [[0, 0.5, 0.5]])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("factor", [0.3, 1.0, 5.0])
def test_the_factor_that_made_the_labels_is_found(n_classes, factor):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(40_000, 1 if n_classes == 2 else n_classes))
    p = probabilities(scores, factor)
    labels = (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1)
    assert fit_factor(scores, labels) == pytest.approx(factor, rel=0.05)


def test_perfect_scores_stay_short_of_certainty():
    scores = np.array([[-3.0], [-1.0], [2.0], [3.0]])
    factor = fit_factor(scores, np.array([0, 0, 1, 1]))
    assert 0.5 < probabilities(scores, factor)[2, 1] < 0.99


def test_scores_that_mislead_become_unsure_and_none_give_one():
    scores, labels = np.array([[-1.0], [1.0]]), np.array([1, 0])
    factor = fit_factor(scores, labels)
    assert factor > 0
    assert_allclose(probabilities(scores, factor), 0.5, atol=1e-3)
    assert fit_factor(np.zeros((2, 1)), labels) == 1.0


def test_one_row_in_all_is_of_any_class_alike():
    labels = np.array([0, 0, 2])
    own, other = 3 / 4 + 1 / 12, 1 / 12
    expected = np.full((3, 3), other) + (own - other) * np.eye(3)[labels]
    assert_allclose(smoothed(labels, 3, np.ones(3)), expected)


def test_many_small_classes_do_not_drown_the_labels():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 26, 260)  # ten rows of each class, all but one right by far
    scores = 10.0 * np.eye(26)[np.where(np.arange(260) == 0, (labels + 1) % 26, labels)]
    p = probabilities(scores, fit_factor(scores, labels))
    assert p.max(axis=1) == pytest.approx(1 - 2 / 261, abs=1e-3)


def test_soft_targets_are_taken_as_they_are():
    scores = np.random.default_rng(2).normal(size=(500, 1))
    p = probabilities(scores, 1.7)
    assert fit_factor(scores, p) == pytest.approx(1.7, rel=1e-6)
    three = np.random.default_rng(3).normal(size=(500, 3))
    assert fit_factor(three, probabilities(three, 0.6)) == pytest.approx(0.6)


def test_fitted_probabilities_are_of_the_rows_that_count():
    scores, labels = np.array([[1.0], [2.0], [-1.0], [1.0]]), np.array([1, 1, 0, 0])
    mass = np.array([1.0, 1.0, 1.0, 0.0])
    said = fitted_probabilities(scores, labels, mass)
    np.testing.assert_allclose(said[:3], fitted_probabilities(scores[:3], labels[:3]))
    assert abs(said[3, 1] - fitted_probabilities(scores, labels)[3, 1]) > 0.01


def test_no_array_waits_for_a_collection_of_cycles():
    scores = np.random.default_rng(0).normal(size=(20_000, 1))
    labels = (scores[:, 0] > 0).astype(np.intp)
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(10):
            fit_factor(scores, labels)
        assert tracemalloc.get_traced_memory()[0] < scores.nbytes
    finally:
        tracemalloc.stop()
        gc.enable()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 12), max_size=60), st.integers(1, 20))
def test_groups_are_neighbors_with_enough_rows(steps, least):
    exit_step = np.array(steps, np.int32)
    groups = exit_groups(exit_step, 12, least)
    assert groups[0] == 0
    assert set(np.diff(groups).tolist()) <= {0, 1}
    held = np.bincount(groups[exit_step], minlength=groups[-1] + 1)
    assert (held >= least).all() or len(held) == 1


def drawn(factors, n_each, n_scores, seed=0):
    """Scores whose labels were drawn with another factor at each exit."""
    rng = np.random.default_rng(seed)
    exit_step = np.repeat(np.arange(len(factors)), n_each)
    scores = rng.normal(size=(len(exit_step), n_scores)) * 2
    p = probabilities(scores, np.asarray(factors)[exit_step][:, None])
    labels = (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1)
    return scores, exit_step, labels


@pytest.mark.parametrize("n_scores", [1, 3])
def test_each_exit_finds_its_own_factor(n_scores):
    scores, exit_step, labels = drawn([0.5, 1.0, 2.0], 10_000, n_scores)
    found = class_calibration(scores, exit_step, labels, 2)
    assert found.groups.tolist() == [0, 1, 2]
    assert_allclose(found.factors, [0.5, 1.0, 2.0], rtol=0.08)
    assert_array_equal(found.offsets, 0)


def test_the_winner_never_changes():
    scores, exit_step, labels = drawn([0.1, 5.0], 500, 4)
    wrong_way = class_calibration(scores, exit_step, 3 - labels, 1)
    p = wrong_way.probabilities(scores, exit_step)
    assert_array_equal(p.argmax(axis=1), scores.argmax(axis=1))


def test_means_are_lines_through_the_targets_of_each_exit():
    rng = np.random.default_rng(0)
    exit_step = np.repeat([0, 1], 50_000)
    scores = rng.normal(size=(100_000, 1))
    slope, shift = np.array([2.0, 1.0])[exit_step], np.array([3.0, 0.0])[exit_step]
    targets = slope * scores[:, 0] + shift + rng.normal(size=100_000)
    found = mean_calibration(scores, exit_step, targets, 1)
    assert_allclose(found.factors, [2.0, 1.0], atol=0.03)
    assert_allclose(found.offsets, [3.0, 0.0], atol=0.03)


def test_flat_falling_and_few_scores_keep_their_slope():
    targets = np.linspace(0, 1, 2 * LEAST)
    exits = np.zeros(len(targets), int)
    for scores in (np.zeros(len(targets)), -targets):
        found = mean_calibration(scores[:, None], exits, targets, 3)
        assert found.factors.tolist() == [1.0]
        assert found.offsets[0] > 0
    few = mean_calibration(targets[:5, None] * 9, exits[:5], targets[:5], 3)
    assert (few.factors.tolist(), few.offsets.tolist()) == ([1.0], [0.0])


def test_log_means_are_shifted_to_the_mean_target():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(50_000, 1))
    targets = rng.poisson(np.exp(scores[:, 0] + 0.7)).astype(float)
    found = log_mean_calibration(scores, np.ones(50_000, int), targets, 2)
    assert_allclose(found.offsets, 0.7, atol=0.03)
    assert log_mean_calibration(scores, np.ones(50_000, int), 0 * targets, 2).offsets[0] == 0


@pytest.mark.parametrize("score", [0.1, 0.3, 123.4567, 1e5 / 3])
def test_equal_scores_whose_mean_is_rounded_are_a_flat_group(score):
    """Their spread is above 0 by rounding, and a slope through it would be about 1e17."""
    targets = np.random.default_rng(0).normal(50.0, 1.0, 137)
    scores, exit_step = np.full((137, 1), score), np.zeros(137, np.int32)
    flat = mean_calibration(scores, exit_step, targets, 3)
    assert flat.factors[0] == 1.0
    trust = 137 / 237
    wanted = trust * targets.mean() + (1 - trust) * score
    assert_allclose(flat.calibrated(scores, exit_step), wanted)


@pytest.mark.parametrize("fit", [class_calibration, mean_calibration, log_mean_calibration])
def test_a_row_of_mass_two_is_two_rows(fit):
    rng = np.random.default_rng(0)
    scores, exit_step = rng.normal(size=(900, 1)), rng.integers(0, 3, 900)
    noisy = scores[:, 0] + rng.normal(size=900)
    targets = (noisy > 0).astype(int) if fit is class_calibration else np.exp(noisy)
    mass = rng.integers(1, 4, 900)
    copies = np.repeat(np.arange(900), mass)
    one = fit(scores, exit_step, targets, 4, mass.astype(float))
    two = fit(scores[copies], exit_step[copies], targets[copies], 4)
    assert_array_equal(one.groups, two.groups)
    assert_allclose(one.factors, two.factors, rtol=1e-8)
    assert_allclose(one.offsets, two.offsets, atol=1e-10)
    plain = fit(scores, exit_step, targets, 4)
    assert not np.allclose([*one.factors, *one.offsets], [*plain.factors, *plain.offsets])
