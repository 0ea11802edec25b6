"""TradeoffDisplay."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from mddag.inspection.plotting import TradeoffDisplay
from mddag.losses import Exponential, ZeroOne
from mddag.policy.curve import Curve

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
    np.testing.assert_allclose(lines["beaten"].get_xdata(), [5.5])
    assert {"train", "selection", "full ensemble (test)"} <= set(lines)


def test_the_full_ensemble_is_a_point_and_a_line():
    lines = labelled(TradeoffDisplay.from_curve(curve_of("train")))
    star = lines["full ensemble (train)"]
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (200.0, 0.12)
    assert any(list(line.get_ydata()) == [0.12, 0.12] for line in lines.values())


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


def test_it_draws_into_the_given_axes():
    figure, ax = plt.subplots()
    display = TradeoffDisplay.from_curve(curve_of("train"), ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
