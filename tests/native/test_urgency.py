"""The kernel of urgency and its twin."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import _core
from tests.reference import ranking as twin

numbers = st.floats(-3, 3, allow_nan=False)


@given(
    st.lists(st.lists(numbers, min_size=1, max_size=12), min_size=1, max_size=4),
    st.integers(1, 5),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_twin(queries, k, mean, random):
    sizes = [len(q) for q in queries]
    readings = np.concatenate([np.array(q) for q in queries])
    spreads = np.array([random.uniform(0.05, 2) for _ in readings])
    alive = np.array([random.random() < 0.7 for _ in readings])
    discounts = 1 / np.log2(np.arange(12 if mean else k) + 2)
    at, gain = np.array([-2.0, 0.0, 2.0]), np.array([0.0, 0.5, 3.0])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    out = np.empty(len(readings))
    native = (discounts, mean, at, gain, 0.7)
    _core.urgency(native, starts, readings, spreads, alive.astype(np.uint8), out, 2)
    for a, b in pairwise(starts):
        curve = lambda s: np.interp(s, at, gain)  # noqa: E731
        of = readings[a:b].tolist(), spreads[a:b].tolist(), alive[a:b].tolist()
        wanted = twin.urgency(*of, discounts, mean, curve, 0.7)
        np.testing.assert_allclose(out[a:b], wanted, rtol=1e-4, atol=1e-5)


def test_hostile_arrays_are_refused():
    one, two = np.ones(1), np.ones(2)
    flags, starts = np.ones(2, np.uint8), np.array([0, 2])
    sound = (one, False, one, one, 1.0)
    bad = [
        ((np.empty(0), False, one, one, 1.0), starts, two),
        ((one, False, one, two, 1.0), starts, two),
        (sound, np.array([0, 3]), two),
        (sound, np.array([0, 5, 2]), two),
        (sound, starts, one),
    ]
    for native, at, readings in bad:
        with pytest.raises(ValueError, match=r"urgency|queries|documents"):
            _core.urgency(native, at, readings, two, flags, np.empty(2), 1)
    out = np.empty(2)
    _core.urgency(sound, starts, np.array([np.nan, np.inf]), two, flags, out, 1)  # no crash
