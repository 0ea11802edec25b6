"""sparsify as a whole: knobs, promises, refusals, doubts."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

import mddag
from mddag._utils.warnings import FEWEST_ROWS, DoubtfulResult
from mddag.solvers import (
    Margin,
    Prefix,
    Sarsa,
)
from tests.tuning.small_models import FAST, LGBM, assert_same


def test_beta_is_the_price(hastie):
    model, X, y, X_test, _ = hastie
    dear, cheap = (mddag.sparsify(model, X, y, beta=beta, **FAST) for beta in (0.01, 1e-4))
    assert dear.n_evaluated(X_test).mean() < cheap.n_evaluated(X_test).mean()
    assert isinstance(dear, mddag.MDDAGClassifier)
    assert dear.beta == 0.01
    assert set(dear.predict(X_test)) == {"in", "out"}


@pytest.mark.parametrize("knob", ["max_loss", "max_disagreement"])
def test_promises_hold_and_save_work(hastie, knob):
    model, X, y, X_test, y_test = hastie
    fast = mddag.sparsify(model, X, y, **{knob: 0.02}, **FAST)
    labels, full = fast.predict(X_test), model.predict(X_test)
    excess = np.mean(labels != full)
    if knob == "max_loss":
        excess = np.mean(labels != y_test) - np.mean(full != y_test)
    assert excess <= 0.02
    assert fast.n_evaluated(X_test).mean() < 55
    assert (fast.result_.target, fast.result_.value, fast.result_.confidence) == (knob, 0.02, 0.9)


def test_a_point_estimate_promises_nothing(hastie):
    model, X, y, X_test, _ = hastie
    fast = mddag.sparsify(model, X, y, max_disagreement=0.02, confidence=None, **FAST)
    assert 0.002 < np.mean(fast.predict(X_test) != model.predict(X_test)) < 0.03
    assert fast.result_.confidence is None


def test_without_labels_the_model_is_its_own_teacher(hastie):
    model, X, _, X_test, y_test = hastie
    fast = mddag.sparsify(model, X, max_loss=0.03, **FAST)
    assert np.mean(fast.predict(X_test) != model.predict(X_test)) <= 0.03
    # its probabilities are the model's, not those of agreeing with it
    ours = log_loss(y_test, fast.predict_proba(X_test))
    assert ours < 1.1 * log_loss(y_test, model.predict_proba(X_test))
    booster = mddag.sparsify(model.booster_, X, max_loss=0.03, **FAST)
    np.testing.assert_allclose(booster.predict_proba(X_test), fast.predict_proba(X_test), atol=0.02)


def test_another_fit_takes_the_promise_back(hastie):
    model, X, y, _, _ = hastie
    fast = mddag.sparsify(model, X, y, max_disagreement=0.05, **FAST)
    assert fast.result_.confidence == 0.9
    assert fast.set_params(beta=0.5).fit(X, y).result_.confidence is None


def test_time_wants_fewer_decisions_or_none(hastie):
    model, X, y, X_test, _ = hastie
    fast = mddag.sparsify(model, X, y, beta=0.01, objective="time", **FAST)
    assert fast.dag_.expected_speedup >= 1
    assert fast.policy_.every in (1, 16)
    careful = mddag.sparsify(model, X, y, beta=1e-6, objective="time", solver=Margin(every=16))
    assert careful.policy_.evaluates_all
    assert (careful.predict(X_test) == model.predict(X_test)).all()


def test_regressors_lose_at_most_so_much_r2(friedman):
    model, X, y, X_test, y_test = friedman
    fast = mddag.sparsify(model, X, y, max_loss=0.02, solver=Prefix())
    assert isinstance(fast, mddag.MDDAGRegressor)
    assert fast.score(X_test, y_test) > model.score(X_test, y_test) - 0.02
    assert fast.n_evaluated(X_test).mean() < 60
    own = mddag.sparsify(model, X, budget=30, solver=Prefix())
    assert own.n_evaluated(X_test).mean() <= 30


def test_several_classes_frames_and_prices():
    X, y = make_classification(6000, n_informative=6, n_classes=3, random_state=0)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = LGBMClassifier(n_estimators=20, **LGBM).fit(frame[:2000], y[:2000])
    fast = mddag.sparsify(model, frame[2000:4000], y[2000:4000], max_disagreement=0.05, **FAST)
    assert np.mean(fast.predict(frame[4000:]) != model.predict(frame[4000:])) <= 0.05
    assert fast.feature_names_in_[0] == "c0"
    priced = mddag.as_ensemble(model).with_cost(np.linspace(1, 50, 20))
    fast = mddag.sparsify(priced, frame[2000:4000], y[2000:4000], beta=1e-3, **FAST)
    assert fast.trace(frame[4000:]).cost.mean() < 20 * 25


def test_rows_of_one_class_are_told(hastie):
    model, X, y, _, _ = hastie
    with pytest.warns(DoubtfulResult, match="in all, have the label 'in' alone") as told:
        mddag.sparsify(model, X[y == "in"], y[y == "in"], beta=1e-3, **FAST)
    assert told[0].filename == __file__
    said_in = X[model.predict(X) == "in"]
    with pytest.warns(DoubtfulResult, match="get from the model the label 'in' alone"):
        mddag.sparsify(model, said_in, beta=1e-3, **FAST)


@pytest.mark.parametrize(
    "knob", [{"beta": 0.01}, {"budget": 20}, {"max_loss": 0.1, "confidence": None}]
)
def test_few_rows_are_told(hastie, knob):
    model, X, y, _, _ = hastie
    name = next(iter(knob))
    few = slice(FEWEST_ROWS[name] - 1)
    with pytest.warns(DoubtfulResult, match=rf"rows, but {name} wants \d+ or more") as told:
        mddag.sparsify(model, X[few], y[few], **knob, **FAST)
    assert told[0].filename == __file__


@pytest.mark.parametrize("knob", [{"beta": 0.01}, {"budget": 20}])
def test_confidence_without_effect_is_told(hastie, knob):
    model, X, y, _, _ = hastie
    ((name, value),) = knob.items()
    message = f"confidence=0.99 has no effect with {name}={value}"
    with pytest.warns(DoubtfulResult, match=message) as told:
        mddag.sparsify(model, X, y, **knob, confidence=0.99, **FAST)
    assert told[0].filename == __file__
    mddag.sparsify(model, X, y, **knob, confidence=None, **FAST)


def test_what_cannot_be_proved_is_told_at_the_line_that_asked(hastie):
    class Nothing:
        def solve(self, mdp, selection=None):
            return mddag.Policy.prefix(0, mdp.n_steps, mdp.grid)

    model, X, y, _, _ = hastie
    with pytest.warns(DoubtfulResult, match="full model, which is returned") as told:
        fast = mddag.sparsify(model, X, y, max_disagreement=0.02, solver=Nothing())
    assert told[0].filename == __file__
    assert fast.result_.evaluates_all
    assert type(fast.result_.confidence) is float


@pytest.mark.parametrize("solver", [None, Margin(), Sarsa(n_episodes=500, evaluate_every=100)])
def test_the_result_depends_on_neither_threads_nor_jobs(hastie, solver):
    model, X, y, _, _ = hastie
    one, *others = (
        mddag.sparsify(model, X[:1000], y[:1000], budget=10, solver=solver, **settings)
        for settings in ({}, {"n_jobs": -1}, {"n_jobs": 2})
    )
    for other in others:
        assert_same(one, other)
    assert [m.n_jobs for m in others] == [-1, 2]
