"""Ours beside the cascade whose waves it was held to."""

import numpy as np
import pytest

from benchmarks.costs.waves_table import compared, waves_section


def row(method, error, cost, waves):
    keys = ("set", "seed", "method", "knob", "error", "cost", "waves")
    return dict(zip(keys, map(str, ("adult", 0, method, 0, error, cost, waves)), strict=True))


ROWS = [
    row("full", 10, 20, 1),
    row("cascade, labels", 10.2, 10, 1.5),
    row("acquire, waves of cascade, labels", 10.2, 9, 1.4),
    row("cascade, teacher", 10.2, 12, 2),
    row("acquire, waves of cascade, teacher", 10.2, 6, 2),
]


def test_the_cheaper_cascade_is_the_rival():
    assert compared(ROWS, 0.2) == (pytest.approx((0.45, 1.4)), pytest.approx((0.5, 1.5)))


def test_an_error_that_is_never_reached_has_no_cost():
    assert np.isnan(compared(ROWS, 0.1)).all()


def test_without_a_file_there_is_no_table(tmp_path):
    assert waves_section(tmp_path / "waves.csv", (0.2,)) == []
