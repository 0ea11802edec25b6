"""Fitted estimators as they are served: one row, prices, explanations, files and code."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier, MDDAGRegressor
from mddag.solvers import Margin, Sarsa
from tests.inspection.explanation.models import classifier, frame
from tests.messages.models import X, scaled
from tests.serving.model_file.agreement import Table


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_regressors_come_back_with_their_link(tmp_path, loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    boost = HistGradientBoostingRegressor(loss=loss, max_iter=10, max_leaf_nodes=4)
    model = MDDAGRegressor(boost, beta=1e-4, solver=Sarsa(n_episodes=5000), random_state=0)
    model.fit(X, np.exp(X[:, 0])).save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert [loaded.predict_one(x) for x in X] == model.predict(X).tolist()
    assert model.predict_one(X[0]) == loaded.predict_one(X[0].tolist()) == model.predict(X)[0]
    with pytest.raises(ValueError, match="no classes for probabilities; use predict or scores"):
        model.predict_proba_one(X[0])
    assert loaded.model.result.full_evaluation == model.result_.full_evaluation


def test_estimators_answer_single_rows_by_their_last_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = MDDAGClassifier(AdaBoostMHClassifier(n_rounds=5), solver=Sarsa(n_episodes=5000))
    for y in (X[:, 0] > 0, X[:, 1] > 0):
        model.fit(X, y)
        assert [model.predict_one(x) for x in X] == model.predict(X).tolist()
        got = np.array([model.predict_proba_one(x) for x in X])
        np.testing.assert_array_equal(got, model.predict_proba(X))
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_one(X[0].tolist()) == model.predict(X)[0]
    assert "_predictor" not in vars(clone(model))
    with pytest.raises(NotFittedError):
        MDDAGClassifier().predict_one(X[0])


def test_one_predictor_answers_for_the_estimator_on_its_threads():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = MDDAGClassifier(AdaBoostMHClassifier(n_rounds=5), solver=Margin()).fit(X, X[:, 0] > 0)
    served = model.untransformed()
    assert model.untransformed() is served
    assert (served.model.dag, served.model.calibration) == (model.dag_, model.calibration_)
    labels = model.predict(X)
    assert model.set_params(n_jobs=2).untransformed().n_jobs == 2
    np.testing.assert_array_equal(model.predict(X), labels)
    everywhere = model.set_params(n_jobs=-1).fit(X, X[:, 0] > 0).untransformed()
    assert model.untransformed() is everywhere
    with pytest.raises(ValueError, match="n_jobs is 0"):
        model.set_params(n_jobs=0).predict(X)


def test_what_was_measured_after_the_fit_is_saved_too(framed, tmp_path):
    model = framed[0]
    model.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag").model
    assert loaded.result == model.result_
    X = framed[2]
    taught = mddag.sparsify(framed[1], X, beta=0.01, solver=Margin())
    assert taught.predictor().model.result.against == "model"


TOWNS = np.array(["ulm", "bonn", "rome", "paris"])


@pytest.fixture(scope="module")
def framed():
    """A model of a frame with a column that decides, and the rows."""
    rng = np.random.default_rng(0)
    town = rng.integers(0, 4, 1200)
    X = pd.DataFrame({"town": pd.Categorical(TOWNS[town]), "x": rng.normal(size=1200)})
    y = ((town % 2) ^ (rng.random(1200) < 0.1)).astype(int)
    boost = LGBMClassifier(n_estimators=20, num_leaves=4, verbose=-1, n_jobs=1).fit(
        X[:600], y[:600]
    )
    return mddag.sparsify(boost, X[600:], y[600:], beta=1e-3, solver=Margin()), boost, X, y


CALLS = {
    "estimator": lambda model, boost, X, y: model.predict(X),
    "estimator, probabilities": lambda model, boost, X, y: model.predict_proba(X),
    "estimator, score": lambda model, boost, X, y: model.score(X, y),
    "estimator, encode": lambda model, boost, X, y: model.encode(X),
    "trace": lambda model, boost, X, y: model.trace(X),
    "Predictor": lambda model, boost, X, y: model.predictor().predict(X),
    "Predictor, probabilities": lambda model, boost, X, y: model.predictor().predict_proba(X),
    "Predictor, encode": lambda model, boost, X, y: model.predictor().encode(X),
    "sparsify": lambda model, boost, X, y: mddag.sparsify(boost, X, y, beta=0.01, solver=Margin()),
    "sweep": lambda model, boost, X, y: mddag.sweep(boost, X, y, betas=[0.01], solver=Margin()),
    "fit": lambda model, boost, X, y: MDDAGClassifier(boost, solver=Margin()).fit(X, y),
    "ensemble": lambda model, boost, X, y: mddag.as_ensemble(boost).scores(X),
}
ONE_ROW = {
    "estimator, one row": lambda model, boost, X, y: model.predict_one(X[:1]),
    "Predictor, one row": lambda model, boost, X, y: model.predictor().predict_one(X[:1]),
}


@pytest.mark.parametrize("name", CALLS | ONE_ROW)
def test_codes_in_a_category_column_are_refused_by_every_call(framed, name):
    model, boost, X, y = framed
    codes = X["town"].cat.codes
    given = [X.assign(town=codes), X.assign(town=pd.Categorical(codes))]
    given.append(pl.DataFrame({"town": codes.tolist(), "x": X["x"].tolist()}))
    for rows in given:
        with pytest.raises(ValueError, match=r"column 'town' holds numbers.* trained on strings"):
            (CALLS | ONE_ROW)[name](model, boost, rows, y)


@pytest.mark.parametrize("name", CALLS)
def test_a_column_without_a_known_value_warns_by_every_call(framed, name):
    model, boost, X, y = framed
    upper = X["town"].astype(str).str.upper()
    for rows in (
        X.assign(town=upper),
        pl.DataFrame({"town": upper.tolist(), "x": X["x"].tolist()}),
    ):
        with pytest.warns(UserWarning, match="no value of column 'town' .*'bonn'") as caught:
            CALLS[name](model, boost, rows, y)
        assert {warning.filename for warning in caught} == {__file__}


def test_one_row_with_an_unknown_value_is_answered_without_a_warning(framed):
    """As a missing value; a server would warn at every such request."""
    model, _, X, _ = framed
    row = {"town": "rome", "x": X["x"][0]}
    frame, empty = pd.DataFrame([row]), pd.DataFrame([row | {"town": None}])
    for of in (model, model.predictor()):
        wanted = of.predict_one(row | {"town": None})
        assert of.predict_one(row) == of.predict_one(frame) == wanted
        assert of.predict_one(pd.Series(row)) == wanted
        assert of.predict(frame) == of.predict(empty) == wanted
        np.testing.assert_array_equal(of.predict_proba(frame)[0], of.predict_proba_one(row))


def test_frames_are_encoded_once_for_estimators_as_well(framed):
    model, _, X, _ = framed
    rows = model.encode(X)
    for method in ("predict", "predict_proba", "decision_function", "scores", "n_evaluated"):
        np.testing.assert_array_equal(getattr(model, method)(rows), getattr(model, method)(X))
    np.testing.assert_array_equal(rows, model.predictor().encode(X))
    np.testing.assert_array_equal(model.predictor().predict(rows), model.predict(X))
    assert [model.predict_one(row) for row in rows[:50]] == model.predict(X)[:50].tolist()
    assert model.predict_one({"x": X["x"][0], "town": X["town"][0]}) == model.predict(X)[0]


def test_infinities_are_read_by_every_call_but_fit(framed):
    model, boost, X, y = framed
    X = X.copy()
    X.loc[::3, "x"], X.loc[1::3, "x"] = np.inf, -np.inf
    predictor = model.predictor()
    np.testing.assert_array_equal(predictor.predict(X), model.predict(X))
    np.testing.assert_array_equal(predictor.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(
        mddag.compile(model.ensemble_).scores(X) > 0, boost.predict(X)[:, None]
    )
    full = mddag.sparsify(boost, X, y, beta=0.001, solver=Margin())
    assert mddag.sweep(boost, X, y, betas=[0.01], solver=Margin()).train_loss[0] < 0.3
    assert full.score(X, y) > 0.8
    with pytest.raises(ValueError, match="X contains infinity"):
        MDDAGClassifier(boost, solver=Margin()).fit(X.replace(-np.inf, 0.0), y)


def test_there_is_nothing_to_save_before_fit(tmp_path):
    with pytest.raises(NotFittedError):
        MDDAGClassifier().save(tmp_path / "model.mddag")
    with pytest.raises(NotFittedError):
        MDDAGClassifier().predictor()


def test_a_fitted_estimator_is_exported(tmp_path):
    X = np.random.default_rng(0).normal(size=(100, 3))
    model = MDDAGClassifier(AdaBoostMHClassifier(n_rounds=5), solver=Sarsa(n_episodes=5000))
    model.fit(X, X[:, 0] > 0).export(tmp_path / "net.h", name="net")
    mddag.export(model, tmp_path / "again.h", name="net")
    assert "static inline int net_predict(const net_value *x)" in (tmp_path / "net.h").read_text()
    assert (tmp_path / "net.h").read_bytes() == (tmp_path / "again.h").read_bytes()


def test_rows_come_in_any_form_of_predict_one():
    model, row = classifier(), frame().iloc[7]
    one = model.explain(row)
    assert one == model.explain(row.to_dict())
    assert one == model.explain(row.to_numpy())
    assert one == model.explain(frame().iloc[[7]])
    assert one.prediction == model.predict_one(row)


def test_behind_a_pipeline_the_features_are_those_that_the_ensemble_reads():
    model = scaled()
    one = model.explain(X[:1])
    assert one.prediction == model.predict(X[:1])[0]
    with pytest.raises(ValueError, match=r"x has 2 rows; wanted one row, \(1, n_features\)"):
        model.explain(X[:2])


GROUPS = {"form": [0, 1, 2], "lab": [3, 4, 5]}


@pytest.fixture(scope="module")
def data():
    return make_classification(900, 8, n_informative=5, random_state=0)


@pytest.fixture(scope="module")
def sparse(data):
    X, y = data
    full = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(X[:300], y[:300])
    return mddag.sparsify(full, X[300:], y[300:], beta=0.003)


def test_a_sparse_model_gets_prices_and_predicts_the_same(data, sparse, tmp_path):
    X = data[0][:200]
    priced = sparse.with_prices({"form": 0, "lab": 5, 6: 1, 7: 2}, GROUPS, wave_cost=0.5)
    np.testing.assert_array_equal(priced.predict(X), sparse.predict(X))
    assert priced.feature_prices.names == ("form", "lab", 6, 7)
    trace = priced.trace(X)
    np.testing.assert_array_equal(priced.feature_cost(X), trace.feature_cost)
    np.testing.assert_array_equal(priced.groups_bought(X), trace.groups)
    assert sparse.feature_prices is None, "the source stays as it was"
    priced.save(tmp_path / "net.mddag")
    predictor = mddag.load(tmp_path / "net.mddag")
    assert "prices: 8 for 4 groups (form 0, lab 5, 6 1, 7 2), 0.5 per wave" in str(predictor)
    fetch = Table(predictor, X)
    result = predictor.predict_lazy(fetch, n_rows=len(X), return_details=True)
    np.testing.assert_array_equal(result.predictions, sparse.predict(X))
    np.testing.assert_array_equal(result.probabilities, sparse.predict_proba(X))
    np.testing.assert_array_equal(result.feature_cost, trace.feature_cost)


def test_behind_a_pipeline_features_are_those_of_the_ensemble(data):
    X, y = data
    full = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=5))
    sparse = mddag.sparsify(full.fit(X[:300], y[:300]), X[300:], y[300:], beta=0.01)
    priced = sparse.with_prices(np.ones(8))
    assert (priced.feature_cost(X) <= 8).all()
    with pytest.raises(ValueError, match="the model reads rows after"):
        priced.predictor()


def test_without_prices_the_error_says_what_to_do(data, sparse):
    with pytest.raises(ValueError, match="no prices of features; give them by with_prices"):
        sparse.feature_cost(data[0])
    with pytest.raises(ValueError, match="no prices of features; give them by with_prices"):
        sparse.groups_bought(data[0])
