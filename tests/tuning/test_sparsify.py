import inspect

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from sklearn.datasets import make_classification, make_friedman1, make_hastie_10_2
from sklearn.metrics import log_loss

import mddag
from mddag._internal.doubts import FEWEST_ROWS, DoubtfulResult
from mddag.losses import ZeroOne
from mddag.ordering import Correlation
from mddag.solvers import (
    QWYC,
    Certificate,
    Descent,
    Margin,
    Portfolio,
    Prefix,
    Residual,
    Sarsa,
    Stopping,
    WatkinsQ,
)
from tests.tuning.sweeps import BestPrefix

FAST = {"solver": Margin(), "ordering": Correlation()}
LGBM = {"num_leaves": 6, "n_jobs": 1, "verbose": -1}


@pytest.fixture(scope="module")
def hastie():
    X, y = make_hastie_10_2(12_000, random_state=0)
    y = np.where(y > 0, "in", "out")
    model = LGBMClassifier(n_estimators=60, **LGBM).fit(X[:3000], y[:3000])
    return model, X[3000:9000], y[3000:9000], X[9000:], y[9000:]


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(8000, random_state=0)
    model = LGBMRegressor(n_estimators=60, **LGBM).fit(X[:2000], y[:2000])
    return model, X[2000:6000], y[2000:6000], X[6000:], y[6000:]


def test_beta_is_the_price(hastie):
    model, X, y, X_test, _ = hastie
    dear, cheap = (mddag.sparsify(model, X, y, beta=beta, **FAST) for beta in (0.01, 1e-4))
    assert dear.n_evaluated(X_test).mean() < cheap.n_evaluated(X_test).mean()
    assert isinstance(dear, mddag.MDDAGClassifier)
    assert dear.beta == 0.01
    assert set(dear.predict(X_test)) == {"in", "out"}


def test_the_budget_holds_on_fresh_rows_but_for_chance(hastie):
    model, X, y, X_test, y_test = hastie
    fast = mddag.sparsify(model, X, y, budget=25, **FAST)
    assert fast.n_evaluated(X_test).mean() < 26
    assert fast.score(X_test, y_test) > 0.8 * model.score(X_test, y_test)


SOLVERS = [
    *(QWYC(), Certificate(), Margin(), Prefix(), Residual(), Stopping()),
    Descent(n_starts=0, n_sweeps=1),
    Portfolio((Margin(),)),
    *(learner(n_episodes=500, evaluate_every=500) for learner in (Sarsa, WatkinsQ)),
]


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # Certificate() meets no such budget
@pytest.mark.parametrize("knob", [{"beta": 0.01}, {"budget": 5}, {"max_loss": 0.05}], ids=str)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_every_solver_serves_every_knob(hastie, solver, knob):
    model, X, y, *_ = hastie
    fast = mddag.sparsify(model, X[:1500], y[:1500], **knob, confidence=None, solver=solver)
    assert fast.summary_.n_evaluated <= knob.get("budget", 60)


def test_the_solvers_are_all_there_are():
    contract = {"Candidates", "Family", "Solver", "Rejection"}  # the last has another objective
    assert {type(solver).__name__ for solver in SOLVERS} == set(mddag.solvers.__all__) - contract


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
    assert (fast.promise_.knob, fast.promise_.bound, fast.promise_.confidence) == (knob, 0.02, 0.9)


def test_a_point_estimate_promises_nothing(hastie):
    model, X, y, X_test, _ = hastie
    fast = mddag.sparsify(model, X, y, max_disagreement=0.02, confidence=None, **FAST)
    assert 0.002 < np.mean(fast.predict(X_test) != model.predict(X_test)) < 0.03
    assert not hasattr(fast, "promise_")


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
    assert fast.promise_.bound == 0.05
    assert not hasattr(fast.set_params(beta=0.5).fit(X, y), "promise_")


def test_time_wants_fewer_decisions_or_none(hastie):
    model, X, y, X_test, _ = hastie
    fast = mddag.sparsify(model, X, y, beta=0.01, objective="time", **FAST)
    assert fast.dag_.expected_speedup >= 1
    assert fast.policy_.every in (1, 16)
    careful = mddag.sparsify(model, X, y, beta=1e-6, objective="time", every=1, **FAST)
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


@pytest.mark.parametrize("prices", [np.zeros(60), np.geomspace(1e-3, 1e3, 60)])
def test_a_budget_counts_evaluations_whatever_they_cost(hastie, prices):
    model, X, y, X_test, y_test = hastie
    ensemble = mddag.as_ensemble(model)
    plain, priced = (
        mddag.sparsify(e, X[:1500], y[:1500], budget=15)
        for e in (ensemble, ensemble.with_cost(prices))
    )
    np.testing.assert_array_equal(priced.n_evaluated(X_test), plain.n_evaluated(X_test))
    assert priced.score(X_test, y_test) > 0.7


def test_prices_of_errors_count(hastie):
    model, X, y, X_test, y_test = hastie
    loss = ZeroOne(weights=(1.0, 20.0))
    plain, careful = (
        mddag.sparsify(model, X, y, beta=0.003, loss=given, solver=BestPrefix())
        for given in (None, loss)
    )
    mdp = mddag.MDP(plain.ensemble_.votes(X_test), (y_test == "out") * 1, loss=loss, beta=0.003)
    assert mdp.evaluate(careful.policy_).objective < mdp.evaluate(plain.policy_).objective
    winner = careful.predict_proba(X_test).argmax(axis=1)
    np.testing.assert_array_equal(careful.predict(X_test), careful.classes_[winner])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "got none; wanted exactly one of beta, budget, max_loss, max_disagreement"),
        ({"beta": 0.1, "budget": 3}, "got beta=0.1, budget=3; wanted exactly one"),
        ({"beta": -1}, "beta is -1"),
        ({"budget": 0}, "budget is 0; wanted a number above 0"),
        ({"max_loss": 1.5}, "max_loss is 1.5; wanted a number above 0 and below 1"),
        ({"max_loss": 0.1, "confidence": 1.0}, "confidence is 1.0; wanted a number from 0.5"),
        ({"max_loss": 0.1, "confidence": "0.9"}, "confidence is '0.9'; wanted a number from 0.5"),
        ({"max_loss": 0.1, "confidence": 0.99999}, "no number of rows proves max_loss with 0.9999"),
        ({"max_loss": 0.0001}, "6000 rows are too few to promise max_loss=0.0001"),
        ({"beta": 0.1, "solver": "margin"}, "solver is 'margin'; wanted an object with solve"),
        ({"beta": 0.1, "objective": "speed"}, "objective is 'speed'; wanted one of"),
        ({"beta": 0.1, "ordering": "best"}, "ordering is 'best'"),
    ],
)
def test_bad_wishes_are_refused(hastie, given, message):
    model, X, y, _, _ = hastie
    with pytest.raises((TypeError, ValueError), match=message):
        mddag.sparsify(model, X, y, **given)


def test_what_has_no_labels_cannot_disagree(friedman):
    model, X, y, _, _ = friedman
    with pytest.raises(ValueError, match="a regressor has no labels to disagree on"):
        mddag.sparsify(model, X, y, max_disagreement=0.1)
    ranker = LGBMRanker(n_estimators=2, **LGBM).fit(X[:100], y[:100] > 14, group=[100])
    with pytest.raises(ValueError, match="qid is missing"):
        mddag.sparsify(ranker, X, y, beta=0.1)


class Everything:
    """A solver that knows one policy."""

    def solve(self, mdp, selection=None):
        return mdp.evaluate_all()


def test_a_budget_that_no_policy_meets_is_told_with_what_is_returned(hastie):
    model, X, y, X_test, _ = hastie
    message = (
        r"Everything found no policy within budget=10: those that evaluate anything evaluate 60 "
        r"base classifiers per row or more\. Returned is a policy that evaluates nothing .*; give a"
    )
    with pytest.warns(DoubtfulResult, match=message) as told:
        fast = mddag.sparsify(model, X, y, budget=10, solver=Everything())
    assert told[0].filename == __file__
    assert not fast.n_evaluated(X_test).any()
    with pytest.warns(DoubtfulResult, match="Margin found no policy within budget=10"):
        mddag.sparsify(model, X, y, budget=10, every=30, solver=Margin())


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
    for confidence in (0.9, 0.99):
        message = f"confidence={confidence} has no effect beside {name}={value}"
        with pytest.warns(DoubtfulResult, match=message) as told:
            mddag.sparsify(model, X, y, **knob, confidence=confidence, **FAST)
        assert told[0].filename == __file__
    mddag.sparsify(model, X, y, **knob, confidence=None, **FAST)


def test_the_default_confidence_reads_as_a_number():
    default = inspect.signature(mddag.sparsify).parameters["confidence"].default
    assert repr(default) == "0.9"
    assert default == 0.9


def test_what_cannot_be_proved_is_told_at_the_line_that_asked(hastie):
    class Nothing:
        def solve(self, mdp, selection=None):
            return mddag.Policy.prefix(0, mdp.n_steps, mdp.grid)

    model, X, y, _, _ = hastie
    with pytest.warns(DoubtfulResult, match="which is returned; give more rows or") as told:
        fast = mddag.sparsify(model, X, y, max_disagreement=0.02, solver=Nothing())
    assert told[0].filename == __file__
    assert fast.summary_.evaluates_all
    assert type(fast.promise_.confidence) is float


KNOBS = [
    {"beta": 0.003},
    {"budget": 20},
    {"max_loss": 0.02, "confidence": None},
    {"max_disagreement": 0.02, "confidence": None},
]


def assert_same(one, other):
    np.testing.assert_array_equal(one.policy_.actions, other.policy_.actions)
    np.testing.assert_array_equal(one.policy_.grid.edges, other.policy_.grid.edges)
    np.testing.assert_array_equal(one.policy_.order, other.policy_.order)
    np.testing.assert_allclose(one.calibration_.factors, other.calibration_.factors, rtol=1e-8)
    assert one.evaluation_.loss == pytest.approx(other.evaluation_.loss)
    assert one.beta == other.beta


@pytest.mark.parametrize("knob", KNOBS, ids=str)
def test_a_common_factor_of_weights_changes_nothing(hastie, knob):
    model, X, y, _, _ = hastie
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    one, *others = (
        mddag.sparsify(model, X, y, **knob, sample_weight=w, **FAST)
        for w in (weight, weight / 7, 1e6 * weight)
    )
    for other in others:
        assert_same(one, other)
    plain = mddag.sparsify(model, X, y, **knob, **FAST)
    assert_same(plain, mddag.sparsify(model, X, y, **knob, sample_weight=[0.3] * len(y), **FAST))
    assert not np.array_equal(plain.calibration_.factors, one.calibration_.factors)


def test_a_common_factor_changes_nothing_for_the_default_solver(hastie):
    model, X, y, _, _ = hastie
    weight = np.random.default_rng(0).uniform(0.1, 3, 1000)
    one, other = (
        mddag.sparsify(model, X[:1000], y[:1000], budget=10, sample_weight=w)
        for w in (weight, 3 * weight)
    )
    assert_same(one, other)


@pytest.mark.parametrize("knob", [*KNOBS, {"max_disagreement": 0.02}], ids=str)
def test_rows_of_weight_zero_are_as_if_they_were_not_given(hastie, knob):
    model, X, y, _, _ = hastie
    weight = (np.arange(len(y)) % 3 > 0).astype(int)
    frame = pd.DataFrame(X, columns=model.feature_name_)
    among = mddag.sparsify(model, frame, y.tolist(), **knob, sample_weight=weight, **FAST)
    alone = mddag.sparsify(model, frame[weight > 0], y[weight > 0], **knob, **FAST)
    assert_same(among, alone)
    assert hasattr(among, "promise_") == (knob == {"max_disagreement": 0.02})


def test_without_labels_weights_count_as_well(hastie):
    model, X, _, _, _ = hastie
    weight = np.where(np.arange(len(X)) < 3000, 1.0, 0.0)
    settings = {"max_disagreement": 0.02, "confidence": None, **FAST}
    assert_same(
        mddag.sparsify(model, X, sample_weight=weight, **settings),
        mddag.sparsify(model, X[:3000], **settings),
    )


def test_a_budget_is_a_weighted_mean(hastie):
    model, X, y, _, _ = hastie
    margin = np.abs(model.predict(X, raw_score=True))
    weight = np.where(margin < np.median(margin), 10.0, 0.1)  # hard rows count
    plain = mddag.sparsify(model, X, y, budget=15, **FAST)
    heavy = mddag.sparsify(model, X, y, budget=15, sample_weight=weight, **FAST)
    assert np.average(plain.n_evaluated(X), weights=weight) > 17
    assert np.average(heavy.n_evaluated(X), weights=weight) < 15.5
    assert heavy.evaluation_.n_evaluated < 15.5


def test_harm_is_a_weighted_mean(hastie):
    model, X, y, _, _ = hastie
    margin = np.abs(model.predict(X, raw_score=True))
    weight = np.where(margin > np.median(margin), 10.0, 0.1)  # easy rows count
    settings = {"max_disagreement": 0.02, "confidence": None, **FAST}
    plain = mddag.sparsify(model, X, y, **settings)
    heavy = mddag.sparsify(model, X, y, sample_weight=weight, **settings)
    changed = heavy.predict(X) != model.predict(X)
    assert np.average(changed, weights=weight) < 0.025 < 0.04 < changed.mean()
    assert heavy.n_evaluated(X).mean() < 0.8 * plain.n_evaluated(X).mean()


@pytest.mark.parametrize("knob", [{"max_loss": 0.05}, {"max_disagreement": 0.05}])
def test_rows_that_count_differently_prove_nothing(hastie, knob):
    model, X, y, _, _ = hastie
    weight = np.linspace(1, 2, len(y))
    with pytest.raises(ValueError, match=r"sample_weight differs .* give confidence=None for the"):
        mddag.sparsify(model, X, y, **knob, sample_weight=weight, **FAST)
    equal = mddag.sparsify(model, X, y, **knob, sample_weight=np.full(len(y), 2), **FAST)
    assert equal.promise_.bound == 0.05


def test_numbers_are_weighed_in_the_unit_the_harm_and_the_lines(friedman):
    model, X, y, _, _ = friedman
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    settings = {"max_loss": 0.03, "confidence": None, "solver": Prefix()}
    one, other = (
        mddag.sparsify(model, X, y, sample_weight=w, **settings) for w in (weight, 5 * weight)
    )
    assert_same(one, other)
    mean = np.average(y, weights=weight)
    adopted = mddag.MDDAGRegressor(model, beta=0.1).adopt(one.policy_, X, y, weight)
    unit = np.average((y - mean) ** 2, weights=weight)
    value = adopted.evaluation_
    assert value.objective - value.loss == pytest.approx(0.1 * unit * value.cost)
    with pytest.raises(ValueError, match="sample_weight differs from row to row, but what proves"):
        mddag.sparsify(model, X, y, max_loss=0.03, sample_weight=weight)


def test_bad_weights_and_jobs_are_refused(hastie):
    model, X, y, _, _ = hastie
    for settings, message in [
        ({"sample_weight": np.ones(3)}, r"sample_weight has shape \(3,\); wanted one number per"),
        ({"sample_weight": np.zeros(len(y))}, "sample_weight is zero for all 6000 rows"),
        ({"sample_weight": np.full(len(y), -1)}, r"sample_weight\[0\] is -1.0; wanted finite"),
        ({"n_jobs": 0}, "n_jobs is 0; wanted a whole number of workers, -1 for all cores, or None"),
        ({"n_threads": 0}, "n_threads is 0; wanted a whole number, 1 or more, or -1 for all cores"),
    ]:
        with pytest.raises(ValueError, match=message):
            mddag.sparsify(model, X, y, beta=0.01, **settings, **FAST)


@pytest.mark.parametrize("solver", [None, Margin(), Sarsa(n_episodes=500, evaluate_every=100)])
def test_the_result_depends_on_neither_threads_nor_jobs(hastie, solver):
    model, X, y, _, _ = hastie
    one, *others = (
        mddag.sparsify(model, X[:1000], y[:1000], budget=10, solver=solver, **settings)
        for settings in ({}, {"n_threads": -1}, {"n_jobs": 2}, {"n_threads": 2, "n_jobs": -1})
    )
    for other in others:
        assert_same(one, other)
    assert [m.n_threads for m in others] == [-1, 1, 2]
