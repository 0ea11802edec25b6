"""Readings, fitted."""

import numpy as np
import pytest

from mddag.solvers.ranking.fit_readings import (
    block_sums,
    check_points,
    fitted_readings,
    gain_curve,
)
from tests import rankings


def fitted(labels=True, odds=True):
    problem = rankings.problem(150, labels=labels)
    checks = check_points(problem.n_steps, 8)
    blocks = block_sums(problem, np.arange(problem.n_steps)[::-1], checks)
    return problem, blocks, fitted_readings(problem, blocks, checks, gain_curve(problem, odds))


def test_check_points():
    assert check_points(80, 8).tolist() == [8, 16, 24, 32, 40, 48, 56, 64, 80]
    assert check_points(500, 8, 1.0).tolist() == [8, 16, 32, 64, 128, 256, 500]
    assert check_points(8, 8).tolist() == [8]
    assert check_points(3, 8).tolist() == [3]


def test_blocks_sum_to_the_full_score():
    problem, blocks, readings = fitted()
    bias = problem.votes.tables.bias[0]
    np.testing.assert_allclose(bias + blocks.sum(axis=1), problem.full)
    np.testing.assert_allclose(readings.read(blocks, len(readings) - 1), problem.full)


def test_readings_are_unbiased_and_come_nearer():
    problem, blocks, readings = fitted()
    off = [problem.full - readings.read(blocks, c) for c in range(len(readings))]
    assert [o.mean() for o in off] == pytest.approx([0] * len(off), abs=1e-9)
    deviation = [o.std() for o in off]
    assert deviation == sorted(deviation, reverse=True)
    spread = readings.spreads(readings.read(blocks, 2), 2)
    assert np.sqrt(np.mean(spread**2)) == pytest.approx(deviation[2], rel=0.01)


def test_gains_by_labels_and_without():
    problem, _, readings = fitted()
    assert readings.gains(problem.full).mean() == pytest.approx(
        (2**problem.labels - 1).mean(), rel=0.1
    )
    assert readings.slope > 0
    for odds in (True, False):
        _, _, assumed = fitted(labels=False, odds=odds)
        assert (np.diff(assumed.gain) >= 0).all()
        assert assumed.slope > 0
