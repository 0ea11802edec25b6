import numpy as np
import pytest
from matplotlib import pyplot as plt

from mddag import DetectionDisplay
from mddag.metrics import DetectionRun

BOUNDS = (2, 10, 100)


def run(tpr, cost):
    return DetectionRun(tpr, cost, tpr - 0.1, cost, tpr - 0.2, 0.01)


@pytest.fixture
def runs():
    """Two seeds of two methods."""
    ours = [[run(0.6, 2), run(0.9, 8)], [run(0.7, 2), run(0.8, 50)]]
    theirs = [[run(0.5, 5), run(0.85, 60)], [run(0.5, 5), run(0.95, 60)]]
    return {"ours": ours, "theirs": theirs}


def drawn(display):
    return {c.get_label(): c.lines[0] for c in display.ax_.containers}


def test_means_of_the_chosen_runs(runs):
    lines = drawn(DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS))
    np.testing.assert_allclose(lines["ours"].get_xdata(), BOUNDS)
    np.testing.assert_allclose(lines["ours"].get_ydata(), [0.55, 0.7, 0.75])


def test_no_point_where_every_setting_needs_more(runs):
    theirs = drawn(DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS))["theirs"]
    np.testing.assert_allclose(theirs.get_ydata(), [np.nan, 0.4, 0.8])


def test_the_threshold_of_held_out_rows(runs):
    display = DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS, threshold="held_out")
    np.testing.assert_allclose(drawn(display)["ours"].get_ydata(), [0.45, 0.6, 0.65])


def test_bars_are_standard_errors(runs):
    display = DetectionDisplay.from_runs(runs, fpr=0.01, bounds=BOUNDS)
    bar = display.ax_.containers[0].lines[2][0].get_segments()[0]
    error = np.std([0.5, 0.6], ddof=1) / np.sqrt(2)
    np.testing.assert_allclose(bar[:, 1], [0.55 - error, 0.55 + error])


def test_one_seed_has_no_bars(runs):
    display = DetectionDisplay({"ours": [[0.1, 0.2, 0.3]]}, BOUNDS, fpr=0.01).plot()
    assert not display.ax_.containers[0].has_yerr


def test_the_highlighted_line_is_thick_and_axes_are_labelled(runs):
    _, ax = plt.subplots()
    display = DetectionDisplay.from_runs(runs, fpr=0.001, bounds=BOUNDS, highlight="ours", ax=ax)
    assert display.ax_ is ax
    lines = drawn(display)
    assert lines["ours"].get_linewidth() > lines["theirs"].get_linewidth()
    assert ax.get_ylabel() == "TPR at FPR 0.1 %"
    assert ax.get_xscale() == "log"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["ours", "theirs"]
