"""What classifier and regressor share; their own files test them through scikit-learn's checks."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import mddag
from mddag import MDDAGClassifier, MDDAGRegressor
from mddag._utils.checks import usable_cores
from mddag.estimators.dag_estimator import chosen_solver
from mddag.estimators.fitted_model import fitted_model
from mddag.losses import Logistic, ZeroOne
from mddag.policy import Correlation, Given
from mddag.solvers import Margin, Portfolio, Prefix, Sarsa

X, y = load_breast_cancer(return_X_y=True)
MODEL = GradientBoostingClassifier(n_estimators=30, max_depth=2, random_state=0).fit(
    X[:250], y[:250]
)
WEIGHT = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
REGRESSOR = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X[:250], X[:250, 0])


def test_a_policy_of_a_sweep_can_be_adopted():
    curve = mddag.sweep(MODEL, X[250:], y[250:], betas=[0.001], solver=Margin())
    model = MDDAGClassifier(MODEL, beta=0.001).adopt(curve.policies[0], X[250:], y[250:])
    assert model.policy_ is curve.policies[0]
    assert model.predict_proba(X).shape == (len(X), 2)
    assert model.n_features_in_ == X.shape[1]


def test_soft_targets_calibrate_an_adopted_policy():
    soft = MODEL.predict_proba(X)
    everything = mddag.compile(mddag.as_ensemble(MODEL)).policy
    for weight in (None, WEIGHT):
        model = MDDAGClassifier(MODEL).adopt(everything, X, soft, weight)
        np.testing.assert_allclose(model.predict_proba(X), soft, atol=1e-6)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        MDDAGClassifier(MODEL).adopt(everything, X[:5], soft)


def test_exits_are_calibrated_to_what_the_full_ensemble_says():
    """Of 319 rows hardly one that leaves early is wrong: labels could not tell how sure to be."""
    model = MDDAGClassifier(MODEL, beta=0.002, loss=Logistic(), random_state=0).fit(
        X[250:], y[250:]
    )
    full = mddag.compile(model.ensemble_).policy
    said = MDDAGClassifier(MODEL).adopt(full, X[250:], y[250:]).predict_proba(X[250:])
    assert model.n_evaluated(X[250:]).mean() < 20
    assert np.abs(model.predict_proba(X[250:]) - said).mean() < 0.05


def test_the_order_of_decisions_is_a_parameter():
    given = MDDAGClassifier(MODEL, beta=0.001, solver=Margin(), ordering=Given()).fit(X, y)
    assert given.policy_.order.tolist() == list(range(30))
    better = MDDAGClassifier(MODEL, beta=0.001, solver=Margin(), ordering=None).fit(X, y)
    assert better.policy_.order.tolist() != list(range(30))
    assert set(better.trace(X).indices.tolist()) <= set(range(30))
    np.testing.assert_allclose(
        better.ensemble_.scores(X)[:, 0], MODEL.decision_function(X), atol=1e-9
    )


def test_what_cannot_be_adopted_is_refused():
    with pytest.raises(TypeError, match="policy is None; wanted a Policy"):
        MDDAGClassifier(MODEL).adopt(None, X, y)
    everything = mddag.Policy.constant(0, 30, mddag.Grid(np.empty(0)))
    with pytest.raises(ValueError, match="1d array"):
        MDDAGRegressor(MODEL).adopt(everything, X, np.c_[y, y])


def test_one_decision_can_cover_several():
    model = MDDAGClassifier(MODEL, beta=0.001, solver=Margin(), every=8).fit(X, y)
    assert model.policy_.every == 8
    assert set(model.n_evaluated(X).tolist()) <= {0, 8, 16, 24, 30}


def test_prices_of_errors_move_the_decisions_and_keep_the_answers_consistent():
    dear_misses = ZeroOne(weights=(1.0, 50.0))
    plain, careful = (
        MDDAGClassifier(MODEL, beta=0.005, loss=loss, solver=Margin()).fit(X[250:], y[250:])
        for loss in (None, dear_misses)
    )
    again = MDDAGClassifier(MODEL, beta=0.005, loss=dear_misses)
    again.adopt(plain.policy_, X[250:], y[250:])
    assert careful.result_.evaluation.objective < again.result_.evaluation.objective
    labels = careful.predict(X)
    np.testing.assert_array_equal(labels, careful.predict_proba(X).argmax(axis=1))
    np.testing.assert_array_equal(labels, careful.decision_function(X) > 0)


def test_prices_of_base_classifiers_move_the_order():
    ensemble = mddag.as_ensemble(MODEL)
    first = int(Correlation()(ensemble.votes(X))[0])
    cost = np.ones(30)
    cost[first] = 1000.0
    model = MDDAGClassifier(
        ensemble.with_cost(cost), beta=1e-4, solver=Margin(), ordering=Correlation()
    ).fit(X, y)
    assert model.policy_.order[0] != first
    assert model.trace(X).cost.mean() < 1000


@pytest.fixture(scope="module")
def sparsified():
    X, y = make_hastie_10_2(2000, random_state=0)
    model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X[:1000], y[:1000])
    fast = mddag.sparsify(model, X[1000:], y[1000:], beta=1e-3, solver=Margin(), random_state=1)
    return fast, X[1000:], y[1000:]


def as_ever(estimator):
    """What scikit-learn prints, outside and inside of others."""
    outer = make_pipeline(StandardScaler(), estimator), GridSearchCV(estimator, {"beta": [1, 2]})
    return [BaseEstimator.__repr__(estimator), *map(repr, outer)]


def test_a_result_of_sparsify_tells_its_story(sparsified):
    fast, _, _ = sparsified
    assert repr(fast) == str(fast) == str(fast.result_)
    assert repr(pickle.loads(pickle.dumps(fast))) == repr(fast)
    assert "evaluations per row" in estimator_html_repr(fast)
    assert str(fast.result_) in str(fast.predictor())


def test_pipelines_searches_and_clones_print_as_ever(sparsified):
    fast = pickle.loads(pickle.dumps(sparsified[0]))
    fast.set_params(ensemble=MODEL, ordering=Correlation(), n_jobs=2)  # more than a line
    untouched = type("MDDAGClassifier", (MDDAGClassifier,), {"__repr__": BaseEstimator.__repr__})
    plain = untouched(**fast.get_params(deep=False))
    assert as_ever(fast) == as_ever(plain)
    assert repr(clone(fast)) == repr(clone(plain))
    for outer in (make_pipeline(StandardScaler(), fast), GridSearchCV(fast, {"beta": [1, 2]})):
        assert "MDDAGClassifier" in estimator_html_repr(outer)


def test_another_policy_takes_the_result_back(sparsified):
    fast, X, y = sparsified
    for change in (lambda m: m.fit(X, y), lambda m: m.adopt(fast.policy_, X, y)):
        again = change(pickle.loads(pickle.dumps(fast)))
        assert again.result_.made_by == "fit"
        assert repr(again) == BaseEstimator.__repr__(again)
        assert "also fitted the policy" in str(again.predictor())


def test_a_model_says_what_its_losses_are_of():
    everything = mddag.compile(mddag.as_ensemble(MODEL)).policy
    assert MDDAGClassifier(MODEL).adopt(everything, X, y).result_.against == "labels"
    soft = MDDAGClassifier(MODEL).adopt(everything, X, MODEL.predict_proba(X))
    assert soft.result_.against == "probabilities"


def test_policy_rows_of_one_class_are_told():
    of_one = y == 1
    with pytest.warns(mddag.DoubtfulResult, match="have the label 1 alone") as told:
        MDDAGClassifier(MODEL, solver=Margin()).fit(X[of_one], y[of_one])
    assert told[0].filename == __file__
    with pytest.warns(mddag.DoubtfulResult, match="have the label 1 alone") as told:
        mddag.sweep(MODEL, X[of_one], y[of_one], betas=[0.01], solver=Margin())
    assert told[0].filename == __file__


def test_few_rows_for_the_policy_are_told_with_what_to_do():
    for kind, model, target in ((MDDAGClassifier, MODEL, y), (MDDAGRegressor, REGRESSOR, X[:, 0])):
        fitted, unfitted = kind(model, solver=Prefix()), kind(clone(model), solver=Prefix())
        few = "the policy is learned on 249 rows; wanted 250 or more, .*: give more rows$"
        with pytest.warns(mddag.DoubtfulResult, match=few) as told:
            fitted.fit(X[:249], target[:249])
        assert told[0].filename == __file__
        with pytest.warns(
            mddag.DoubtfulResult, match="on 30 rows; .* or a larger policy_fraction$"
        ):
            unfitted.fit(X[:100], target[:100])
        with warnings.catch_warnings():
            warnings.simplefilter("error", mddag.DoubtfulResult)
            fitted.fit(X[:250], target[:250])
            fitted.adopt(fitted.policy_, X[:20], target[:20])  # nothing is learned


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    counted = WEIGHT > 0
    for ensemble in (MODEL, GradientBoostingClassifier(n_estimators=5, random_state=0)):
        settings = {"beta": 0.001, "solver": Margin(), "random_state": 0}
        among = MDDAGClassifier(ensemble, **settings).fit(X, y, WEIGHT)
        alone = MDDAGClassifier(ensemble, **settings).fit(
            X[counted], y[counted], 8 * WEIGHT[counted]
        )
        np.testing.assert_array_equal(among.policy_.actions, alone.policy_.actions)
        np.testing.assert_array_equal(among.predict_proba(X), alone.predict_proba(X))
        assert among.result_.evaluation == alone.result_.evaluation


def test_weights_are_in_evaluations_and_calibration():
    plain = MDDAGClassifier(MODEL, beta=0.001, solver=Margin()).fit(X[250:], y[250:])
    weight = WEIGHT[250:] + 0.5
    adopted = MDDAGClassifier(MODEL, beta=0.001).adopt(plain.policy_, X[250:], y[250:], weight)
    wrong = adopted.predict(X[250:]) != y[250:]
    assert adopted.result_.evaluation.loss == pytest.approx(np.average(wrong, weights=weight))
    n_evaluated = adopted.n_evaluated(X[250:])
    assert adopted.result_.evaluation.n_evaluated == pytest.approx(
        np.average(n_evaluated, weights=weight)
    )
    full = MODEL.predict(X[250:]) != y[250:]
    assert adopted.result_.full_evaluation.loss == pytest.approx(np.average(full, weights=weight))
    again = MDDAGClassifier(MODEL, beta=0.001).adopt(plain.policy_, X[250:], y[250:])
    assert not np.array_equal(adopted.calibration_.factors, again.calibration_.factors)


def test_all_cores_serve_as_well_as_one():
    one, all_cores = (MDDAGClassifier(MODEL, n_jobs=n, solver=Margin()).fit(X, y) for n in (1, -1))
    np.testing.assert_array_equal(one.predict_proba(X), all_cores.predict_proba(X))
    assert all_cores.predictor().n_jobs == usable_cores()
    with pytest.raises(ValueError, match="n_jobs is -2; wanted a whole number, 1 or more"):
        MDDAGClassifier(MODEL, n_jobs=-2).fit(X, y)


@given(factor=st.floats(1e-6, 1e6), seed=st.integers(0, 100))
@settings(deadline=None, max_examples=25)
def test_a_common_factor_of_weights_changes_nothing(factor, seed):
    weight = np.random.default_rng(seed).uniform(0, 3, len(y))
    one, other = (
        MDDAGClassifier(MODEL, beta=0.001, solver=Margin()).fit(X, y, sample_weight=w)
        for w in (weight, factor * weight)
    )
    np.testing.assert_array_equal(one.policy_.actions, other.policy_.actions)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6)


def source(model, held_out=0.3):
    return fitted_model(model, "classifier", X, y, held_out, np.random.RandomState(0))


def test_a_fitted_model_is_used_as_it_is_on_every_row():
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X[:300], y[:300])
    for same in (model, FrozenEstimator(model), mddag.as_ensemble(model)):
        found = source(same)
        assert found.rows.tolist() == list(range(len(y)))
        np.testing.assert_allclose(
            found.ensemble.scores(X)[:, 0],
            model.decision_function(X),
            atol=1e-12,
        )


def test_an_unfitted_model_never_sees_the_policy_rows():
    seen = []

    class Watched(GradientBoostingClassifier):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    found = source(Watched(n_estimators=5))
    assert len(found.rows) == pytest.approx(0.3 * len(y), abs=2)
    assert len(seen[0]) == len(y) - len(found.rows)
    assert not {r.tobytes() for r in X[found.rows]} & {r.tobytes() for r in seen[0]}
    assert source(Watched(n_estimators=5), held_out=0.0).rows.tolist() == list(range(len(y)))


def test_a_regressor_is_refused():
    rows, target = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=2).fit(rows, target)
    with pytest.raises(ValueError, match="that of a regressor; a classifier is wanted here"):
        source(model)


def test_a_model_that_is_fitted_here_gets_the_weights_of_its_rows():
    seen = []

    class Watched(GradientBoostingClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((X, sample_weight))
            return super().fit(X, y, sample_weight)

    weight = np.arange(1.0, len(y) + 1)
    random = np.random.RandomState(0)
    found = fitted_model(Watched(n_estimators=2), "classifier", X, y, 0.3, random, weight)
    rest = np.setdiff1d(np.arange(len(y)), found.rows)
    np.testing.assert_array_equal(seen[0][1], weight[rest])


def test_a_model_that_knows_no_weights_is_refused():
    class Plain(GradientBoostingClassifier):
        def fit(self, X, y):
            return super().fit(X, y)

    random, weight = np.random.RandomState(0), np.ones(len(y))
    with pytest.raises(ValueError, match=r"sample_weight is given, but Plain.fit, which is to"):
        fitted_model(Plain(), "classifier", X, y, 0.3, random, weight)
    fitted = Plain(n_estimators=2).fit(X, y)  # it is not trained here
    assert len(fitted_model(fitted, "classifier", X, y, 0.3, random, weight).rows) == len(y)


def backwards(votes, costs=None, weight=None):
    return np.arange(votes.tables.n_classifiers)[::-1]


def test_every_is_the_solvers():
    assert chosen_solver(Margin(), every=4).every == 4
    assert chosen_solver(Margin(every=2)).every == 2
    with pytest.raises(
        ValueError, match=r"every is 4, but Sarsa.* decides at each base classifier"
    ):
        chosen_solver(Sarsa(), every=4)
    with pytest.raises(ValueError, match="every is 0"):
        chosen_solver(Margin(), every=0)


def test_an_order_reaches_a_solver_that_orders_by_itself():
    assert chosen_solver(None, ordering=backwards).orderings == (backwards,)
    portfolio = Portfolio(every=2)
    assert chosen_solver(portfolio, ordering=backwards).orderings == (backwards,)
    assert portfolio.orderings is None
    with pytest.raises(ValueError, match=r"but Portfolio.* has orders of its own; give one"):
        chosen_solver(Portfolio(orderings=(Given(),)), ordering=backwards)


def test_what_cannot_order_is_refused():
    with pytest.raises(TypeError, match="ordering is 'best'; wanted a callable"):
        chosen_solver(None, ordering="best")
    with pytest.raises(TypeError, match=r"ordering is <class .*; wanted a callable"):
        chosen_solver(Portfolio(orderings=(Given,)))


def test_a_solver_is_told_what_it_can_do():
    assert chosen_solver(Sarsa(), verbose=True).verbose
    own = Sarsa(verbose=True)
    assert chosen_solver(own) is own
    assert chosen_solver(Margin(), verbose=True) == Margin()
