"""Negatives from pictures."""

import numpy as np

from mddag.detection.hard_negatives import mined, random_windows
from tests.detection.targets import background, backgrounds, fitted, scene


def test_windows_are_of_the_pictures_and_not_flat():
    pictures = [np.full((50, 50), 9, np.uint8), *backgrounds(2)]
    windows = random_windows(pictures, (12, 12), 200, 3.0, np.random.default_rng(0))
    assert windows.shape == (200, 12, 12)
    assert (windows.std(axis=(1, 2)) > 3.0).all()


def test_flat_pictures_have_none():
    flat = [np.full((50, 50), 9, np.uint8)]
    assert random_windows(flat, (12, 12), 50, 3.0, np.random.default_rng(0)).shape == (0, 12, 12)


def test_a_picture_of_one_window_gives_that_window():
    one = background((12, 12), 3)
    windows = random_windows([one], (12, 12), 5, 0.0, np.random.default_rng(0))
    assert all(np.array_equal(window, one) for window in windows)


def test_mined_windows_are_accepted_by_the_detector():
    classifier = fitted().classifier_
    pictures = [scene(seed)[0] for seed in range(6)]
    found, n_hits = mined(classifier, pictures, 50, np.random.default_rng(0))
    assert 0 < len(found) <= min(50, n_hits)
    again = [classifier.scan(window) for window in found]
    assert all(len(hits) == 1 and hits.scores[0] >= classifier.accept for hits in again)


def test_no_more_are_kept_than_wanted():
    pictures = [scene(seed)[0] for seed in range(6)]
    found, n_hits = mined(fitted().classifier_, pictures, 3, np.random.default_rng(0))
    assert len(found) == 3 <= n_hits
