"""Arrays that predictions are written into, and those that are refused."""

import numpy as np
import pytest

from mddag._internal.out_array import checked_out


def test_without_an_array_a_new_one_is_made():
    out = checked_out(None, (3,), np.zeros((3, 2)), np.intp)
    assert (out.shape, out.dtype) == ((3,), np.intp)


def test_a_fitting_array_is_the_result():
    out = np.empty((3, 1))
    assert checked_out(out, (3, 1), np.zeros((3, 2))) is out


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (
            np.empty((3, 2)),
            r"out is float64 \(3, 2\), C-ordered; wanted C-ordered float64 \(3, 1\)",
        ),
        (np.empty((3, 1), np.float32), "out is float32"),
        (np.empty((6, 1))[::2], "not C-ordered"),
        (
            np.zeros(25, np.uint8)[1:].view(np.float64).reshape(3, 1),
            "C-ordered, not aligned; wanted",
        ),
    ],
)
def test_an_unfit_out_is_refused(out, message):
    with pytest.raises(ValueError, match=message):
        checked_out(out, (3, 1), np.zeros((3, 2)))


def test_a_read_only_out_is_refused():
    out = np.empty((3, 1))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        checked_out(out, (3, 1), np.zeros((3, 2)))


def test_an_out_that_is_a_part_of_the_rows_is_refused():
    X = np.zeros((6, 2))
    with pytest.raises(ValueError, match="out shares memory with X"):
        checked_out(X.reshape(-1)[:6].reshape(6, 1), (6, 1), X)
    with pytest.raises(TypeError, match="out is a list"):
        checked_out([], (6, 1), X)
