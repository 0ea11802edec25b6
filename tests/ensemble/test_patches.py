"""Columns that are computed from patches."""

import numpy as np
import pytest

from mddag.detection.haar import haar_features
from mddag.ensemble.patches import PatchFeatures, checked_patches, haar_values, window_of
from tests.patches import bars


@pytest.fixture
def features():
    return PatchFeatures.of((8, 6), haar_features((8, 6))[::50])


def test_rows_are_the_values_of_the_features(features):
    X, _ = bars(20)
    rows = features.rows(X)
    assert rows.dtype == np.float32
    assert rows.passed(features)
    assert features.n_given == 48
    np.testing.assert_array_equal(rows, haar_values(X, features.rectangles))


def test_patches_come_in_several_forms(features):
    X, _ = bars(20)
    wanted = features.rows(X)
    forms = [X.reshape(20, -1), X.astype(np.int64), np.asfortranarray(X), X.tolist(), wanted]
    for form in forms:
        np.testing.assert_array_equal(features.rows(form), wanted)
    np.testing.assert_array_equal(features.rows(X[::-2]), wanted[::-2])


def test_one_patch_in_any_form(features):
    X, _ = bars(3)
    for x in (X[1], X[1:2], X[1].ravel(), X[1].reshape(1, -1), X[1].tolist()):
        np.testing.assert_array_equal(features.one_patch(x), X[1:2])
    with pytest.raises(ValueError, match=r"shape \(3, 8, 6\); wanted one patch, uint8 \(8, 6\)"):
        features.one_patch(X)
    with pytest.raises(ValueError, match="X is float32; wanted gray levels"):
        features.one_patch(X[1].astype(np.float32))


def test_rows_of_other_features_are_no_patches(features):
    X, _ = bars(3)
    rows = features.rows(X)
    with pytest.raises(ValueError, match="pixels; wanted 48"):
        features.taken(np.array([0])).rows(rows)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((3, 8, 6)), "X is float64; wanted gray levels.*np.rint"),
        (np.full((3, 8, 6), np.nan), "X is float64.*it contains NaN"),
        (np.zeros((3, 8, 6), bool), "X is bool; wanted gray levels"),
        (np.full((3, 8, 6), "a"), "X is <U1; wanted gray levels"),
        (np.zeros((3, 8, 6, 3), np.uint8), "look like color images: average the channels"),
        (np.zeros((3, 8, 6, 1), np.uint8), "drop the last axis"),
        (np.zeros((0, 8, 6), np.uint8), "X has 0 patches"),
        (np.zeros((3, 6, 8), np.uint8), r"patches of \(6, 8\) pixels; wanted \(8, 6\): resize"),
        (np.zeros((3, 47), np.uint8), "rows of 47 pixels; wanted 48"),
        (np.zeros(48, np.uint8), r"X has shape \(48,\); wanted gray levels"),
        (np.full((3, 8, 6), 256), "X holds numbers from 256 to 256; wanted gray levels from 0"),
        (np.full((3, 8, 6), -1), "X holds numbers from -1 to -1"),
    ],
)
def test_what_is_no_patch_is_refused(features, X, words):
    with pytest.raises(ValueError, match=words):
        features.rows(X)


@pytest.mark.parametrize("window", [(1, 5), (5, 1), (5,), (5, 5.0), "big", (True, 5), (2000, 2000)])
def test_windows_that_are_none_are_refused(window):
    with pytest.raises(ValueError, match=r"window is .*; wanted"):
        PatchFeatures.of(window, np.zeros((0, 3, 5), np.int32))


def test_rectangles_outside_of_the_window_are_refused():
    with pytest.raises(ValueError, match=r"feature 0 of a window of \(2, 2\) has a rectangle outs"):
        PatchFeatures.of((2, 2), haar_features((8, 6))[-1:])
    with pytest.raises(ValueError, match=r"rectangles are int64 \(1, 3, 5\); wanted int32"):
        PatchFeatures.of((2, 2), np.zeros((1, 3, 5), np.int64))


def test_the_window_of_rows_is_square_unless_it_is_given():
    assert window_of(np.zeros((3, 16))) == (4, 4)
    assert window_of(np.zeros((3, 48)), (8, 6)) == (8, 6)
    assert window_of(np.zeros((3, 8, 6))) == (8, 6)
    assert checked_patches(np.zeros((2, 16), np.uint8)).shape == (2, 4, 4)
    with pytest.raises(ValueError, match=r"48 pixels, which is not the square.*Haar.window"):
        window_of(np.zeros((3, 48)))
