"""PathDisplay and ExplanationDisplay."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm

import mddag
from mddag.inspection.explanation import explain
from mddag.inspection.plotting import ExplanationDisplay, PathDisplay
from mddag.policy.policy import QUIT
from tests.engine.test_dag import stumps
from tests.inspection.explanation.models import classifier, frame, regressor
from tests.inspection.plotting.test_graph import long_trace, trace_of

PATHS = [[0, 1, 2]] * 30 + [[0]] * 10
GROUPS = np.array(["a"] * 20 + ["b"] * 20)
X = np.random.default_rng(0).normal(size=(40, 2))


def test_the_scatter_shows_evaluations_the_hard_ones_on_top():
    display = PathDisplay.from_trace(trace_of(PATHS), X=X, groups=GROUPS)
    (points,) = display.axes_[0].collections
    assert points.get_array().tolist() == [1] * 10 + [3] * 30
    np.testing.assert_array_equal(points.get_offsets()[:10], X[30:])
    assert display.figure_.axes[-1].get_ylabel() == "base classifiers evaluated"


def test_a_wide_range_of_evaluations_is_shown_on_a_log_scale():
    trace = trace_of([list(range(100))] * 20 + [[0]] * 20)
    display = PathDisplay.from_trace(trace, X=X)
    assert isinstance(display.axes_[0].collections[0].norm, LogNorm)


def test_bars_are_shares_of_each_group():
    display = PathDisplay.from_trace(trace_of(PATHS), groups=GROUPS)
    assert [bar.get_height() for bar in display.axes_[-1].patches] == [100] * 4 + [50] * 2
    assert display.axes_[-1].get_ylabel() == "share of each group (%)"


def test_many_base_classifiers_become_lines_with_labels_that_keep_apart():
    trace = long_trace(200)
    display = PathDisplay.from_trace(trace, groups=np.arange(len(trace)) % 2)
    (ax,) = display.axes_
    assert len(ax.get_lines()) == 2
    assert len(ax.patches) == 0
    display.figure_.canvas.draw()
    boxes = [t.get_window_extent() for t in ax.get_xticklabels()]
    assert all(a.x1 <= b.x0 for a, b in itertools.pairwise(boxes))


def test_columns_of_a_frame_name_the_axes():
    frame = pd.DataFrame(X, columns=["width", "length"])
    display = PathDisplay.from_trace(trace_of(PATHS), X=frame)
    assert display.axes_[0].get_xlabel() == "width"
    assert display.axes_[0].get_ylabel() == "length"


def test_it_draws_into_the_given_axes():
    figure, (left, right) = plt.subplots(1, 2)
    display = PathDisplay.from_trace(trace_of(PATHS), X=X, ax=[left, right])
    assert display.axes_.tolist() == [left, right]
    assert display.figure_ is figure
    with pytest.raises(ValueError, match="ax holds 1 axes"):
        display.plot(left)


@pytest.mark.parametrize("make", [classifier, lambda: classifier(3), regressor])
def test_scores_and_effects_are_drawn(make):
    one = make().explain(frame().iloc[5])
    display = one.plot()
    display.figure_.canvas.draw()
    scores, effects = display.axes_
    line = scores.get_lines()[0].get_ydata()
    assert line[-1] == one.effect(one.scores)
    assert len(line) == one.n_evaluated + 1
    assert len(effects.patches) == min(one.n_evaluated, 10)


def test_it_draws_into_given_axes():
    one = classifier().explain(frame().iloc[5])
    _, axes = plt.subplots(1, 2)
    assert one.plot(axes[0]).axes_.tolist() == [axes[0]]
    assert ExplanationDisplay(one).plot(axes).axes_.tolist() == axes.tolist()
    _, three = plt.subplots(1, 3)
    with pytest.raises(ValueError, match="ax holds 3 axes"):
        one.plot(three)


def test_a_row_that_evaluates_nothing_is_a_picture_too():
    ensemble = stumps(3)
    dag = mddag.compile(ensemble, mddag.Policy.constant(QUIT, 3, mddag.Grid(np.empty(0))))
    one = explain(dag, None, ensemble.features.rows(np.zeros((1, 2))))
    display = one.plot()
    display.figure_.canvas.draw()
    assert one.n_evaluated == 0
    assert [len(line.get_ydata()) for line in display.axes_[0].get_lines()[:1]] == [1]
