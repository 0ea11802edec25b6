"""A loaded model predicts as the estimator that saved it, without scikit-learn."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import lightgbm as lgb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier, Predictor, _core
from mddag.engine.dag import Dag
from mddag.ensemble.tasks import Classification, Regression
from mddag.policy.calibration import Calibration
from mddag.serving.model_file import Model
from mddag.serving.predictor import given_predictor
from mddag.solvers import Margin, Sarsa
from tests.serving.model_file.kinds import KINDS, whole_model
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
def test_files_pickles_and_threads_change_no_bit(name, request, tmp_path):
    model, X = request.getfixturevalue(name)
    model.save(tmp_path / "model.mddag")
    given = model.predictor()
    for served in (
        mddag.load(tmp_path / "model.mddag"),
        pickle.loads(pickle.dumps(given)),
        Predictor(given.model, n_jobs=2),
    ):
        assert served.predict(X).dtype == model.predict(X).dtype
        for method in ("predict", "predict_proba", "scores", "n_evaluated"):
            for rows in (X, X[3:4]):
                wanted = getattr(model, method)(rows)
                np.testing.assert_array_equal(getattr(served, method)(rows), wanted)
        np.testing.assert_array_equal(served.run(X).indices, model.trace(X).indices)
        with ThreadPoolExecutor(4) as pool:
            for got in pool.map(served.predict_proba, [X] * 8):
                np.testing.assert_array_equal(got, model.predict_proba(X))


@pytest.mark.parametrize("name", ["binary", "several"])
def test_results_go_where_they_are_wanted(name, request):
    model, X = request.getfixturevalue(name)
    predictor = model.predictor()
    for method in (predictor.predict, predictor.predict_proba, predictor.scores):
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


@pytest.mark.parametrize("name", ["binary", "several"])
def test_one_row(name, request):
    model, X = request.getfixturevalue(name)
    predictor = model.predictor()
    wanted, p = predictor.predict(X[:20]), predictor.predict_proba(X[:20])
    columns, kind = np.asfortranarray(X), type(wanted.tolist()[0])
    for i, x in enumerate(X[:20]):
        for same in (x, columns[i], x.tolist(), tuple(x), x[None], pd.Series(x)):
            assert predictor.predict_one(same) == wanted[i]
            assert isinstance(predictor.predict_one(same), kind)
            np.testing.assert_array_equal(predictor.predict_proba_one(same), p[i])
        assert predictor.predict_one(x.astype(np.float32)) in predictor.classes_
    for refused in (predictor.predict_one, predictor.predict_proba_one):
        for row, words in [
            ([1, 2], "x is a list of 2 values; wanted one row"),
            (X[0, :3], r"x is a ndarray of float64 \(3,\); wanted one row"),
            (["a"] * X.shape[1], r"x\[0\] is 'a', a str; wanted a number"),
        ]:
            with pytest.raises(ValueError, match=words) as error:
                refused(row)
            assert error.value.__context__ is None  # our first attempt is not part of the error


def test_one_row_of_a_frame_by_name():
    predictor = Predictor(whole_model())
    frame = pd.DataFrame({"size": [0.0, 1.0], "tøwn": pd.Series(["ulm", 7], dtype=object)})
    for i in (0, 1):
        x = frame.iloc[i]
        for same in (x, x.to_dict(), dict(reversed(x.to_dict().items())), frame[i : i + 1]):
            assert predictor.predict_one(same) == predictor.predict(frame)[i]
            np.testing.assert_array_equal(
                predictor.predict_proba_one(same), predictor.predict_proba(frame)[i]
            )
    with pytest.raises(ValueError, match=r"missing \['tøwn'\], unknown \['town'\]"):
        predictor.predict_one({"size": 1, "town": "ulm"})
    with pytest.raises(ValueError, match=r"x contains NaN \(column 'size'\)"):
        predictor.predict_one(np.array([np.nan, 0.0]))
    with pytest.raises(ValueError, match=r"X contains NaN \(column 'size', row 0\)"):
        predictor.predict(np.array([[np.nan, 0.0]]))


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_encoded_once(library):
    predictor = Predictor(whole_model())
    frame = library.DataFrame({"size": [0.0, 1.0, 3.0], "tøwn": ["ulm"] * 3})
    rows = predictor.encode(frame)
    assert rows.tolist() == [[0, 0], [1, 0], [3, 0]]
    assert rows.dtype == np.float64
    assert predictor.encode(rows).base is not None  # no copy of what is encoded
    for method in ("predict", "predict_proba", "scores", "n_evaluated"):
        np.testing.assert_array_equal(
            getattr(predictor, method)(rows), getattr(predictor, method)(frame)
        )
    assert [predictor.predict_one(row) for row in rows] == predictor.predict(frame).tolist()
    assert all(row.flags.c_contiguous for row in rows)


def test_rows_are_read_by_name_and_shape(binary):
    predictor = Predictor(whole_model())
    frame = pd.DataFrame({"size": [0.0, 1.0], "tøwn": pd.Categorical(["ulm", "ulm"])})
    np.testing.assert_array_equal(predictor.predict(frame), predictor.predict([[0, 0], [1, 0]]))
    for served, rows, words in [
        (predictor, frame[["tøwn", "size"]], "another order"),
        (binary[0].predictor(), np.zeros((3, 2)), "X has 2 features, but the model reads 30"),
        (binary[0].predictor(), np.zeros(30), "Expected 2D array"),
        (binary[0].predictor(), np.full((3, 30), "a"), "dtype <U1"),
    ]:
        with pytest.raises(ValueError, match=words):
            served.predict(rows)


def said(scores):
    """A calibrated Predictor of an ensemble that gives these scores (n, K), and their rows."""
    n_scores = scores.shape[1]
    ensemble = mddag.Ensemble.from_callables(
        [lambda X: scores[X[:, 0].astype(int)]],
        n_features=1,
        bias=np.zeros(n_scores),
        classes=list("abc")[: max(n_scores, 2)],
    )
    rows = np.arange(len(scores), dtype=float)[:, None]
    return Predictor(Model(mddag.compile(ensemble), Calibration.one_group(2.0, 1))), rows


@pytest.mark.parametrize(
    "scores",
    [np.array([[-1.0], [0.0], [1e-300], [3.0]]), np.array([[1.0, 2, 0], [0, 0, 0], [0, 1, 1]])],
)
def test_labels_probabilities_and_log_odds_agree(scores):
    predictor, X = said(scores)
    labels, p = predictor.predict(X), predictor.predict_proba(X)
    np.testing.assert_array_equal(labels, predictor.classes_[p.argmax(axis=1)])
    odds = predictor.decision_function(X)
    winner = (odds > 0) * 1 if odds.ndim == 1 else odds.argmax(axis=1)
    np.testing.assert_array_equal(labels, predictor.classes_[winner])
    np.testing.assert_array_equal(odds.reshape(scores.shape), 2.0 * scores)


def test_two_classes_with_a_score_each_have_one_column_of_log_odds():
    scores = np.array([[1.0, 2.5], [0.0, 0.0], [1.0, np.nextafter(1.0, 2)], [3.0, -1.0]])
    predictor, X = said(scores)
    odds, p = predictor.decision_function(X), predictor.predict_proba(X)
    np.testing.assert_array_equal(odds, 2.0 * (scores[:, 1] - scores[:, 0]))
    np.testing.assert_allclose(odds, np.log(p[:, 1] / p[:, 0]), atol=1e-12)
    np.testing.assert_array_equal(predictor.predict(X), predictor.classes_[(odds > 0) * 1])


def test_callables_are_served_but_not_saved(tmp_path):
    voters = [lambda X: X[:, 0], lambda X: -X[:, 1]]
    ensemble = mddag.Ensemble.from_callables(voters, n_features=2)
    predictor = Predictor(Model(mddag.compile(ensemble)))
    assert predictor.predict([[2.0, 1.0], [1.0, 2.0]]).tolist() == [1, 0]
    assert predictor.predict_one(np.array([2.0, 1.0])) == 1
    assert predictor.predict_one([2, 1]) == 1
    calibrated = Predictor(Model(predictor.model.dag, Calibration.one_group(2.0, 2)))
    p = calibrated.predict_proba([[2.0, 1.0], [1.0, 2.0]])
    np.testing.assert_array_equal(calibrated.predict_proba_one([2, 1]), p[0])
    np.testing.assert_array_equal(calibrated.predict_proba([[1.0, 2.0]]), p[1:])
    with pytest.raises(TypeError, match="callables"):
        predictor.save(tmp_path / "model.mddag")


def regressor(**changes):
    ensemble = replace(whole_model().dag.ensemble, task=Regression())
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
    for call in (predictor.predict_proba, predictor.predict_proba_one, predictor.decision_function):
        with pytest.raises(ValueError, match="no classes for probabilities; use predict or scores"):
            call(X)
    assert predictor.predict_one({"size": 2, "tøwn": 7}) == wanted[1]
    np.testing.assert_array_equal(regressor(calibration=None).predict(X), predictor.scores(X)[:, 0])


def test_without_classes_there_are_scores_alone():
    ensemble = replace(whole_model().dag.ensemble, task=Classification())
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


def test_the_summary_says_what_the_model_is():
    text = str(Predictor(whole_model()))
    assert "classifier of 2 base classifiers (3 trees)" in text
    assert "features: 2 (size, tøwn)" in text
    assert "classes: 3 (a, b, ccc)" in text
    assert "policy: 6 cells, decisions every 2 steps\n" in text
    assert text.endswith(f"\n{whole_model().result}")
    alone = str(Predictor(replace(whole_model(), result=None)))
    assert alone.endswith("policy: 6 cells, decisions every 2 steps")
    assert "\n" not in repr(Predictor(whole_model()))
    assert "2 score columns" not in text
    assert ", 3 score columns, verdicts" in str(Predictor(KINDS["stages"]()))
    priced = str(Predictor(whole_model()).with_prices())
    assert "prices: 2 for 2 groups (size 1, tøwn 1)\n" in priced


def test_estimators_and_predictors_are_taken_and_others_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    boost = GradientBoostingClassifier(n_estimators=3).fit(X, X[:, 0] > 0)
    fast = mddag.sparsify(boost, X, beta=0.01, solver=Margin())
    predictor = given_predictor(fast)
    assert given_predictor(predictor) is predictor
    np.testing.assert_array_equal(predictor.predict(X), fast.predict(X))
    for other in (boost, type(fast), None):
        with pytest.raises(TypeError, match=r"model is .*; wanted a Predictor: mddag"):
            given_predictor(other, "a Predictor")


RANDOM = np.random.RandomState(0)
X = pd.DataFrame(RANDOM.normal(size=(2200, 4)), columns=list("abcd"))
Y = (X["a"] + X["b"] ** 2 > 0.5).astype(int).to_numpy()
NEW = X[1800:]


@pytest.fixture(scope="module")
def fast():
    model = lgb.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1).fit(X[:600], Y[:600])
    return mddag.sparsify(model, X[600:1800], Y[600:1800], budget=5, solver=Margin())


def as_table(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("of", [lambda m: m, lambda m: m.predictor()])
def test_columns_of_arrow_tables_are_compared_by_name(fast, of):
    for table in (as_table(NEW), as_table(NEW).to_batches()[0]):
        np.testing.assert_array_equal(of(fast).predict(table), fast.predict(NEW))
    with pytest.raises(ValueError, match="order"):
        of(fast).predict(as_table(NEW[list("dcba")]))


def test_policy_rows_may_be_an_arrow_table(fast):
    table = as_table(X[600:1800])
    again = mddag.sparsify(fast.ensemble, table, Y[600:1800], budget=5, solver=Margin())
    np.testing.assert_array_equal(again.predict(NEW), fast.predict(NEW))


@pytest.mark.parametrize("of", [lambda m: m, lambda m: m.predictor()])
def test_masked_values_are_missing_values(fast, of):
    values = NEW.to_numpy()
    hidden = np.abs(values) > 1.5
    masked = np.ma.masked_array(np.where(hidden, 1e9, values), mask=hidden)
    wanted = fast.predict_proba(pd.DataFrame(np.where(hidden, np.nan, values), columns=NEW.columns))
    model = of(fast)
    if model is fast:  # scikit-learn's warning: the rows have no names
        with pytest.warns(UserWarning, match="feature names"):
            found = model.predict_proba(masked)
    else:
        found = model.predict_proba(masked)
    np.testing.assert_array_equal(found, wanted)


def shown(capsys):
    mddag.show_versions()
    lines = (line.split(": ") for line in capsys.readouterr().out.strip().splitlines())
    return {name.strip(): value for name, value in lines}


def test_versions_and_the_level_are_shown(capsys):
    found = shown(capsys)
    assert found["level"] == _core.level()
    assert found["levels"].split() == _core.levels()
    assert found["numpy"] == np.__version__


def test_the_environment_names_the_level(monkeypatch, capsys):
    for level in _core.levels():
        monkeypatch.setenv("MDDAG_LEVEL", level)
        assert shown(capsys)["level"] == level


def test_a_level_that_does_not_run_is_refused(monkeypatch):
    monkeypatch.setenv("MDDAG_LEVEL", "avx9")
    with pytest.raises(ValueError, match=r"MDDAG_LEVEL is 'avx9', .*; wanted one of scalar"):
        _core.level()
