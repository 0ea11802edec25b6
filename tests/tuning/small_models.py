"""Settings of models and solvers that take little time, and what is the same of two results."""

import numpy as np
import pytest

from mddag.solvers import Margin

FAST = {"solver": Margin()}
LGBM = {"num_leaves": 6, "n_jobs": 1, "verbose": -1}


def assert_same(one, other):
    np.testing.assert_array_equal(one.policy_.actions, other.policy_.actions)
    np.testing.assert_array_equal(one.policy_.grid.edges, other.policy_.grid.edges)
    np.testing.assert_array_equal(one.policy_.order, other.policy_.order)
    np.testing.assert_allclose(one.calibration_.factors, other.calibration_.factors, rtol=1e-8)
    assert one.result_.evaluation.loss == pytest.approx(other.result_.evaluation.loss)
    assert one.beta == other.beta
