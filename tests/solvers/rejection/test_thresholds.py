import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.solvers.rejection.thresholds import reject_thresholds, shares_by_class
from tests.reference import reject_thresholds as reference


@st.composite
def problems(draw, max_steps=4):
    n, n_steps = draw(st.integers(2, 12)), draw(st.integers(1, max_steps))
    votes = draw(st.lists(st.integers(-3, 3), min_size=n * n_steps, max_size=n * n_steps))
    sums = np.cumsum(np.array(votes, float).reshape(n, n_steps), axis=1)
    positive = np.array(
        [True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))]
    )
    # prices that no sum of rows makes equal by accident
    prices = draw(st.sampled_from([(0.731, 0.0137), (3.217, 0.1013), (0.113, 0.4019)]))
    return sums, positive, draw(st.integers(-3, 3)) + 0.5, *prices


def value(problem, thresholds, start=0):
    sums, positive, theta, lam, beta = problem
    rows = sums.tolist(), positive.tolist()
    return reference.objective(*rows, list(thresholds), start, theta, lam, beta)


@given(problems())
def test_as_the_twin(problem):
    sums, positive, theta, lam, beta = problem
    found = reject_thresholds(sums, positive, theta, lam, beta, shift=0.0)
    wanted = reference.reject_thresholds(sums.tolist(), positive.tolist(), theta, lam, beta)
    for t in range(sums.shape[1]):  # equally good thresholds may differ
        assert value(problem, found, t) == pytest.approx(value(problem, wanted, t), abs=1e-7)


@given(problems(max_steps=2))
def test_two_steps_have_the_smallest_objective_of_all(problem):
    sums, positive, theta, lam, beta = problem
    found = reject_thresholds(sums, positive, theta, lam, beta, shift=0.0)
    cuts = [[-np.inf, *(column + 0.5)] for column in sums.T[:-1]]
    least = min(value(problem, [*trial, -np.inf]) for trial in itertools.product(*cuts))
    assert value(problem, found) <= least + 1e-7


@given(problems())
def test_no_step_alone_can_be_improved(problem):
    sums, positive, theta, lam, beta = problem
    found = reject_thresholds(sums, positive, theta, lam, beta, shift=0.0)
    for t in range(sums.shape[1] - 1):
        best = value(problem, found, t)
        for cut in [-np.inf, *(sums[:, t] + 0.5)]:
            other = found.copy()
            other[t] = cut
            assert value(problem, other, t) >= best - 1e-7


@given(problems())
def test_free_evaluations_reject_only_what_the_end_calls_negative_for_less(problem):
    sums, positive, theta, lam, _ = problem
    found = reject_thresholds(sums, positive, theta, lam, 0.0, shift=0.0)
    assert value((sums, positive, theta, lam, 0.0), found) <= (
        value((sums, positive, theta, lam, 0.0), np.full(sums.shape[1], -np.inf)) + 1e-7
    )


def test_the_last_step_rejects_nothing():
    assert reject_thresholds([[1.0], [0.0]], [1, 0], 0.5, 1.0, 0.1).tolist() == [-np.inf]


def test_by_hand():
    """The first vote parts the classes, the second costs a tenth per negative."""
    sums = [[1.0, 2.0], [1.0, 1.5], [-1.0, 0.0], [-1.0, -2.0]]
    found = reject_thresholds(sums, [1, 1, 0, 0], theta=1.0, lam=1.0, beta=0.1, shift=0.0)
    assert found.tolist() == [0.0, -np.inf]


def test_shifted_positives_lower_the_thresholds():
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 200
    votes = rng.normal(np.where(positive, 0.5, -0.5)[:, None], 1.0, (400, 8))
    sums = np.cumsum(votes, axis=1)
    plain, shifted = (
        reject_thresholds(sums, positive, 0.0, 1.0, 0.01, shift=shift) for shift in (0.0, 1.0)
    )
    assert (shifted[:-1] < plain[:-1]).all()


def test_rows_are_never_parted_from_their_equals():
    sums = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0], [0.0, -1.0]])
    found = reject_thresholds(sums, [1, 0, 0, 0], 0.0, 1.0, 0.5, shift=0.0)
    assert found[0] == -np.inf or found[0] >= 0


def test_shares_add_up_to_one_in_each_class():
    share = shares_by_class(np.array([True, False, False]), np.array([3.0, 1.0, 4.0]))
    assert share.tolist() == [1.0, 0.2, 0.8]
