"""Negatives from pictures."""

import numpy as np

from mddag.detection.hard_negatives import mined, random_windows, seen_otherwise, slanted
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


def test_no_slant_changes_nothing_and_a_quarter_turn_is_exact():
    picture = background((40, 40), 2)
    assert np.array_equal(slanted(picture, 0.0, np.ones(2)), picture)
    turned = slanted(picture, np.pi / 2, np.ones(2))
    assert any(np.array_equal(turned, np.rot90(picture, k)) for k in (1, 3))


def test_a_stretch_is_along_its_axis_and_mirrors_what_is_outside():
    ramp = np.tile(np.arange(0, 200, 5, dtype=np.uint8), (30, 1))
    wide = slanted(ramp, 0.0, np.array([1.0, 2.0])).astype(float)
    assert np.abs(np.diff(wide, axis=1) - 2.5).max() <= 1
    narrow = slanted(ramp, 0.0, np.array([1.0, 0.5]))
    assert narrow[0, 0] > narrow[0, 9] < narrow[0, 20]  # folded at the edge
    assert slanted(ramp[:1, :1], 0.3, np.ones(2)).shape == (1, 1)


def test_pictures_are_seen_otherwise_but_keep_their_pixels_count():
    picture = background((40, 60), 2)
    rng = np.random.default_rng(0)
    seen = [seen_otherwise(picture, rng) for _ in range(40)]
    assert {s.shape for s in seen} == {(40, 60), (60, 40)}
    assert len({s.tobytes() for s in seen}) > 15
