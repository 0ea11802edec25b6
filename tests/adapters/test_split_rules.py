"""Translated thresholds decide every x as numpy's own comparison and float32 cast do."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mddag.adapters import _split_rules as split

DENORMAL = float(np.finfo(np.float32).smallest_subnormal)
LARGEST = float(np.finfo(np.float32).max)
SPECIAL32 = (0.0, -0.0, DENORMAL, -DENORMAL, LARGEST, -LARGEST, np.inf, 1.0, -1.0)
SPECIAL = (*SPECIAL32, 5e-324, -5e-324, 2.0**128, -(2.0**128))

TRANSLATIONS = (
    split.less,
    split.less_float32,
    split.at_most_float32,
    split.at_most_past_zero,
)

floats32 = st.one_of(st.sampled_from(SPECIAL32), st.floats(width=32, allow_nan=False))
floats64 = st.one_of(st.sampled_from(SPECIAL), st.floats(allow_nan=False), floats32)


def neighbourhood(t: float) -> np.ndarray:
    """Doubles where a translation of t could go wrong: t, its neighbours, the midpoints."""
    centre = float32(np.array(t))
    around = [centre, before(centre), -before(-centre)]
    points = np.clip(np.array([*around, t, *SPECIAL], np.float64), -(2.0**128), 2.0**128)
    middles = (points[:3, None] + points[None, :3]).ravel() / 2
    points = np.concatenate([points, middles, [-np.inf, np.inf]])
    return np.concatenate([points, before(points), -before(-points)])


def before(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.nextafter(x, x.dtype.type(-np.inf))


def float32(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return x.astype(np.float32)


@given(floats64.filter(lambda t: t > -np.inf), floats64)
def test_less(t: float, x: float) -> None:
    xs = np.append(neighbourhood(t), x)
    np.testing.assert_array_equal(xs <= split.less(t), xs < t)


@given(floats32.filter(lambda t: t > -np.inf), floats64)
@example(-LARGEST, -(2.0**128))
@example(np.inf, LARGEST + 2.0**103)
@example(DENORMAL, 2.0**-150)
@example(0.0, -(2.0**-150))
def test_less_float32(t: float, x: float) -> None:
    xs = np.append(neighbourhood(t), x)
    np.testing.assert_array_equal(xs <= split.less_float32(t), float32(xs) < np.float32(t))


@given(floats64, floats64)
@example(-np.inf, -(2.0**128))
@example(1e300, LARGEST + 2.0**103)
@example(-1e300, -LARGEST - 2.0**103)
@example(np.inf, np.inf)
def test_at_most_float32(t: float, x: float) -> None:
    xs = np.append(neighbourhood(t), x)
    wanted = float32(xs).astype(np.float64) <= t
    np.testing.assert_array_equal(xs <= split.at_most_float32(t), wanted)


near_zero = st.floats(-3e-35, 3e-35)


@given(st.one_of(floats64, near_zero), st.one_of(floats64, near_zero))
@example(-split.NEARLY_ZERO, -split.NEARLY_ZERO)
@example(split.NEARLY_ZERO, split.NEARLY_ZERO)
@example(0.0, split.NEARLY_ZERO)
@example(-0.0, -split.NEARLY_ZERO)
def test_at_most_past_zero(t: float, x: float) -> None:
    band = np.array([-split.NEARLY_ZERO, split.NEARLY_ZERO])
    xs = np.concatenate([neighbourhood(t), [x], band, before(band), -before(-band)])
    seen = np.where(np.abs(xs) <= np.float64(np.float32(1e-35)), 0.0, xs)
    np.testing.assert_array_equal(xs <= split.at_most_past_zero(t), seen <= t)


def test_arrays_keep_their_shape() -> None:
    t = np.arange(6, dtype=np.float32).reshape(2, 3)
    for translate in TRANSLATIONS:
        assert translate(t).shape == (2, 3)
        assert translate(t).dtype == np.float64


@pytest.mark.parametrize("translate", [split.less, split.less_float32])
def test_a_split_that_sends_nothing_left_is_refused(translate) -> None:
    with pytest.raises(ValueError, match="sends nothing left"):
        translate([0.0, -np.inf])
