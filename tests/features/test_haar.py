"""Haar features: their number, their weights, and the kernel against its twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mddag import _core
from mddag.features.haar import haar_features, haar_values, n_haar_features
from tests.reference import haar as reference


def patches(most=4):
    shapes = st.tuples(st.integers(1, most), st.integers(2, 7), st.integers(2, 7))
    return shapes.flatmap(lambda shape: hnp.arrays(np.uint8, shape))


@pytest.mark.parametrize(("window", "count"), [((24, 24), 162_336), ((1, 2), 1), ((1, 1), 0)])
def test_all_features_of_a_window(window, count):
    features = haar_features(window)
    assert features.shape == (count, 3, 5)
    assert features.dtype == np.int32
    assert _core.haar_fault(features, *window) == (-1, "")


@pytest.mark.parametrize("window", [(1, 1), (2, 2), (9, 7), (7, 9)])
def test_some_features_are_those_of_these_numbers(window):
    everything = haar_features(window)
    assert n_haar_features(window) == len(everything)
    chosen = np.arange(len(everything))[::7]
    np.testing.assert_array_equal(haar_features(window, chosen), everything[chosen])


def test_large_windows_have_more_features_than_memory_holds():
    n = n_haar_features((1000, 1000))
    assert n > 10**11
    some = haar_features((1000, 1000), np.array([0, n - 1]))
    assert _core.haar_fault(some, 1000, 1000) == (-1, "")


@pytest.mark.parametrize("window", [(4, 4), (3, 6), (5, 2)])
def test_features_are_those_of_the_twin(window):
    def key(weights):
        return weights.tobytes()

    mine = [reference.pixel_weights(f, *window) for f in haar_features(window).tolist()]
    assert sorted(map(key, mine)) == sorted(map(key, reference.features(*window)))
    assert len(set(map(key, mine))) == len(mine)


@given(patches())
def test_values_are_those_of_the_twin(pixels):
    features = haar_features(pixels.shape[1:])[::3]
    wanted = [[reference.value(patch, f) for f in features.tolist()] for patch in pixels]
    np.testing.assert_array_equal(haar_values(pixels, features), np.array(wanted, np.float32))


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)))
def test_integral_images_are_those_of_the_twin(picture):
    shape = picture.shape[0] + 1, picture.shape[1] + 1
    sums, squares = np.empty(shape, np.uint32), np.empty(shape, np.uint64)
    _core.integral_images(picture, sums, squares)
    assert sums.tolist() == reference.integral(picture)
    assert squares.tolist() == reference.integral(picture, exponent=2)


def test_sums_wrap_around_in_huge_pictures_and_differences_stay_exact():
    picture = np.full((4100, 4200), 255, np.uint8)  # sums of 4.4e9, above 2^32
    sums = np.empty((4101, 4201), np.uint32)
    squares = np.empty((4101, 4201), np.uint64)
    _core.integral_images(picture, sums, squares)
    assert squares[-1, -1] == picture.size * 255**2
    corner = sums[-25, -25] + sums[-1, -1] - sums[-1, -25] - sums[-25, -1]
    assert corner == 24 * 24 * 255


def test_a_flat_window_is_divided_by_one_grey_level():
    flat = np.full((2, 8, 8), 77, np.uint8)
    flat[1, 0, 0] = 78
    values = haar_values(flat, haar_features((8, 8)))
    assert not values[0].any()
    assert np.abs(values[1]).max() <= 3 / 64  # one grey level, weighted by at most 3, over the area


@given(patches(most=1))
def test_light_and_contrast_do_not_count(pixels):
    """value(a x + b) = value(x) while no deviation meets the floor."""
    dim = pixels // 4
    bright = (2 * dim + 17).astype(np.uint8)
    if dim.std() <= 1:
        return
    features = haar_features(pixels.shape[1:])
    np.testing.assert_allclose(haar_values(bright, features), haar_values(dim, features), rtol=1e-6)


def test_threads_do_not_change_values():
    pixels = np.random.default_rng(0).integers(0, 256, (300, 9, 7), np.uint8)
    features = haar_features((9, 7))
    np.testing.assert_array_equal(haar_values(pixels, features, 4), haar_values(pixels, features))


@pytest.mark.parametrize(
    ("rectangle", "fault"),
    [
        ((-1, 0, 1, 1, 1), "outside"),
        ((0, 0, 2**31 - 1, 1, 1), "outside"),
        ((3, 3, 1, 2, 1), "outside"),
        ((0, 0, 0, 1, 1), "outside"),
        ((2**31 - 1, 0, 1, 1, 1), "outside"),
        ((0, 0, 1, 1, 0), "weight 0"),
        ((0, 0, 1, 1, -(2**31)), "too large a weight"),
        ((0, 0, 1, 1, 1), "do not sum to 0"),
    ],
)
def test_features_that_do_not_fit_are_refused(rectangle, fault):
    features = haar_features((4, 4))[:2].copy()
    features[1, 2] = rectangle
    at, why = _core.haar_fault(features, 4, 4)
    assert at == 1
    assert fault in why
    with pytest.raises(ValueError, match=f"feature 1 .*{fault}"):
        haar_values(np.zeros((1, 4, 4), np.uint8), features)
