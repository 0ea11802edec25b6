"""Groups of exits, and what scores stand for in each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mddag.calibration.by_exit import (
    LEAST,
    class_calibration,
    exit_groups,
    log_mean_calibration,
    mean_calibration,
)
from mddag.calibration.calibration import fit_factor, probabilities


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 12), max_size=60), st.integers(1, 20))
def test_groups_are_neighbours_with_enough_rows(steps, least):
    exit_step = np.array(steps, np.int32)
    groups = exit_groups(exit_step, 12, least)
    assert groups[0] == 0
    assert set(np.diff(groups).tolist()) <= {0, 1}
    held = np.bincount(groups[exit_step], minlength=groups[-1] + 1)
    assert (held >= least).all() or len(held) == 1


def test_groups_close_as_soon_as_they_can_and_the_rest_joins_the_last():
    exit_step = np.repeat([1, 2, 3, 5], [3, 2, 4, 1])
    assert exit_groups(exit_step, 6, 4).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert exit_groups(exit_step, 6, 100).tolist() == [0] * 7


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


def test_few_rows_share_one_factor():
    scores, exit_step, labels = drawn([0.3, 3.0], LEAST // 4, 1)
    one = class_calibration(scores, exit_step, labels, 1)
    assert len(one.factors) == 1
    assert one.factors[0] == fit_factor(scores, labels)


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


def test_the_full_ensemble_means_what_it_says():
    scores = np.arange(500.0)[:, None]
    found = mean_calibration(scores, np.full(500, 3), 2 * scores[:, 0], 3)
    assert (found.factors.tolist(), found.offsets.tolist()) == ([1.0], [0.0])


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


def test_groups_hold_enough_mass():
    exit_step, mass = np.repeat([1, 2, 3], [4, 4, 4]), np.repeat([0.5, 1.0, 2.0], 4)
    assert exit_groups(exit_step, 4, 4, mass).tolist() == [0, 0, 0, 1, 1]
    assert exit_groups(exit_step, 4, 4).tolist() == [0, 0, 1, 2, 2]


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
