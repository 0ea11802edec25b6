"""Detection in the estimator: target_fpr, target_tpr, scores, probabilities, files."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_hastie_10_2, make_multilabel_classification

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag.dag.replay import replay
from mddag.estimators.detection import lowest_scores
from mddag.learners import Stump
from mddag.solvers import Margin, Rejection

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


@pytest.fixture(scope="module")
def hastie():
    X, y = make_hastie_10_2(7000, random_state=0)
    y = np.where(y > 0, "face", "background")
    boost = AdaBoostMHClassifier(Stump(), n_rounds=60, random_state=0).fit(X[:3000], y[:3000])
    return boost, X[3000:5000], y[3000:5000], X[5000:], y[5000:]


@pytest.fixture(scope="module", params=[{"target_fpr": 0.05}, {"target_tpr": 0.7}], ids=str)
def fitted(hastie, request):
    boost, X, y, *_ = hastie
    return MDDAGClassifier(boost, beta=0.003, random_state=0, **request.param).fit(X, y)


def test_predict_is_the_verdict_and_the_sign(hastie, fitted):
    X = hastie[3]
    labels, trace = fitted.predict(X), fitted.trace(X)
    positive = labels == "face"
    assert 0 < positive.mean() < 1
    np.testing.assert_array_equal(trace.verdict, positive)
    np.testing.assert_array_equal(fitted.decision_function(X) > 0, positive)
    np.testing.assert_array_equal(fitted.predict_proba(X).argmax(axis=1), positive)


def test_rejected_rows_are_below_all_others_and_later_exits_higher(hastie, fitted):
    X = hastie[3]
    score, exit_step = fitted.decision_function(X), fitted.trace(X).exit_step
    assert len(np.unique(exit_step)) > 3
    for step in np.unique(exit_step)[:-1]:
        assert score[exit_step == step].max() < score[exit_step > step].min()


def test_rows_that_pass_are_ranked_by_f(hastie, fitted):
    X = hastie[3]
    trace = fitted.trace(X)
    passed = trace.exit_step == trace.exit_step.max()
    f = fitted.ensemble_.scores(X)[passed, 0]
    if fitted.policy_.n_reached == len(fitted.ensemble_):
        order = np.argsort(f)
        assert (np.diff(fitted.decision_function(X)[passed][order]) > -1e-5).all()


def test_probabilities_are_those_of_the_log_odds(hastie, fitted):
    X = hastie[3]
    odds = fitted.decision_function(X)
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], 1 / (1 + np.exp(-odds)), atol=1e-12)


def test_a_saved_model_predicts_the_same(hastie, fitted, tmp_path):
    X = hastie[3]
    fitted.save(tmp_path / "detector.mddag")
    loaded = mddag.load(tmp_path / "detector.mddag")
    for name in ("predict", "predict_proba", "decision_function", "n_evaluated"):
        np.testing.assert_array_equal(getattr(loaded, name)(X), getattr(fitted, name)(X))
    for row in X[:30]:
        assert loaded.predict_one(row) == fitted.predict(row[None])[0]
        np.testing.assert_array_equal(
            loaded.predict_proba_one(row), fitted.predict_proba(row[None])[0]
        )


def test_realised_rates_are_near_those_of_other_rows(hastie, fitted):
    *_, X, y = hastie
    positive = fitted.predict(X) == "face"
    fpr, tpr = positive[y != "face"].mean(), positive[y == "face"].mean()
    found = fitted.realised_rates_
    assert fitted.realised_fpr_ == found.fpr
    assert abs(found.fpr - fpr) < 4 * (found.fpr_error + 0.005)
    assert abs(found.tpr - tpr) < 4 * (found.tpr_error + 0.01)
    evaluated = fitted.n_evaluated(X)[y != "face"].mean()
    assert found.n_evaluated == pytest.approx(evaluated, rel=0.15)


def test_lowest_scores_are_lower_bounds(hastie, fitted):
    _, X, _, others, _ = hastie
    ensemble, policy = mddag.as_ensemble(hastie[0]), fitted.policy_
    votes = ensemble.votes(np.concatenate([X, others]))
    left = replay(ensemble, policy, votes)
    lows = lowest_scores(policy.tables(votes.tables), policy)
    assert (left.scores[:, 0] >= lows[left.exit_step]).all()


def test_an_adopted_policy_is_measured_on_the_rows_given(hastie, fitted):
    boost, _, _, X, y = hastie
    target = {"target_fpr": fitted.target_fpr, "target_tpr": fitted.target_tpr}
    other = MDDAGClassifier(boost, **target).adopt(fitted.policy_, X, y)
    negative = y != "face"
    assert other.realised_fpr_ == pytest.approx((other.predict(X)[negative] == "face").mean())
    assert other.realised_rates_.n_negatives == negative.sum()


def test_an_ensemble_may_be_fitted_on_the_way(hastie):
    _, X, y, *_ = hastie
    boost = AdaBoostMHClassifier(Stump(), n_rounds=20)
    model = MDDAGClassifier(boost, target_fpr=0.1, random_state=0).fit(X, y)
    assert model.realised_rates_.n_negatives + model.realised_rates_.n_positives == 600


def test_a_solver_of_rates_is_enough(hastie):
    boost, X, y, *_ = hastie
    by_solver = MDDAGClassifier(boost, solver=Rejection(target_fpr=0.05), random_state=0).fit(X, y)
    by_target = MDDAGClassifier(boost, target_fpr=0.05, random_state=0).fit(X, y)
    assert by_solver.realised_rates_ == by_target.realised_rates_
    np.testing.assert_array_equal(by_solver.predict(X), by_target.predict(X))


def test_other_estimators_have_no_rates(hastie):
    boost, X, y, *_ = hastie
    model = MDDAGClassifier(boost, target_fpr=0.1, random_state=0).fit(X, y)
    model.set_params(target_fpr=None, solver=Margin()).fit(X, y)
    assert not hasattr(model, "realised_rates_")
    assert (model.calibration_.offsets == 0).all()


def test_targets_are_parameters():
    model = MDDAGClassifier(target_fpr=0.001)
    assert clone(model).get_params()["target_fpr"] == 0.001
    assert "target_fpr=0.001" in repr(model)


def test_few_negatives_are_doubted(hastie):
    boost, X, y, *_ = hastie
    with pytest.warns(mddag.DoubtfulResult, match=r"target_fpr=0.001 is to be met with 1"):
        MDDAGClassifier(boost, target_fpr=0.001, random_state=0).fit(X, y)


def test_more_than_two_classes_are_refused():
    X, _ = make_multilabel_classification(300, random_state=0)
    y = np.arange(300) % 3
    boost = AdaBoostMHClassifier(Stump(), n_rounds=5).fit(X, y)
    with pytest.raises(ValueError, match=r"3 scores; wanted two classes with one score"):
        MDDAGClassifier(boost, target_fpr=0.1).fit(X, y)


@pytest.mark.parametrize("n_rounds", [3, 8])
@pytest.mark.parametrize("target", [{"target_fpr": 0.2}, {"target_tpr": 0.9}])
def test_rows_that_tie_at_the_threshold_are_not_split_by_rounding(target, n_rounds):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (4000, 3)).astype(np.float32)  # eight kinds of rows, so eight scores
    y = (rng.random(4000) < 0.1 + 0.25 * X.sum(axis=1)).astype(int)
    boost = AdaBoostMHClassifier(n_rounds=n_rounds, random_state=0).fit(X[:2000], y[:2000])
    X, y = X[2000:], y[2000:]
    found = MDDAGClassifier(boost, random_state=0, **target).fit(X, y).predict(X)
    assert found[y == 0].mean() <= target.get("target_fpr", 1)
    assert found[y == 1].mean() >= target.get("target_tpr", 0)


def test_rows_that_all_tie_are_negative_at_an_fpr_and_positive_at_a_tpr():
    X, y = np.zeros((2000, 1)), np.arange(2000) % 2
    boost = AdaBoostMHClassifier(n_rounds=7).fit(np.arange(2000)[:, None], y)
    for target, wanted in (({"target_fpr": 0.5}, 0), ({"target_tpr": 0.5}, 1)):
        model = MDDAGClassifier(boost, **target).fit(X, y)
        assert (model.predict(X) == wanted).all()
