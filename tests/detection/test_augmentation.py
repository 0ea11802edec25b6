"""Patches as other images show them, images made worse, and negatives taken from images."""

import numpy as np
import pytest

from mddag.detection.augmentation import (
    as_bytes,
    copies,
    made_worse,
    mined,
    random_windows,
    resampled,
    resized,
    slanted,
    surrounded,
    windows_near,
)
from tests.detection.problems import background, backgrounds, fitted, patches, scene


def test_copies_differ_a_little_and_every_second_one_is_mirrored():
    ramp = np.tile(np.arange(12, dtype=np.uint8) * 20, (200, 12, 1))
    seen = copies(ramp, (12, 12), np.random.default_rng(0), ramp[:0]).astype(float)
    forward, backward = (np.abs(seen - of).mean(axis=(1, 2)) for of in (ramp, ramp[:, :, ::-1]))
    assert (np.minimum(forward, backward) < 20).all()
    assert 60 < (forward > backward).sum() < 140


def test_some_images_are_made_worse():
    picture, rng = background(), np.random.default_rng(0)
    seen = [made_worse(picture, rng) for _ in range(100)]
    assert 30 < sum(image is picture for image in seen) < 50
    assert min(image.std() for image in seen) < 0.5 * picture.std()


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
    assert np.array_equal(seen[:9, 3:], moved[:9, 3:])


def test_a_quarter_turn_is_exact():
    given = patches(1)
    ones, none = np.ones(1), np.zeros((1, 2))
    turned = as_bytes(resampled(given, (12, 12), ones, ones, np.array([np.pi / 2]), none))[0]
    assert any(np.array_equal(turned, np.rot90(given[0], k)) for k in (1, 3))


def test_surroundings_change_and_the_middle_stays():
    given = patches(40).astype(float)
    others = np.full((40, 12, 12), 200.0) + np.arange(12)
    seen = surrounded(given, others, np.random.default_rng(0))
    assert np.array_equal(seen[:, 5:7, 5:7], given[:, 5:7, 5:7])
    assert (np.abs(seen[:, 0, 0] - given[:, 0, 0]) > 5).mean() > 0.7


def test_windows_near_the_object_are_not_the_object():
    given = np.repeat(patches(1), 10, axis=0)
    near = windows_near(given, (12, 12), 200, np.random.default_rng(0))
    alike = [np.corrcoef(patch.ravel(), given[0].ravel())[0, 1] for patch in near if patch.std()]
    assert np.max(alike) < 0.8


def test_windows_are_of_the_pictures_and_not_flat():
    pictures = [np.full((50, 50), 9, np.uint8), *backgrounds(2)]
    windows = random_windows(pictures, (12, 12), 200, 3.0, np.random.default_rng(0))
    assert windows.shape == (200, 12, 12)
    assert (windows.std(axis=(1, 2)) > 3.0).all()


def test_mined_windows_are_accepted_by_the_detector():
    classifier = fitted().classifier_
    pictures = [scene(seed)[0] for seed in range(6)]
    found, n_hits = mined(classifier, pictures, 50, np.random.default_rng(0))
    assert 0 < len(found) <= min(50, n_hits)
    again = [classifier.scan(window) for window in found]
    assert all(len(hits) == 1 and hits.scores[0] >= classifier.accept for hits in again)


def test_no_slant_changes_nothing_and_a_quarter_turn_is_exact():
    picture = background((40, 40), 2)
    assert np.array_equal(slanted(picture, 0.0, np.ones(2)), picture)
    turned = slanted(picture, np.pi / 2, np.ones(2))
    assert any(np.array_equal(turned, np.rot90(picture, k)) for k in (1, 3))
