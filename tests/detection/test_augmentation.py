"""Copies of patches: what is done to them, and that nothing is where nothing is asked for."""

import numpy as np
import pytest

from mddag.detection.augmentation import Augmentation, as_bytes, beside, resampled, resized
from tests.detection.targets import patches

STILL = Augmentation(shift=0, scale=0, turn=0, blur=0, noise=0, mirror=False)


def test_nothing_asked_for_changes_nothing():
    given = patches(5)
    copies = STILL.copies(given, (12, 12), np.random.default_rng(0))
    assert np.array_equal(copies, given)


def test_every_second_copy_is_mirrored():
    given = np.tile(np.arange(12, dtype=np.uint8) * 20, (200, 12, 1))
    mirror = Augmentation(shift=0, scale=0, turn=0, blur=0, noise=0, mirror=True)
    copies = mirror.copies(given, (12, 12), np.random.default_rng(0))
    n_mirrored = sum(np.array_equal(copy, given[0][:, ::-1]) for copy in copies)
    assert sum(np.array_equal(copy, given[0]) for copy in copies) + n_mirrored == 200
    assert 60 < n_mirrored < 140


def test_copies_differ_but_not_by_much():
    given = patches(300)
    copies = Augmentation().copies(given, (12, 12), np.random.default_rng(0))
    assert copies.shape == (300, 12, 12)
    alike = [np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in zip(copies, given, strict=True)]
    assert 0.5 < np.median(alike) < 0.999


def test_copies_have_the_size_of_the_window():
    copies = Augmentation().copies(patches(3, size=20), (12, 10), np.random.default_rng(0))
    assert copies.shape == (3, 12, 10)


def test_blocks_are_one_after_the_other(monkeypatch):
    monkeypatch.setattr("mddag.detection.augmentation.BLOCK", 2)
    given = patches(5)
    assert np.array_equal(STILL.copies(given, (12, 12), np.random.default_rng(0)), given)
    assert np.array_equal(resized(given, (12, 12)), given)
    assert beside(given, (12, 12), 5, np.random.default_rng(0)).shape == (5, 12, 12)


def test_a_ramp_stays_a_ramp_when_resized():
    ramp = np.tile(np.linspace(0, 240, 24).astype(np.uint8), (1, 24, 1))
    small = resized(ramp, (12, 12))[0].astype(float)
    assert np.abs(np.diff(small, axis=1)[:, 1:-1] - 20.9).max() < 1.5
    assert np.ptp(small, axis=0).max() == 0


@pytest.mark.parametrize(("dy", "dx"), [(0.25, 0.0), (0.0, -0.25)])
def test_shifts_are_shares_of_the_side(dy, dx):
    given = patches(1)
    ones, none = np.ones(1), np.zeros(1)
    seen = as_bytes(resampled(given, (12, 12), ones, ones, none, np.array([[dy, dx]])))[0]
    moved = np.roll(given[0], (-round(12 * dy), -round(12 * dx)), (0, 1))
    assert np.array_equal(seen[:9, 3:], moved[:9, 3:]) if dy or dx < 0 else False


def test_a_quarter_turn_is_exact():
    given = patches(1)
    ones, none = np.ones(1), np.zeros((1, 2))
    turned = as_bytes(resampled(given, (12, 12), ones, ones, np.array([np.pi / 2]), none))[0]
    assert any(np.array_equal(turned, np.rot90(given[0], k)) for k in (1, 3))


def test_windows_beside_the_object_are_not_the_object():
    given = np.repeat(patches(1), 10, axis=0)
    near = beside(given, (12, 12), 200, np.random.default_rng(0))
    alike = [np.corrcoef(patch.ravel(), given[0].ravel())[0, 1] for patch in near if patch.std()]
    assert np.max(alike) < 0.8
