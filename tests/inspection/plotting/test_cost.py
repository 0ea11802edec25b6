"""Error against cost."""

import numpy as np
import pytest

from mddag import CostDisplay


def test_a_line_joins_what_no_cheaper_point_beats():
    curves = {"ours": ([1, 2, 3, 4], [0.4, 0.5, 0.2, 0.1]), "other": ([2], [0.3])}
    shown = CostDisplay(curves).plot()
    ours, other = shown.ax_.lines
    assert ours.get_xdata().tolist() == [1, 3, 4]
    assert other.get_ydata().tolist() == [0.3]
    assert shown.ax_.get_xlabel() == "mean feature cost"


def test_curves_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="wanted costs and errors, one of each for every point"):
        CostDisplay({"ours": (np.zeros(3), np.zeros(2))})
    with pytest.raises(TypeError, match="wanted a dict of"):
        CostDisplay([1, 2])
