"""TradeoffDisplay, PathDisplay, plots of explanations, and what all displays share."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt

from mddag.inspection.plotting import (
    DagDisplay,
    PathDisplay,
    TradeoffDisplay,
)
from mddag.losses import Exponential, ZeroOne
from mddag.policy.curve import Curve
from tests.inspection.explanation.models import classifier, frame, regressor
from tests.inspection.plotting.test_graph import long_trace, trace_of

COST = np.array([2.0, 5.0, 5.5, 20.0])
LOSS = np.array([0.3, 0.2, 0.25, 0.1])


def curve_of(*samples, cost=COST, loss=None, full_cost=200.0):
    columns = {"beta": np.array([0.1, 0.03, 0.01, 0.001])}
    for shift, name in enumerate(samples):
        columns |= {f"{name}_cost": cost, f"{name}_n_evaluated": cost}
        columns |= {f"{name}_loss": LOSS + 0.02 * shift}
        columns |= {f"full_{name}_{x}": np.full(4, full_cost) for x in ("cost", "n_evaluated")}
        columns |= {f"full_{name}_loss": np.full(4, 0.12)}
    return Curve(columns, (None,) * 4, ZeroOne() if loss is None else loss)


def labelled(display):
    return {line.get_label(): line for line in display.ax_.get_lines()}


def test_the_last_sample_is_reported_and_the_selection_rows_choose():
    display = TradeoffDisplay.from_curve(curve_of("train", "selection", "test"))
    lines = labelled(display)
    chosen = lines["test, chosen by selection rows"]
    np.testing.assert_allclose(chosen.get_xdata(), [2, 5, 20])
    np.testing.assert_allclose(chosen.get_ydata(), [0.34, 0.24, 0.14])
    np.testing.assert_allclose(lines["another price is better"].get_xdata(), [5.5])
    assert "full ensemble (test)" in lines


@pytest.mark.parametrize(
    ("cost", "full_cost", "scale"),
    [(COST, 200.0, "log"), (COST, 30.0, "linear"), (COST - 2.0, 200.0, "symlog")],
)
def test_the_axis_is_logarithmic_where_it_is_wide(cost, full_cost, scale):
    display = TradeoffDisplay.from_curve(curve_of("train", cost=cost, full_cost=full_cost))
    assert display.ax_.get_xscale() == scale
    display.figure_.canvas.draw()
    ticks = [t.get_text() for t in display.ax_.get_xticklabels()]
    assert ("0" in ticks) == (scale != "log")
    assert scale == "linear" or {"10", "20", "50", "100", "200"} <= set(ticks)


@pytest.mark.parametrize(
    ("loss", "label"), [(ZeroOne(), "error"), (Exponential(), "Exponential loss")]
)
def test_the_axes_are_labelled(loss, label):
    display = TradeoffDisplay.from_curve(curve_of("train", loss=loss), x="cost")
    assert display.ax_.get_ylabel() == label
    assert display.ax_.get_xlabel() == "mean cost"


def test_labels_of_beta_keep_clear_of_each_other():
    display = TradeoffDisplay.from_curve(curve_of("train", cost=np.array([2.0, 2.01, 3.0, 20.0])))
    display.figure_.canvas.draw()
    boxes = [t.get_window_extent() for t in display.ax_.texts]
    assert display.ax_.texts[0].get_text() == "β = 0.1"
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


PATHS = [[0, 1, 2]] * 30 + [[0]] * 10
GROUPS = np.array(["a"] * 20 + ["b"] * 20)
X = np.random.default_rng(0).normal(size=(40, 2))


def test_the_scatter_shows_evaluations_the_hard_ones_on_top():
    display = PathDisplay.from_trace(trace_of(PATHS), X=X, groups=GROUPS)
    (points,) = display.axes_[0].collections
    assert points.get_array().tolist() == [1] * 10 + [3] * 30
    np.testing.assert_array_equal(points.get_offsets()[:10], X[30:])
    assert display.figure_.axes[-1].get_ylabel() == "base classifiers evaluated"


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


@pytest.mark.parametrize("make", [classifier, lambda: classifier(3), regressor])
def test_scores_are_drawn(make):
    one = make().explain(frame().iloc[5])
    ax = one.plot()
    ax.figure.canvas.draw()
    line = ax.get_lines()[0].get_ydata()
    assert line[-1] == one.effect(one.scores)
    assert len(line) == one.n_evaluated + 1
    _, given = plt.subplots()
    assert one.plot(given) is given


def displays():
    """Each display with the number of its axes."""
    plane = PathDisplay.from_trace(trace_of(PATHS), X=X)
    curve = TradeoffDisplay.from_curve(curve_of("train"))
    return [(curve, 1), (DagDisplay.from_trace(trace_of(PATHS)), 1), (plane, 2)]


def test_every_display_draws_into_given_axes():
    for display, n_axes in displays():
        figure, axes = plt.subplots(1, n_axes)
        assert display.plot(axes) is display
        assert display.figure_ is figure
        assert display.axes_.tolist() == np.atleast_1d(axes).tolist()
        _, three = plt.subplots(1, 3)
        with pytest.raises(ValueError, match="ax holds 3 axes"):
            display.plot(three)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: DagDisplay.from_trace(trace_of([[0]])),
        lambda: PathDisplay.from_trace(trace_of([[0]])),
        lambda: TradeoffDisplay.from_curve(curve_of("train")),
        lambda: curve_of("train").plot(),
    ],
)
def test_the_error_says_what_to_install(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'mddag\[plot\]'"):
        draw()


def test_matplotlib_is_not_imported_before_something_is_drawn():
    code = "import sys, mddag; mddag.DagDisplay; print('matplotlib' in sys.modules)"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
