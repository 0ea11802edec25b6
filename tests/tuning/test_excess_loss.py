import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, roc_auc_score

import mddag
from mddag import Ensemble
from mddag.losses import Logistic
from mddag.metrics import R2, Accuracy, LogLoss, RocAuc
from mddag.policy.rollout import Rollout
from mddag.solvers import Margin, Prefix
from mddag.tuning.excess_loss import LabelLoss, NumberLoss
from mddag.tuning.problem import Problem, Split
from mddag.tuning.targets import MaxDisagreement, MaxLoss


def left(scores, exits=None):
    """Rows that left with these scores at these exit steps."""
    scores = np.asarray(scores, float)[:, None]
    steps = np.zeros(len(scores), np.int32) if exits is None else np.asarray(exits, np.int32)
    return Rollout(scores, steps, steps, steps, None)


def problem_of(truth, full, seen=None, weight=None, **settings):
    ensemble = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1, **settings)
    n = len(truth)
    seen = np.arange(n) if seen is None else seen
    split = Split(seen, np.arange(0), np.arange(0))
    return Problem(ensemble, None, np.zeros((n, 1)), full, truth, True, split, weight)


def numbers(truth, full, seen=None, weight=None):
    return NumberLoss(problem_of(truth, full, seen, weight, kind="regressor"), R2())


def test_labels_and_errors():
    full, truth = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    found = left([1.0, 1.0, 1.0, -1.0])  # labels 1, 1, 1, 0
    problem = problem_of(truth, full, classes=[0, 1])
    share = LabelLoss(problem, MaxDisagreement(0.1), "share").of_rows(found)
    assert share.tolist() == [1, 1, 0, 1]
    difference = LabelLoss(problem, MaxLoss(0.1), "difference").of_rows(found)
    assert difference.tolist() == [1, -1, 0, -1]
    assert difference.mean() == np.mean(truth != [1, 1, 1, 0]) - np.mean(full != truth)


def test_numbers_are_calibrated_on_the_rows_that_may_be_seen():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=4000)
    full = truth + 0.1 * rng.normal(size=4000)
    found = left(truth / 2)  # an early exit, half as far from the mean as it should be
    seen = np.arange(2000)
    lost = 1 - np.var(truth - full) / np.var(truth)
    excess = numbers(truth, full, seen).of_rows(found)
    assert excess.mean() == pytest.approx(lost - 1, abs=0.01)
    few = numbers(truth, full, seen[:5]).of_rows(found)
    assert few.mean() == pytest.approx(0.25 - 0.01, abs=0.02)


def test_the_full_ensemble_loses_nothing():
    truth = np.random.default_rng(0).normal(size=500)
    found = left(truth + 1, exits=np.ones(500))
    assert numbers(truth, truth + 1).of_rows(found).tolist() == [0.0] * 500
    assert np.isfinite(numbers(np.ones(500), np.ones(500)).of_rows(found)).all()


def test_weights_calibrate_and_set_the_unit():
    """A row of weight 2 is two rows, in lines through exits and in the variance of y."""
    rng = np.random.default_rng(0)
    truth, weight = rng.normal(size=600), np.repeat([1.0, 3.0], 300)
    full, scores = truth + 0.1, truth / 2 + 0.1 * rng.normal(size=600)
    twice = np.repeat(np.arange(600), np.repeat([1, 3], 300))
    excess = numbers(truth, full, weight=weight).of_rows(left(scores))
    copied = numbers(truth[twice], full[twice]).of_rows(left(scores[twice]))
    assert np.average(excess, weights=weight) == pytest.approx(copied.mean(), abs=0.01)
    plain = numbers(truth, full).of_rows(left(scores))
    scaled = numbers(truth, full, weight=np.full(600, 8.0)).of_rows(left(scores))
    np.testing.assert_allclose(scaled, plain)


METRICS = (LogLoss(), LogLoss(0.001), RocAuc())


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(9000, 10, n_informative=6, flip_y=0.1, weights=[0.7], random_state=0)
    labels = np.where(y, "yes", "no")
    model = LGBMClassifier(n_estimators=40, num_leaves=6, n_jobs=1, verbose=-1)
    return model.fit(X[:2000], labels[:2000]), X[2000:6000], labels[2000:6000], X[6000:], y[6000:]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_what_is_certified_is_what_is_shipped(problem, metric):
    model, X, y, _, _ = problem
    fast = mddag.sparsify(model, X, y, metric=metric, max_loss=0.05, solver=Margin())
    (bounded,), measured = fast.result_.bounds, fast.result_.metric(metric.name)
    assert bounded.name == metric.name
    assert bounded.exact == (metric.span is not None)
    assert fast.result_.n_evaluated < 40
    if metric != LogLoss(0.001):  # of which results have the usual one
        worse = measured.full - measured.sparse
        assert bounded.lost == pytest.approx(worse if metric.larger_is_better else -worse)
    assert f"{metric.name} lost at most 0.05" in str(fast)
    assert fast.get_params()["metric"] == metric


def test_the_summary_has_what_scikit_learn_measures(problem):
    model, X, y, _, _ = problem
    of = {
        LogLoss: lambda y, p: log_loss(y, p),
        RocAuc: lambda y, p: roc_auc_score(y, p[:, 1]),
    }
    rows = np.sort(np.random.RandomState(0).permutation(len(X))[2400:])  # those that choose
    for kind, measured in of.items():
        fast = mddag.sparsify(model, X, y, metric=kind(), budget=10, solver=Margin())
        found = measured(y[rows] == "yes", fast.predict_proba(X[rows]))
        assert fast.result_.metric(kind.name).sparse == pytest.approx(found, abs=1e-9)


def test_probabilities_keep_their_metric_on_fresh_rows(problem):
    model, X, y, fresh, truth = problem
    fast = mddag.sparsify(model, X, y, metric=RocAuc(), max_loss=0.01, solver=Margin())
    lost = roc_auc_score(truth, model.predict_proba(fresh)[:, 1]) - roc_auc_score(
        truth, fast.predict_proba(fresh)[:, 1]
    )
    assert fast.n_evaluated(fresh).mean() < 40
    assert lost < 0.01


def test_accuracy_is_the_default_but_for_a_bound_on_losses(problem):
    model, X, y, fresh, _ = problem
    for given in ({"budget": 8}, {"max_disagreement": 0.05}, {"beta": 0.001}):
        old, new = (
            mddag.sparsify(model, X, y, solver=Margin(), metric=metric, **given)
            for metric in (None, Accuracy())
        )
        np.testing.assert_array_equal(old.predict_proba(fresh), new.predict_proba(fresh))
        assert old.result_ == new.result_


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_without_labels_the_model_is_the_truth(problem, metric):
    model, X, _, fresh, _ = problem
    fast = mddag.sparsify(model, X, metric=metric, max_loss=0.05, solver=Margin())
    assert fast.result_.bounds[0].lost <= 0.05
    assert fast.n_evaluated(fresh).mean() < 40


def test_disagreement_is_by_the_models_own_probabilities(problem):
    model, X, y, _, _ = problem
    fast = mddag.sparsify(model, X, y, metric=LogLoss(), max_disagreement=0.05, solver=Margin())
    assert 0 <= fast.result_.bounds[0].lost <= 0.05


def test_weights_count_in_a_point_estimate(problem):
    model, X, y, _, _ = problem
    weight = np.where(y == "yes", 3.0, 1.0)
    given = {"metric": RocAuc(), "max_loss": 0.02, "solver": Margin(), "sample_weight": weight}
    fast = mddag.sparsify(model, X, y, confidence=None, **given)
    assert fast.result_.bounds[0].lost <= 0.02
    with pytest.raises(ValueError, match="sample_weight differs from row to row"):
        mddag.sparsify(model, X, y, **given)


def test_more_than_two_classes():
    X, y = make_classification(5000, 10, n_informative=6, n_classes=4, random_state=0)
    model = LGBMClassifier(n_estimators=20, num_leaves=6, n_jobs=1, verbose=-1)
    model.fit(X[:1000], y[:1000])
    for metric in (LogLoss(), RocAuc()):
        fast = mddag.sparsify(
            model, X[1000:], y[1000:], metric=metric, max_loss=0.08, solver=Prefix()
        )
        assert fast.result_.n_evaluated < 20


def test_estimators_learn_and_score_by_their_metric(problem):
    model, X, y, fresh, truth = problem
    labels = np.where(truth, "yes", "no")
    plain = mddag.MDDAGClassifier(model, beta=0.001, solver=Margin(), random_state=0).fit(X, y)
    assert plain.score(fresh, labels) == np.mean(plain.predict(fresh) == labels)
    for metric, sign in ((LogLoss(), -1), (RocAuc(), 1)):
        fitted = mddag.MDDAGClassifier(
            model, beta=0.001, solver=Margin(), metric=metric, random_state=0
        ).fit(X, y)
        found = metric(fitted.predict_proba(fresh), truth)
        assert fitted.score(fresh, labels) == pytest.approx(sign * found)


def test_the_file_has_the_metric(problem, tmp_path):
    model, X, y, _, _ = problem
    fast = mddag.sparsify(model, X, y, metric=RocAuc(), max_loss=0.05, solver=Margin())
    fast.save(tmp_path / "model.mddag")
    loaded = mddag.load(tmp_path / "model.mddag")
    assert loaded.model.result == fast.result_
    assert "ROC AUC" in str(loaded)


def test_a_sweep_learns_by_the_metric_of_its_estimator(problem):
    model, X, y, _, _ = problem
    estimator = mddag.MDDAGClassifier(model, metric=LogLoss(), solver=Margin()).fit(X, y)
    curve = mddag.sweep(estimator, X, y, betas=[0.001], X_test=X[:500], y_test=y[:500])
    assert curve.loss == Logistic()
