"""A loaded model predicts as the estimator that saved it, without scikit-learn."""

import json
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
from mddag.engine.purchases import Purchases
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.tasks import Classification, Regression
from mddag.policy.calibration import Calibration
from mddag.policy.state import Stages
from mddag.serving.model_file import Model
from mddag.serving.predictor import given_predictor
from mddag.solvers import Margin, Sarsa
from tests.serving.model_file.kinds import whole_model
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
    np.testing.assert_array_equal(predictor.predict(X[3:4]), model.predict(X[3:4]))
    np.testing.assert_array_equal(predictor.predict_proba(X[3:4]), model.predict_proba(X[3:4]))
    assert predictor.n_features_in_ == X.shape[1]


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


def test_one_row(binary):
    model, X = binary
    predictor = model.predictor()
    for x, label in zip(X[:20], model.predict(X[:20]), strict=True):
        assert predictor.predict_one(x) == label
        assert type(predictor.predict_one(x)) is type(label)
        assert predictor.predict_one(x.astype(np.float32)) in predictor.classes_
    with pytest.raises(ValueError, match=r"x is a ndarray of float64 \(3,\); wanted one row"):
        predictor.predict_one(X[0, :3])


def test_one_row_in_other_forms(several):
    model, X = several
    predictor = model.predictor()
    wanted, p = predictor.predict(X[:20]), predictor.predict_proba(X[:20])
    columns = np.asfortranarray(X)
    for i, x in enumerate(X[:20]):
        for same in (columns[i], x.tolist(), tuple(x), x.astype(int), x[None], pd.Series(x)):
            assert predictor.predict_one(same) == wanted[i]
            np.testing.assert_array_equal(predictor.predict_proba_one(same), p[i])
    for refused in (predictor.predict_one, predictor.predict_proba_one):
        with pytest.raises(ValueError, match="x is a list of 2 values; wanted one row") as error:
            refused([1, 2])
        assert error.value.__context__ is None  # our first attempt is not part of the error
        with pytest.raises(ValueError, match=r"x\[0\] is 'a', a str; wanted a number"):
            refused(["a"] * 64)


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
        Predictor(model.predictor().model, n_jobs=2).scores(X), predictor.scores(X)
    )
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(again.predict_proba, [X] * 8):
            np.testing.assert_array_equal(got, wanted)
    with pytest.raises(ValueError, match="n_jobs is 0"):
        Predictor(predictor.model, n_jobs=0)


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
    with pytest.raises(ValueError, match="no classes for probabilities; use predict or scores"):
        predictor.predict_proba(X)
    with pytest.raises(ValueError, match="no classes for probabilities; use predict or scores"):
        predictor.predict_proba_one(X[0])
    with pytest.raises(ValueError, match="no classes for probabilities; use predict or scores"):
        predictor.decision_function(X)
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


def with_verdicts(model, staged):
    """The model's DAG with random verdicts, of one score or of two columns."""
    dag, rng = model.dag_, np.random.default_rng(0)
    policy = dag.policy
    shape = len(policy.actions) + 1, policy.grid.n_cells
    n_classes = len(dag.ensemble.classes)
    verdict = np.repeat(rng.integers(-1, n_classes, (shape[0], 1)), shape[1], axis=1)
    policy = replace(policy, verdict=verdict)
    if staged:
        state = Stages(policy.grid, np.arange(policy.n_steps + 1) // 4 % 2)
        policy = replace(policy, state=state)
    return Predictor(Model(Dag(dag.ensemble, policy), model.calibration_))


@pytest.mark.parametrize(("name", "staged"), [("binary", 0), ("binary", 1), ("several", 0)])
def test_verdicts_decide_on_labels(name, staged, request, tmp_path):
    model, X = request.getfixturevalue(name)
    predictor = with_verdicts(model, staged)
    predictor.save(tmp_path / "model.mddag")
    codes = predictor.run(X).verdict
    assert (codes != predictor.model.dag.ensemble.codes(predictor.scores(X))).any()
    for served in (predictor, mddag.load(tmp_path / "model.mddag"), predictor.on_threads(3)):
        np.testing.assert_array_equal(served.predict(X), served.classes_[codes])
        for x, label in zip(X[:9], served.classes_[codes], strict=False):
            assert served.predict_one(x) == label
            assert served.predict(x[None])[0] == label
            assert served.predict_one(list(x)) == label
    p = predictor.predict_proba(X)
    np.testing.assert_array_equal(predictor.predict_proba_one(X[5]), p[5])
    assert "verdicts" in str(predictor)
    assert ("2 score columns" in str(predictor)) == bool(staged)


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


def test_it_says_what_features_cost():
    model = whole_model()
    ensemble = model.dag.ensemble
    prices = FeaturePrices.of(ensemble.features)
    dag = replace(model.dag, purchases=Purchases.of(prices, ensemble))
    text = str(Predictor(replace(model, dag=dag)))
    assert "prices: 2 for 2 groups (size 1, tøwn 1)\n" in text


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


def as_batch(frame):
    return pa.RecordBatch.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("make", [as_table, as_batch])
@pytest.mark.parametrize("of", [lambda m: m, lambda m: m.predictor()])
def test_columns_of_arrow_tables_are_compared_by_name(fast, make, of):
    model = of(fast)
    np.testing.assert_array_equal(model.predict(make(NEW)), fast.predict(NEW))
    with pytest.raises(ValueError, match="order"):
        model.predict(make(NEW[list("dcba")]))


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


def test_one_label_can_be_written_as_json(fast):
    label = fast.predictor().predict_one(NEW.to_numpy()[0])
    assert json.loads(json.dumps({"label": label})) == {"label": fast.predict(NEW[:1])[0]}
    assert json.dumps(fast.predict_one(NEW.to_numpy()[0]))


@pytest.mark.parametrize("timeout", [float("inf"), 1e10, np.float32(5)])
def test_a_long_timeout_is_none(fast, timeout):
    values = NEW.to_numpy()

    def fetch(group, rows):
        return values[rows][:, [list("abcd").index(group)]]

    found = fast.predictor().predict_lazy(fetch, n_rows=50, timeout=timeout)
    np.testing.assert_array_equal(found, fast.predict(NEW)[:50])


class LostConnection:
    def __array__(self, *args, **kwargs):
        raise OSError("connection lost")


@pytest.mark.parametrize("answer", [lambda n: [[10**400]] * n, lambda n: LostConnection()])
def test_rows_quit_whatever_reading_an_answer_raises(fast, answer):
    with pytest.warns(mddag.DoubtfulResult, match="20 of 20"):
        found = fast.predictor().predict_lazy(
            lambda group, rows: answer(len(rows)), n_rows=20, on_error="quit", return_details=True
        )
    assert found.failed.all()


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
