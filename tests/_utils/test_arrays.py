"""Arrays that predictions are written into, and those that are refused."""

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mddag._utils.arrays import (
    ReadOnlyArrays,
    checked_out,
    checked_weight,
    mass,
    read_only,
)


@dataclass(frozen=True, eq=False)
class Pair(ReadOnlyArrays):
    numbers: np.ndarray


def test_a_read_only_array_is_a_copy_that_cannot_be_written():
    source = np.arange(3)
    kept = read_only(source, np.float64)
    source[0] = 7
    assert kept.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


@pytest.mark.parametrize("again", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_stay_read_only(again):
    pair = Pair(read_only(np.arange(3), None))
    object.__setattr__(pair, "derived", 1)
    other = again(pair)
    assert not other.numbers.flags.writeable
    assert not hasattr(other, "derived")


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((3, 2)), r"out is float64 \(3, 2\)"),
        (np.empty((3, 1), np.float32), "out is float32"),
        (np.empty((6, 1))[::2], "not C-ordered"),
        (np.zeros(25, np.uint8)[1:].view(np.float64).reshape(3, 1), "not aligned"),
        (read_only(np.empty((3, 1)), None), "read-only"),
    ],
)
def test_an_unfit_out_is_refused(out, message):
    with pytest.raises(ValueError, match=message):
        checked_out(out, (3, 1), np.zeros((3, 2)))


def test_an_out_that_is_a_part_of_the_rows_is_refused():
    X = np.zeros((6, 2))
    with pytest.raises(ValueError, match="out shares memory with X"):
        checked_out(X.reshape(-1)[:6].reshape(6, 1), (6, 1), X)
    with pytest.raises(TypeError, match="out is a list"):
        checked_out([], (6, 1), X)


WEIGHTS = st.lists(st.floats(0.01, 100), min_size=1, max_size=20)


@given(WEIGHTS, st.sampled_from([1e-200, 0.1, 1 / 3, 7.0, 1e5, 1e200]))
def test_a_factor_changes_nothing(weights, factor):
    weight = np.array(weights)
    one, other = checked_weight(weight, len(weight)), checked_weight(factor * weight, len(weight))
    np.testing.assert_allclose(one, other, rtol=2**-31)  # a rounding may fall on either side
    np.testing.assert_allclose(one, weight / weight.mean(), rtol=2**-30)


@pytest.mark.parametrize("factor", [1.0, 0.1, 1 / 3, 1e300])
def test_equal_weights_are_exactly_one(factor):
    assert_array_equal(checked_weight(np.full(777, factor), 777), np.ones(777))


@given(WEIGHTS)
def test_mass_sums_to_the_equal_rows_that_know_as_much(weights):
    weight = np.array(weights)
    equal = weight.sum() ** 2 / np.square(weight).sum()
    assert mass(weight).sum() == pytest.approx(equal)
    assert 1 - 1e-9 <= mass(weight).sum() <= len(weight) * (1 + 1e-9)
    np.testing.assert_allclose(mass(weight) / mass(weight).sum(), weight / weight.sum())
    assert_array_equal(mass(4 * weight), mass(weight))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2, 3], r"sample_weight has shape \(3,\)"),
        (1.0, r"sample_weight has shape \(\)"),
        (np.ones((4, 1)), r"sample_weight has shape \(4, 1\)"),
        ([1, 1, np.nan, 1], r"sample_weight\[2\] is nan"),
        ([1, np.inf, 1, 1], r"sample_weight\[1\] is inf"),
        ([1, 1, 1, -0.5], r"sample_weight\[3\] is -0.5"),
        (np.zeros(4), "sample_weight is zero"),
        (["a"] * 4, "sample_weight is not numbers"),
        ([None] * 4, r"sample_weight\[0\] is nan"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        checked_weight(weight, 4)
