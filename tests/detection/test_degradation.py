"""Pictures made worse."""

import numpy as np

from mddag.detection.degradation import Degradation, blurred
from tests.detection.targets import background


def test_none_is_changed_where_none_should_be():
    picture = background()
    assert Degradation(share=0).worse(picture, np.random.default_rng(0)) is picture


def test_most_have_less_contrast():
    picture = background()
    rng = np.random.default_rng(0)
    worse = [Degradation(share=1).worse(picture, rng) for _ in range(50)]
    assert all(w.shape == picture.shape and w.dtype == np.uint8 for w in worse)
    assert np.mean([w.std() for w in worse]) < 0.9 * picture.std()
    assert min(w.std() for w in worse) > 0.1 * picture.std()


def test_a_blur_keeps_the_mean_and_the_constant():
    rng = np.random.default_rng(0)
    pixels = rng.normal(100, 30, (40, 50)).astype(np.float32)
    soft = blurred(pixels, 1.5)
    assert soft.shape == pixels.shape
    assert abs(soft.mean() - pixels.mean()) < 2
    assert soft.std() < 0.5 * pixels.std()
    assert np.allclose(blurred(np.full((9, 9), 7, np.float32), 1.2), 7)


def test_dots_are_periodic():
    flat = np.full((60, 60), 128, np.uint8)
    dots = Degradation(share=1, blur=0, contrast=1, noise=0, dots=40)
    rng = np.random.default_rng(0)
    spread = [dots.worse(flat, rng).std() for _ in range(40)]
    assert 5 <= sum(s > 1 for s in spread) <= 20  # one in four
