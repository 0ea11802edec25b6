"""Prices at a metric."""

import numpy as np
import pytest

from benchmarks.costs.letor import price_at


def test_the_price_is_read_between_points_of_the_edge():
    points = np.array([[0.1, 0.3], [0.5, 0.4], [0.6, 0.35], [1.0, 0.5]])
    assert price_at(points, 0.35) == pytest.approx(0.3)
    assert price_at(points, 0.45) == pytest.approx(0.75)
    assert np.isnan(price_at(points, 0.6))
