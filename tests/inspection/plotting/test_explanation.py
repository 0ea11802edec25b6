import numpy as np
import pytest
from matplotlib import pyplot as plt

import mddag
from mddag.inspection.explanation import explain
from mddag.inspection.plotting import ExplanationDisplay
from mddag.mdp.policy import QUIT
from tests.dag.test_dag import stumps
from tests.inspection.explanation.models import classifier, frame, regressor


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
