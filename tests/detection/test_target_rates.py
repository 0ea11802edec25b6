"""``mddag.detection.sparsify`` and estimators at a wanted rate: scores, probabilities, files."""

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag.detection import Rejection
from mddag.detection.rejection import reject_calibration
from mddag.learners import Stump
from mddag.solvers import Margin

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


@pytest.fixture(scope="module")
def hastie():
    X, y = make_hastie_10_2(6000, random_state=0)
    boost = AdaBoostMHClassifier(Stump(), n_rounds=60, random_state=0).fit(X[:2000], y[:2000])
    return boost, X[2000:4000], y[2000:4000], X[4000:], y[4000:]


@pytest.mark.parametrize("price", [{}, {"beta": 0.01}, {"budget": 8}], ids=str)
def test_a_price_or_a_budget(hastie, price):
    boost, X, y, X_test, y_test = hastie
    fast = mddag.detection.sparsify(boost, X, y, target_fpr=0.05, **price)
    fpr = (fast.predict(X_test[y_test < 0]) > 0).mean()
    assert 0.01 < fpr < 0.09
    evaluated = fast.n_evaluated(X_test[y_test < 0]).mean()
    assert evaluated < 1.1 * price.get("budget", 55)
    assert fast.result_.target in price or not price


def test_the_text_has_the_realised_fpr_and_the_nominal_one(hastie, tmp_path):
    boost, X, y, *_ = hastie
    fast = mddag.detection.sparsify(boost, X, y, target_fpr=0.05, budget=8)
    lines = repr(fast).splitlines()
    assert lines[0] == "Cascade (MDDAGClassifier, sparsify(target_fpr=0.05, budget=8))"
    fpr = next(line for line in lines if line.strip().startswith("fpr"))
    assert fpr.endswith(fast.result_.rates.line("fpr"))
    assert "0.05 wanted" in fpr
    fast.save(tmp_path / "detector.mddag")
    loaded = mddag.load(tmp_path / "detector.mddag")
    assert loaded.model.result == fast.result_
    assert fpr in str(loaded)


def test_the_steps_of_a_pipeline_are_kept(hastie):
    _, X, y, X_test, _ = hastie
    pipeline = make_pipeline(StandardScaler(), AdaBoostMHClassifier(Stump(), n_rounds=20))
    pipeline.fit(X, y)
    fast = mddag.detection.sparsify(pipeline, X_test, hastie[4], target_fpr=0.1, budget=5)
    assert fast.transformer_ is not None
    assert set(fast.predict(X_test)) == {-1.0, 1.0}


def test_a_solver_with_settings_of_its_own(hastie):
    boost, X, y, *_ = hastie
    fast = mddag.detection.sparsify(
        boost, X, y, target_fpr=0.1, solver=Rejection(every=4), budget=10
    )
    assert fast.policy_.every == 4
    assert fast.solver.budget == 10


@pytest.fixture(scope="module")
def faces():
    X, y = make_hastie_10_2(7000, random_state=0)
    y = np.where(y > 0, "face", "background")
    boost = AdaBoostMHClassifier(Stump(), n_rounds=60, random_state=0).fit(X[:3000], y[:3000])
    return boost, X[3000:5000], y[3000:5000], X[5000:], y[5000:]


@pytest.fixture(scope="module", params=[{"target_fpr": 0.05}, {"target_tpr": 0.7}], ids=str)
def fitted(faces, request):
    boost, X, y, *_ = faces
    return mddag.detection.sparsify(
        boost, X, y, beta=0.003, solver=Rejection(random_state=0), **request.param
    )


def test_predict_is_the_verdict_and_the_sign(faces, fitted):
    X = faces[3]
    labels, trace = fitted.predict(X), fitted.trace(X)
    positive = labels == "face"
    assert 0 < positive.mean() < 1
    np.testing.assert_array_equal(trace.verdict, positive)
    np.testing.assert_array_equal(fitted.decision_function(X) > 0, positive)
    np.testing.assert_array_equal(fitted.predict_proba(X).argmax(axis=1), positive)


def test_rejected_rows_are_below_all_others_and_later_exits_higher(faces, fitted):
    X = faces[3]
    score, exit_step = fitted.decision_function(X), fitted.trace(X).exit_step
    assert len(np.unique(exit_step)) > 3
    for step in np.unique(exit_step)[:-1]:
        assert score[exit_step == step].max() < score[exit_step > step].min()


def test_a_saved_model_predicts_the_same(faces, fitted, tmp_path):
    X = faces[3]
    fitted.save(tmp_path / "detector.mddag")
    loaded = mddag.load(tmp_path / "detector.mddag")
    for name in ("predict", "predict_proba", "decision_function", "n_evaluated"):
        np.testing.assert_array_equal(getattr(loaded, name)(X), getattr(fitted, name)(X))
    for row in X[:30]:
        assert loaded.predict_one(row) == fitted.predict(row[None])[0]
        np.testing.assert_array_equal(
            loaded.predict_proba_one(row), fitted.predict_proba(row[None])[0]
        )


def test_realised_rates_are_near_those_of_other_rows(faces, fitted):
    *_, X, y = faces
    positive = fitted.predict(X) == "face"
    fpr, tpr = positive[y != "face"].mean(), positive[y == "face"].mean()
    found = fitted.result_.rates
    assert abs(found.fpr - fpr) < 4 * (found.fpr_error + 0.005)
    assert abs(found.tpr - tpr) < 4 * (found.tpr_error + 0.01)
    evaluated = fitted.n_evaluated(X)[y != "face"].mean()
    assert found.n_evaluated == pytest.approx(evaluated, rel=0.15)


def test_an_estimator_with_the_solver_does_the_same(faces, fitted):
    boost, X, y, *_ = faces
    model = MDDAGClassifier(boost, beta=0.003, solver=fitted.solver).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), fitted.decision_function(X))
    adopted = MDDAGClassifier(boost, solver=fitted.solver).adopt(model.policy_, X, y)
    np.testing.assert_array_equal(adopted.decision_function(X), fitted.decision_function(X))
    other = mddag.detection.sparsify(boost, X, y, target_fpr=0.1)
    other.set_params(solver=Margin()).fit(X, y)
    assert other.result_.rates is None
    assert (other.calibration_.offsets == 0).all()


@pytest.mark.parametrize("n_rounds", [3, 8])
@pytest.mark.parametrize("target", [{"target_fpr": 0.2}, {"target_tpr": 0.9}])
def test_rows_that_tie_at_the_threshold_are_not_split_by_rounding(target, n_rounds):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (4000, 3)).astype(np.float32)  # eight kinds of rows, so eight scores
    y = (rng.random(4000) < 0.1 + 0.25 * X.sum(axis=1)).astype(int)
    boost = AdaBoostMHClassifier(n_rounds=n_rounds, random_state=0).fit(X[:2000], y[:2000])
    X, y = X[2000:], y[2000:]
    found = mddag.detection.sparsify(boost, X, y, beta=0.01, **target).predict(X)
    assert found[y == 0].mean() <= target.get("target_fpr", 1)
    assert found[y == 1].mean() >= target.get("target_tpr", 0)


def test_rows_that_all_tie_are_negative_at_an_fpr_and_positive_at_a_tpr():
    X, y = np.zeros((2000, 1)), np.arange(2000) % 2
    boost = AdaBoostMHClassifier(n_rounds=7).fit(np.arange(2000)[:, None], y)
    with pytest.warns(mddag.DoubtfulResult, match="finds none of 1000 positives at target_fpr=0.5"):
        assert (mddag.detection.sparsify(boost, X, y, target_fpr=0.5).predict(X) == 0).all()
    assert (mddag.detection.sparsify(boost, X, y, target_tpr=0.5).predict(X) == 1).all()


def test_probabilities_are_near_the_shares_of_positives():
    """Rejected rows with f in [-1, 0], rows that passed with f in [-1, 3]."""
    rng, n, length = np.random.default_rng(0), 30_000, 6
    exit_step = rng.integers(1, length + 1, n)
    passed = exit_step == length
    scores = np.where(passed, rng.uniform(-1, 3, n), rng.uniform(-1, 0, n))
    labels = (rng.random(n) < np.where(passed, 1 / (1 + np.exp(-2 * scores)), 0.02)).astype(int)
    found = reject_calibration(scores[:, None], exit_step, labels, np.full(9, -1.0), length)
    p = found.probabilities(scores[:, None], exit_step)[:, 1]
    assert abs(p[~passed].mean() - labels[~passed].mean()) < 0.01
    high = passed & (scores > 1)
    assert abs(p[high].mean() - labels[high].mean()) < 0.02


def test_few_negatives_are_doubted(faces):
    boost, X, y, *_ = faces
    with pytest.warns(mddag.DoubtfulResult, match=r"target_fpr=0.001 is to be met with 1"):
        mddag.detection.sparsify(boost, X, y, target_fpr=0.001)
