"""What every language must show: the answers of the library, bit by bit."""

import math

import numpy as np

NAMES = ("binary", "letters", "regression", "exp_link", "categorical", "whole", "patches")
NAMES += ("large", "hostile")


def assert_same_bits(case, got):
    """Classes or means, evaluations, scores and probabilities of all rows."""
    wanted = np.array(case.wanted)
    if case.name == "exp_link":  # numpy's exp may differ in the last bit
        assert (np.abs(got[:, 0] - wanted[:, 0]) <= np.spacing(wanted[:, 0])).all()
        calibration = case.model.model.calibration
        scores, exit_step = case.model.model.dag.exits(case.rows)
        wanted[:, 0] = [math.exp(v) for v in calibration.calibrated(scores, exit_step)[:, 0]]
    np.testing.assert_array_equal(got, wanted)
