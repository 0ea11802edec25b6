"""sparsify with a rate to detect at."""

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag import AdaBoostMHClassifier
from mddag.learners import Stump
from mddag.solvers import Rejection

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


@pytest.fixture(scope="module")
def hastie():
    X, y = make_hastie_10_2(6000, random_state=0)
    boost = AdaBoostMHClassifier(Stump(), n_rounds=60, random_state=0).fit(X[:2000], y[:2000])
    return boost, X[2000:4000], y[2000:4000], X[4000:], y[4000:]


@pytest.mark.parametrize("knob", [{}, {"beta": 0.01}, {"budget": 8}], ids=str)
def test_knobs(hastie, knob):
    boost, X, y, X_test, y_test = hastie
    fast = mddag.sparsify(boost, X, y, target_fpr=0.05, **knob)
    fpr = (fast.predict(X_test[y_test < 0]) > 0).mean()
    assert 0.01 < fpr < 0.09
    evaluated = fast.n_evaluated(X_test[y_test < 0]).mean()
    assert evaluated < 1.1 * knob.get("budget", 55)
    assert fast.summary_.rates == fast.realised_rates_
    assert fast.summary_.knob in knob or not knob


def test_more_is_found_for_more_evaluations(hastie):
    boost, X, y, *_ = hastie
    found = [mddag.sparsify(boost, X, y, target_fpr=0.05, budget=b) for b in (3, 10, 40)]
    tprs = [model.realised_rates_.tpr for model in found]
    assert tprs[0] < tprs[1] < tprs[2]


def test_a_wanted_tpr(hastie):
    boost, X, y, X_test, y_test = hastie
    fast = mddag.sparsify(boost, X, y, target_tpr=0.8)
    assert (fast.predict(X_test[y_test > 0]) > 0).mean() == pytest.approx(0.8, abs=0.05)


def test_five_lines_with_the_realised_fpr_beside_the_nominal_one(hastie, tmp_path):
    boost, X, y, *_ = hastie
    fast = mddag.sparsify(boost, X, y, target_fpr=0.05, budget=8)
    lines = repr(fast).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("MDDAGClassifier by sparsify(target_fpr=0.05, budget=8)")
    assert lines[1].startswith("evaluations per negative: ")
    assert lines[3] == fast.realised_rates_.line("fpr")
    assert "0.05 wanted" in lines[3]
    fast.save(tmp_path / "detector.mddag")
    loaded = mddag.load(tmp_path / "detector.mddag")
    assert loaded.model.summary == fast.summary_
    assert lines[3] in str(loaded)


def test_the_steps_of_a_pipeline_are_kept(hastie):
    _, X, y, X_test, _ = hastie
    pipeline = make_pipeline(StandardScaler(), AdaBoostMHClassifier(Stump(), n_rounds=20))
    pipeline.fit(X, y)
    fast = mddag.sparsify(pipeline, X_test, hastie[4], target_fpr=0.1, budget=5)
    assert fast.transformer_ is not None
    assert set(fast.predict(X_test)) == {-1.0, 1.0}


def test_decisions_for_several_steps(hastie):
    boost, X, y, *_ = hastie
    assert mddag.sparsify(boost, X, y, target_fpr=0.1, every=4).policy_.every == 4
    assert mddag.sparsify(boost, X, y, target_fpr=0.1, objective="time").policy_.every == 16


def test_weights_are_rows_that_repeat(hastie):
    boost, X, y, *_ = hastie
    weight = np.where(y > 0, 2.0, 3.0)
    one = mddag.sparsify(boost, X, y, target_fpr=0.1, sample_weight=weight)
    assert one.realised_rates_.n_negatives == (y < 0).sum()


def test_a_solver_with_settings_of_its_own(hastie):
    boost, X, y, *_ = hastie
    fast = mddag.sparsify(boost, X, y, target_fpr=0.1, solver=Rejection(shift=0.3), budget=10)
    assert fast.solver.shift == 0.3
    assert fast.solver.budget == 10
