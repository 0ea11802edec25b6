"""The table, and the steps by which every language computes exp."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest

from mddag.serving.export.exponential import STEPS, two_powers
from tests.reference import exponential as twin

RNG = np.random.default_rng(0)


def test_the_table_holds_powers_of_two():
    added = np.array([[0, i << 45] for i in range(STEPS)], np.uint64)
    doubles = two_powers().reshape(-1, 2) + added
    tails, powers = doubles.T.copy().view(np.float64)
    np.testing.assert_array_equal(powers, [2.0 ** (i / STEPS) for i in range(STEPS)])
    for i in range(1, STEPS):  # the 128th power of what both stand for is 2^i, but for 2^-100
        found = (Fraction(powers[i]) * (1 + Fraction(tails[i]))) ** STEPS
        assert abs(found / 2**i - 1) < Fraction(1, 2**95)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is another one")
@pytest.mark.parametrize("reach", [1e-15, 1.0, 30.0, 760.0])
def test_exp_has_the_bits_of_the_c_library(reach):
    for x in RNG.uniform(-reach, min(reach, 700.0), 300).tolist():
        assert twin.exp(x) == math.exp(x)
    for x in (0.0, -0.0, 0.5**54, -(0.5**54), -512.0, 512.0, -708.5, -745.13, -746.0, 709.7):
        assert twin.exp(x) == math.exp(x)


def test_exp_is_within_a_unit_in_the_last_place_everywhere():
    for x in RNG.uniform(-700, 700, 300).tolist():
        assert abs(twin.exp(x) - math.exp(x)) <= math.ulp(math.exp(x))
    assert twin.exp(2000.0) == math.inf
    assert twin.exp(-2000.0) == 0
