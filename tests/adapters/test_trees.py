"""Translated thresholds decide every x as numpy's own comparison and float32 cast do."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mddag import Features
from mddag.adapters._trees import (
    NEARLY_ZERO,
    TreeArrays,
    at_most_float32,
    at_most_past_zero,
    build,
    less_float32,
)
from mddag.ensemble.nodes import category_words

DENORMAL = float(np.finfo(np.float32).smallest_subnormal)
LARGEST = float(np.finfo(np.float32).max)
SPECIAL32 = (0.0, -0.0, DENORMAL, -DENORMAL, LARGEST, -LARGEST, np.inf, 1.0, -1.0)
SPECIAL = (*SPECIAL32, 5e-324, -5e-324, 2.0**128, -(2.0**128))


floats32 = st.one_of(st.sampled_from(SPECIAL32), st.floats(width=32, allow_nan=False))
floats64 = st.one_of(st.sampled_from(SPECIAL), st.floats(allow_nan=False), floats32)


def neighbourhood(t: float) -> np.ndarray:
    """Doubles where a translation of t could go wrong: t, its neighbours, the midpoints."""
    center = float32(np.array(t))
    around = [center, before(center), -before(-center)]
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


@given(floats32.filter(lambda t: t > -np.inf), floats64)
@example(-LARGEST, -(2.0**128))
@example(np.inf, LARGEST + 2.0**103)
@example(DENORMAL, 2.0**-150)
@example(0.0, -(2.0**-150))
def test_less_float32(t: float, x: float) -> None:
    xs = np.append(neighbourhood(t), x)
    np.testing.assert_array_equal(xs <= less_float32(t), float32(xs) < np.float32(t))


@given(floats64, floats64)
@example(-np.inf, -(2.0**128))
@example(1e300, LARGEST + 2.0**103)
@example(-1e300, -LARGEST - 2.0**103)
@example(np.inf, np.inf)
def test_at_most_float32(t: float, x: float) -> None:
    xs = np.append(neighbourhood(t), x)
    wanted = float32(xs).astype(np.float64) <= t
    np.testing.assert_array_equal(xs <= at_most_float32(t), wanted)


near_zero = st.floats(-3e-35, 3e-35)


@given(st.one_of(floats64, near_zero), st.one_of(floats64, near_zero))
@example(-NEARLY_ZERO, -NEARLY_ZERO)
@example(NEARLY_ZERO, NEARLY_ZERO)
@example(0.0, NEARLY_ZERO)
@example(-0.0, -NEARLY_ZERO)
def test_at_most_past_zero(t: float, x: float) -> None:
    band = np.array([-NEARLY_ZERO, NEARLY_ZERO])
    xs = np.concatenate([neighbourhood(t), [x], band, before(band), -before(-band)])
    seen = np.where(np.abs(xs) <= np.float64(np.float32(1e-35)), 0.0, xs)
    np.testing.assert_array_equal(xs <= at_most_past_zero(t), seen <= t)


def test_a_split_that_sends_nothing_left_is_refused() -> None:
    with pytest.raises(ValueError, match="sends nothing left"):
        less_float32([0.0, -np.inf])


@pytest.fixture
def flat() -> TreeArrays:
    """A nominal split over a numeric one; a single leaf; a numeric stump."""
    return TreeArrays(
        starts=np.array([0, 5, 6, 9]),
        feature=np.array([1, -1, 0, -1, -1, -1, 0, -1, -1]),
        threshold=np.array([0, 0, 0.5, 0, 0, 0, -0.5, 0, 0]),
        left=np.array([1, -1, 3, -1, -1, -1, 1, -1, -1]),
        right=np.array([2, -1, 4, -1, -1, -1, 2, -1, -1]),
        missing_left=np.array([False, False, True, False, False, False, False, False, False]),
        votes=np.array([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]]),
        weight=np.array([1.0, 1.0, 2.0, 5.0, 0.0, 0.0]),
        sets={0: category_words(np.array([3, 40]))},
    )


def by_hand(x0: float, x1: float) -> float:
    first = 1.0 if x1 in (3, 40) else 2.0 if np.isnan(x0) or x0 <= 0.5 else 4.0
    return first + 8.0 + (16.0 if x0 <= -0.5 else 32.0)


def test_trees(flat) -> None:
    ensemble = build(flat, features=Features(2), bias=0.0, kind="regressor")
    values = (-1.0, -0.5, 0.0, 0.5, 0.7, np.nan)
    rows = np.array([(x0, x1) for x0 in values for x1 in (0, 3, 8, 40, 41, np.nan)])
    wanted = [by_hand(x0, x1) for x0, x1 in rows]
    np.testing.assert_array_equal(ensemble.scores(rows)[:, 0], wanted)
    assert ensemble.tables.n_leaves.tolist() == [3, 1, 2]


def test_two_scores_of_one_decision_become_their_difference(flat) -> None:
    ensemble = build(
        flat,
        features=Features(2),
        bias=[0.25, 1.0],
        score=np.array([0, 1, 1], np.int32),
        kind="classifier",
    )
    assert ensemble.bias.tolist() == [0.75]
    assert ensemble.classes.tolist() == [0, 1]
    row = np.array([[0.0, 0.0]])
    assert ensemble.scores(row)[0, 0] == 0.75 - 2.0 + 8.0 + 32.0
