"""The full model: its rounds, its shapes."""

from types import SimpleNamespace

import numpy as np

from benchmarks.quality.boosters import Shape
from benchmarks.quality.tuning import further_shapes, smoothed


def test_smoothed_errors_are_means_over_neighbouring_rounds():
    errors = np.arange(40.0)
    found = smoothed(errors)
    assert found[0] == 0
    assert found[19] == np.mean(errors[16:23])  # rounds 17 … 23 around 20
    assert found[39] == np.mean(errors[33:])


def test_one_lucky_number_of_rounds_does_not_win():
    errors = np.full(100, 0.2)
    errors[60:] = 0.15
    errors[40] = 0.1
    assert smoothed(errors).argmin() > 60


def test_the_best_two_are_tried_at_a_lower_rate_and_with_more_leaves():
    grid = [
        SimpleNamespace(shape=Shape(n, 0.1), best_error=e) for n, e in ((8, 3), (32, 1), (128, 2))
    ]
    assert further_shapes("LightGBM", grid) == [Shape(32, 0.05), Shape(128, 0.05), Shape(255, 0.1)]
