import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.detection.cascades.fc_criterion import Criterion, SoftStages, soft_step
from tests.reference import cascades as reference


def problem(seed, n_stages, n=7):
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    weight = rng.random(n)
    eta = float(rng.random())
    price = np.where(signs < 0, eta / (signs < 0).sum(), 0.0)
    stages = SoftStages(rng.normal(size=(n_stages, n)), rng.integers(1, 9, n_stages) * 1.0, 1.3)
    return Criterion(signs, weight / weight.sum(), price), stages, eta


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_criterion_is_that_of_the_twin(seed, n_stages):
    criterion, stages, eta = problem(seed, n_stages)
    wanted = reference.fc_criterion(
        stages.scores, stages.costs, stages.slope, criterion.signs, criterion.weight, eta
    )
    assert criterion.value(stages) == pytest.approx(wanted, rel=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_derivative_is_the_numerical_one(seed, n_stages):
    criterion, stages, eta = problem(seed, n_stages)
    derivative = criterion.derivative(stages)

    def value(scores):
        return reference.fc_criterion(
            scores, stages.costs, stages.slope, criterion.signs, criterion.weight, eta
        )

    for m, i in np.ndindex(stages.scores.shape):
        up, down = stages.scores.copy(), stages.scores.copy()
        up[m, i] += 1e-6
        down[m, i] -= 1e-6
        numerical = (value(up) - value(down)) / 2e-6
        assert derivative[m, i] == pytest.approx(numerical, rel=1e-5, abs=1e-8)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_step_is_the_best_on_the_exact_criterion(seed, n_stages):
    criterion, stages, _ = problem(seed, n_stages, n=12)
    votes = np.where(np.random.default_rng(seed).random(12) < 0.5, -1.0, 1.0)
    for m in range(n_stages):
        length, value = criterion.along(stages, m, votes)
        assert criterion.value(stages.moved(m, length * votes)) == pytest.approx(value, rel=1e-9)
        for other in (0.5 * length, min(1.01 * length, 2.0)):
            near = criterion.value(stages.moved(m, other * votes))
            assert value <= near + 1e-3 * abs(near)


def test_a_new_last_stage_changes_no_score():
    criterion, stages, _ = problem(0, 2)
    assert criterion.value(stages.extended()) == pytest.approx(criterion.value(stages), rel=1e-12)


def test_the_soft_step_is_a_half_at_zero():
    np.testing.assert_allclose(soft_step(np.array([-50.0, 0.0, 50.0]), 1.0), [0, 0.5, 1])
