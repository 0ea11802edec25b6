"""What rows count for: checks, factors that change nothing, rows of weight 0, and mass."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mddag._internal.weights import are_equal, checked_weight, mass, part

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


def test_zeros_stay_and_do_not_count():
    assert checked_weight([0, 3, 0, 3], 4).tolist() == [0, 1, 0, 1]
    assert checked_weight(pd.Series([1, 3]), 2).tolist() == [0.5, 1.5]


@given(WEIGHTS)
def test_mass_sums_to_the_equal_rows_that_know_as_much(weights):
    weight = np.array(weights)
    equal = weight.sum() ** 2 / np.square(weight).sum()
    assert mass(weight).sum() == pytest.approx(equal)
    assert 1 - 1e-9 <= mass(weight).sum() <= len(weight) * (1 + 1e-9)
    np.testing.assert_allclose(mass(weight) / mass(weight).sum(), weight / weight.sum())
    assert_array_equal(mass(4 * weight), mass(weight))


def test_equal_rows_have_a_mass_of_one():
    assert_array_equal(mass(np.full(9, 0.3)), np.ones(9))
    assert mass(np.array([1.0, 0, 0])).tolist() == [1, 0, 0]


def test_parts():
    assert part(None, np.array([1])) is None
    assert part(np.array([1.0, 2.0]), np.array([1])).tolist() == [2.0]
    assert are_equal(None)
    assert are_equal(np.full(3, 0.1))
    assert not are_equal(np.array([1.0, 2.0]))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2, 3], r"sample_weight has shape \(3,\); wanted one number per row, \(4,\)"),
        (1.0, r"sample_weight has shape \(\); wanted one number per row, \(4,\)"),
        (np.ones((4, 1)), r"sample_weight has shape \(4, 1\); wanted one number per row"),
        ([1, 1, np.nan, 1], r"sample_weight\[2\] is nan; wanted finite numbers, 0 or more"),
        ([1, np.inf, 1, 1], r"sample_weight\[1\] is inf; wanted finite numbers, 0 or more"),
        ([1, 1, 1, -0.5], r"sample_weight\[3\] is -0.5; wanted finite numbers, 0 or more"),
        (np.zeros(4), "sample_weight is zero for all 4 rows; wanted some above 0"),
        (["a"] * 4, "sample_weight is not numbers .*; wanted one number per row"),
        ([None] * 4, r"sample_weight\[0\] is nan; wanted"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        checked_weight(weight, 4)
