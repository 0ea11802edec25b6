"""A loaded model predicts as the estimator that saved it, without scikit-learn."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier, Predictor
from mddag.calibration import Calibration
from mddag.dag import Dag
from mddag.model_file import Model
from mddag.solvers import Sarsa
from tests.model_file.models import whole_model
from tests.test_import import fresh

UNWANTED = ["sklearn", "scipy", "joblib", "treelite", "pandas", "matplotlib"]


def fitted(X, y, **parameters):
    boost = AdaBoostMHClassifier(n_rounds=12)
    solver = Sarsa(n_episodes=20_000)
    return MDDAGClassifier(boost, beta=1e-3, solver=solver, random_state=0, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def binary():
    X, y = load_breast_cancer(return_X_y=True)
    return fitted(X, np.array(["bad", "good"])[y]), X


@pytest.fixture(scope="module")
def several():
    X, y = load_digits(n_class=4, return_X_y=True)
    return fitted(X, y), X


@pytest.mark.parametrize("name", ["binary", "several"])
def test_a_loaded_model_predicts_the_same_bits(name, request, tmp_path):
    model, X = request.getfixturevalue(name)
    model.save(tmp_path / "model.mddag")
    predictor = mddag.load(tmp_path / "model.mddag")
    np.testing.assert_array_equal(predictor.predict(X), model.predict(X))
    assert predictor.predict(X).dtype == model.predict(X).dtype
    np.testing.assert_array_equal(predictor.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(predictor.scores(X), model.scores(X))
    np.testing.assert_array_equal(predictor.n_evaluated(X), model.n_evaluated(X))
    np.testing.assert_array_equal(predictor.run(X).indices, model.trace(X).indices)
    np.testing.assert_array_equal(predictor.classes_[predictor.codes(X)], model.predict(X))
    assert predictor.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("name", ["binary", "several"])
def test_results_go_where_they_are_wanted(name, request):
    model, X = request.getfixturevalue(name)
    predictor = model.predictor()
    for method in (predictor.predict, predictor.predict_proba, predictor.codes, predictor.scores):
        wanted = method(X)
        out = np.empty_like(wanted)
        assert method(X, out=out) is out
        np.testing.assert_array_equal(out, wanted)
        with pytest.raises(ValueError, match=r"out is .*; wanted C-ordered"):
            method(X, out=out[:-1])
        with pytest.raises(ValueError, match=r"out is .*; wanted C-ordered"):
            method(X, out=out.astype(object))
        with pytest.raises(TypeError, match="out is a list"):
            method(X, out=[])


def test_one_row(binary):
    model, X = binary
    predictor = model.predictor()
    for x, label in zip(X[:20], model.predict(X[:20]), strict=True):
        assert predictor.predict_one(x) == label
        assert type(predictor.predict_one(x)) is type(label)
        assert predictor.predict_one(x.astype(np.float32)) in predictor.classes_
    with pytest.raises(ValueError, match=r"x is a ndarray of float64 \(3,\); wanted one row"):
        predictor.predict_one(X[0, :3])


def test_rows_are_refused_as_the_estimators_refuse_them(binary):
    predictor = binary[0].predictor()
    with pytest.raises(ValueError, match="X has 2 features, but the model reads 30"):
        predictor.predict(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="Expected 2D array"):
        predictor.predict(np.zeros(30))
    with pytest.raises(ValueError, match="dtype <U1"):
        predictor.predict(np.full((3, 30), "a"))


def test_frames_are_read_by_name():
    predictor = Predictor(whole_model())
    frame = pd.DataFrame({"size": [0.0, 1.0], "tøwn": pd.Categorical(["ulm", "ulm"])})
    np.testing.assert_array_equal(predictor.predict(frame), predictor.predict([[0, 0], [1, 0]]))
    with pytest.raises(ValueError, match="another order"):
        predictor.predict(frame[["tøwn", "size"]])


def test_threads_and_pickles_change_nothing(several):
    model, X = several
    predictor = model.predictor()
    wanted = predictor.predict_proba(X)
    again = pickle.loads(pickle.dumps(predictor))
    np.testing.assert_array_equal(again.predict_proba(X), wanted)
    np.testing.assert_array_equal(
        Predictor(model.predictor().model, n_threads=2).scores(X), predictor.scores(X)
    )
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(again.predict_proba, [X] * 8):
            np.testing.assert_array_equal(got, wanted)
    with pytest.raises(ValueError, match="n_threads is 0"):
        Predictor(predictor.model, n_threads=0)


def test_callables_are_served_but_not_saved(tmp_path):
    voters = [lambda X: X[:, 0], lambda X: -X[:, 1]]
    ensemble = mddag.Ensemble.from_callables(voters, n_features=2)
    predictor = Predictor(Model(mddag.compile(ensemble)))
    assert predictor.predict([[2.0, 1.0], [1.0, 2.0]]).tolist() == [1, 0]
    assert predictor.predict_one(np.array([2.0, 1.0])) == 1
    with pytest.raises(TypeError, match="callables"):
        predictor.save(tmp_path / "model.mddag")


def regressor(**changes):
    ensemble = replace(whole_model().dag.ensemble, kind="regressor", classes=None)
    return Predictor(whole_model(dag=Dag(ensemble, whole_model().dag.policy), **changes))


def test_regressors_predict_calibrated_means():
    X = np.array([[0.0, 0.0], [2.0, 1.0]])
    predictor = regressor(calibration=Calibration([0, 0, 1], [1.0, 2.0], [0.5, -0.5]))
    trace = predictor.run(X)
    group = (trace.exit_step == 2).astype(int)
    wanted = trace.scores[:, 0] * np.array([1.0, 2.0])[group] + np.array([0.5, -0.5])[group]
    np.testing.assert_array_equal(predictor.predict(X), wanted)
    np.testing.assert_array_equal(predictor.predict(X, out=np.empty(2)), wanted)
    assert predictor.predict_one(X[1]) == wanted[1]
    assert type(predictor.predict_one(X[1])) is float
    with pytest.raises(ValueError, match="no classes for probabilities"):
        predictor.predict_proba(X)
    with pytest.raises(ValueError, match="a regressor has no classes"):
        predictor.codes(X)
    np.testing.assert_array_equal(regressor(calibration=None).predict(X), predictor.scores(X)[:, 0])


def test_without_classes_there_are_scores_alone():
    ensemble = replace(whole_model().dag.ensemble, classes=None)
    predictor = Predictor(Model(Dag(ensemble, whole_model().dag.policy)))
    assert predictor.scores([[0, 0]]).shape == (1, 3)
    with pytest.raises(ValueError, match="a classifier"):
        predictor.predict([[0, 0]])
    with pytest.raises(ValueError, match="a classifier"):
        predictor.predict_one(np.zeros(2))


def test_without_calibration_there_are_labels_but_no_probabilities():
    predictor = Predictor(Model(whole_model().dag))
    assert predictor.predict([[0, 0]]).shape == (1,)
    with pytest.raises(ValueError, match="no calibration for probabilities"):
        predictor.predict_proba([[0, 0]])


def test_the_summary_says_what_the_model_is():
    text = str(Predictor(whole_model()))
    assert "classifier of 2 base classifiers (3 trees)" in text
    assert "features: 2 (size, tøwn)" in text
    assert "classes: 3 (a, b, ccc)" in text
    assert "policy: 6 cells, decisions every 2 steps, learned for beta = 0.001" in text
    assert text.endswith(f"\n{whole_model().summary}")
    assert "\n" not in repr(Predictor(whole_model()))


@pytest.mark.parametrize(
    ("measured_against", "loss"),
    [
        ("labels", "loss"),
        ("probabilities", "loss expected by the probabilities given"),
        ("model", "loss by the model's own opinion, without labels,"),
        (None, "loss, by labels or by the model where there were none,"),
    ],
)
def test_without_a_summary_it_says_that_nothing_was_held_out(measured_against, loss):
    text = str(Predictor(whole_model(summary=None, measured_against=measured_against)))
    assert "\nmeasured on rows that also fitted policy or calibration, none held out:\n" in text
    assert f"\npolicy: 1.0 evaluations, {loss} 0.25\n" in text
    assert text.endswith(f"\neverything: 2.0 evaluations, {loss} 0.2")
    known = {"evaluation": None, "full": None, "summary": None}
    assert "measured" not in str(Predictor(whole_model(**known)))


def test_loading_and_predicting_import_neither_scikit_learn_nor_scipy(tmp_path):
    whole_model().save(tmp_path / "model.mddag")
    code = f"""
import sys
import mddag
predictor = mddag.load({str(tmp_path / "model.mddag")!r})
predictor.predict([[0, 0]]), predictor.predict_proba([[0, 0]]), predictor.run([[0, 0]])
str(predictor)
print([name for name in {UNWANTED} if name in sys.modules])
"""
    assert fresh(code) == "[]"
