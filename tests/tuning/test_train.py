"""train: shapes are judged by cross-validation, and rows that certify do nothing else."""

import warnings

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

import mddag
from mddag.ensemble.tasks import TASKS
from mddag.estimators.fitted_model import is_fitted
from mddag.metrics import (
    D2,
    LogLoss,
    MeanAbsoluteError,
    Pinball,
    PoissonDeviance,
    RocAuc,
)
from mddag.tuning import shape_rules, shapes, targets
from mddag.tuning import train as module
from mddag.tuning.shape_rules import FoldedRows
from mddag.tuning.shapes import Shape, shaped
from mddag.tuning.targets import MaxLoss

pytestmark = pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")

QUIET = {"n_estimators": 15, "verbose": -1, "n_jobs": 1, "random_state": 0}


def small(patch):
    """Two numbers of leaves and few rounds, so that tests of training are quick."""
    patch.setattr(shapes, "LEAVES", (4, 16))
    patch.setattr(shapes, "ROUNDS", {0.1: 20, 0.6: 10})
    patch.setattr(shapes, "ROUNDS_WITHOUT_RATE", 12)
    patch.setattr(shapes, "LEAST_ROWS", (5, 20))


@pytest.fixture(autouse=True)
def _few_shapes(monkeypatch):
    small(monkeypatch)
    with threadpool_limits(1):  # threads would wait for each other on a busy machine
        yield


@pytest.fixture(scope="module")
def trained(hastie_rows):
    X, y, _, _ = hastie_rows
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        return mddag.train(LGBMClassifier(**QUIET), X, y, budget=40, objective="nodes")


def test_a_budget_of_nodes(trained, hastie_rows):
    _, _, X_new, y_new = hastie_rows
    assert trained.result_.n_nodes <= 40
    assert trained.n_nodes(X_new).mean() == pytest.approx(trained.result_.n_nodes, rel=0.2)
    assert trained.score(X_new, y_new) > 0.65
    assert set(trained.predict(X_new)) == {"in", "out"}


def test_what_was_tried_is_told(trained):
    lines = trained.result_.training.shapes
    assert len(lines) == 9  # two leaves, two rates, two numbers of rows per leaf, and the given one
    assert sum(line.chosen for line in lines) == 1
    assert {line.n_folds for line in lines} == {1, 3}
    assert all(line.n_folds == 3 for line in lines if line.chosen)
    given = next(line for line in lines if line.name.startswith("as given"))
    assert given.n_folds == 3
    training = trained.result_.training
    assert training.full_model in [line.name for line in lines]
    best = min(line.error for line in lines if line.n_folds == 3)
    assert 1 - trained.result_.metric("accuracy").full == pytest.approx(best)
    text = str(trained)
    assert text.startswith("Sparse decision DAG (MDDAGClassifier, train(budget=40))")
    assert training.full_model in text
    assert f"estimator as given {training.given[0]:.4f}" in text
    assert "trained on 1,500 rows" in text


def test_it_is_saved_and_cloned(trained, hastie_rows, tmp_path):
    _, _, X_new, _ = hastie_rows
    trained.save(tmp_path / "trained.mddag")
    served = mddag.load(tmp_path / "trained.mddag")
    np.testing.assert_array_equal(served.predict(X_new), trained.predict(X_new))
    assert served.model.result == trained.result_
    clone(trained)


def test_the_same_seed_gives_the_same_model(trained, hastie_rows):
    X, y, X_new, _ = hastie_rows
    again = mddag.train(LGBMClassifier(**QUIET), X, y, budget=40, objective="nodes")
    np.testing.assert_array_equal(again.scores(X_new), trained.scores(X_new))


def test_the_model_is_trained_on_all_rows_that_do_not_certify(trained, hastie_rows):
    X, y, X_new, _ = hastie_rows
    name = next(line.name for line in trained.result_.training.shapes if line.chosen)
    shape = Shape()
    if not name.startswith("as given"):
        n_leaves, rate, least, _ = (part.split() for part in name.split(", "))
        rate = float(rate[1])
        shape = Shape(int(n_leaves[0]), rate, shapes.ROUNDS[rate], int(least[0]))
    wanted = mddag.as_ensemble(shaped(LGBMClassifier(**QUIET), shape).fit(X, y))
    wanted = wanted.truncated(len(trained.ensemble_))
    np.testing.assert_array_equal(trained.ensemble_.scores(X_new), wanted.scores(X_new))


@pytest.mark.parametrize("objective", ["evaluations", "nodes", "time"])
def test_what_cross_validation_says_is_what_the_models_do(objective, hastie_rows):
    """All rules of a shape are judged in one pass; each of them run by itself gives the same."""
    X, y, _, _ = hastie_rows
    every = np.random.RandomState(0)
    rows = FoldedRows.split(X, y, None, strata=y, certifies=False, random=every)
    target = MaxLoss(0.1).measured(TASKS["classifier"]())
    trials, _ = module.tried(LGBMClassifier(**QUIET), rows, objective)
    search = module.searched(LGBMClassifier(**QUIET), trials, target)
    for at in range(0, len(search.rules), max(len(search.rules) // 12, 1)):
        candidate = search.candidate(at)
        found = search.cross_validated(candidate)
        beyond = search.excess(found.answers, search.full_answers, search.judged)
        assert beyond.mean() == pytest.approx(candidate.lost("choose")[0], abs=1e-6)
        assert np.square(beyond).mean() == pytest.approx(search.spreads[at], abs=1e-6)
        assert found.outcome.cost.mean() == pytest.approx(candidate.costs)


def test_a_bound_is_certified_by_rows_that_do_nothing_else(hastie_rows):
    X, y, X_new, y_new = hastie_rows
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, max_loss=0.08, objective="nodes")
    rows, told = fast.front_.rows, fast.result_
    at = rows.certifying
    assert told.value == 0.08
    assert told.rows == "certifying"
    assert told.n_rows == len(at) == 225
    assert not np.isin(at, rows.judging).any()
    assert rows.n_trained_on() == len(rows.judging) == len(X) - len(at)
    # what is told of them is what the model does
    assert told.metric("accuracy").sparse == pytest.approx(fast.score(X[at], y[at]))
    assert told.n_evaluated == pytest.approx(fast.n_evaluated(X[at]).mean())
    assert told.n_nodes == pytest.approx(fast.n_nodes(X[at]).mean())
    assert fast.score(X_new, y_new) > 0.65


def test_a_bound_that_cannot_be_proved_gives_the_reference(hastie_rows, monkeypatch):
    X, y, _, _ = hastie_rows
    monkeypatch.setattr(targets, "n_leading_proofs", lambda p_values, confidence: 0)
    with pytest.warns(mddag.DoubtfulResult, match="the full model, which is returned"):
        fast = mddag.train(LGBMClassifier(**QUIET), X, y, max_disagreement=0.02)
    assert fast.result_.training.is_full_model
    assert fast.result_.bounds[0].lost == 0
    assert all(metric.full == metric.sparse for metric in fast.result_.metrics)


def test_disagreement_is_counted_against_the_reference(hastie_rows, monkeypatch):
    X, y, _, _ = hastie_rows
    monkeypatch.setattr(targets, "n_leading_proofs", lambda p_values, confidence: 0)
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, max_disagreement=0.1, confidence=None)
    assert 0 < fast.result_.bounds[0].lost <= 0.1
    assert fast.result_.bounds[0].lost == pytest.approx(fast.result_.difference)


def test_a_class_of_two_rows_is_known_to_the_model(hastie_rows):
    X, y, X_new, _ = hastie_rows
    y = y.astype(object)
    y[:2] = "rare"
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, beta=1e-4)
    assert fast.classes_.tolist() == ["in", "out", "rare"]
    assert set(fast.predict(X_new)) >= {"in", "out"}


@pytest.mark.parametrize("objective", ["evaluations", "nodes", "time"])
@pytest.mark.parametrize("asked", [{"beta": 1e-4}, {"max_loss": 0.08}])
def test_objectives(objective, asked, hastie_rows):
    X, y, X_new, y_new = hastie_rows
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, objective=objective, **asked)
    assert fast.score(X_new, y_new) > 0.65
    assert (fast.result_.n_nodes is not None) == (objective == "nodes")
    assert fast.policy_.every == (16 if objective == "time" else 1)


@pytest.mark.parametrize("estimator", [None, ExtraTreesRegressor(12, random_state=0)])
def test_numbers(estimator):
    X, y = make_friedman1(1600, random_state=0)
    fast = mddag.train(estimator, X[:1000], y[:1000], max_loss=0.1)
    assert isinstance(fast, mddag.MDDAGRegressor)
    assert fast.score(X[1000:], y[1000:]) > 0.5
    assert fast.result_.bounds[0].lost <= 0.1
    assert all(line.error < 1 for line in fast.result_.training.shapes)  # R2


@pytest.mark.parametrize("asked", [{"budget": 10, "objective": "nodes"}, {"max_loss": 0.05}])
def test_three_classes_and_a_frame_with_categories(asked):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 5.5, "long", "short"))
    fast = mddag.train(LGBMClassifier(**QUIET), frame, y, confidence=None, **asked)
    assert fast.score(frame, y) > 0.9
    assert fast.predict(frame.iloc[:2]).shape == (2,)
    names = ["accuracy", "ROC AUC"] if "max_loss" in asked else []
    assert [bound.name for bound in fast.result_.bounds] == names
    assert all(bound.lost <= 0.05 for bound in fast.result_.bounds)


@pytest.fixture(scope="module")
def rare():
    """Rows of which one in forty is of class 1, and others like them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(8_000, 4))
    y = (X[:, 0] + 0.4 * random.normal(size=8_000) > 2.1).astype(int)
    return X[:3_000], y[:3_000], X[3_000:], y[3_000:]


@pytest.mark.parametrize(
    ("metric", "names"),
    [
        (None, ["accuracy", "ROC AUC"]),
        ("accuracy", ["accuracy"]),
        (LogLoss(), ["log-loss"]),
        ("roc_auc", ["ROC AUC"]),
    ],
)
def test_what_is_protected_of_a_rare_class(metric, names, rare):
    X, y, X_new, y_new = rare
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fast = mddag.train(
            LGBMClassifier(**QUIET), X, y, max_loss=0.03, metric=metric, confidence=None
        )
    assert any("share of class 1" in str(w.message) for w in said) == (names == ["accuracy"])
    assert [bound.name for bound in fast.result_.bounds] == names
    measured = [fast.result_.metric(name) for name in names]
    assert all(abs(m.full - m.sparse) <= 0.03 or m.sparse > m.full for m in measured)
    auc = fast.result_.metric("ROC AUC")
    if "ROC AUC" in names:
        assert RocAuc()(fast.predict_proba(X_new), y_new) > auc.full - 0.05
    if names == ["accuracy"]:  # labels of a rare class protect nothing else
        assert auc.sparse < auc.full - 0.03


def test_both_guards_are_certified(rare):
    X, y, X_new, y_new = rare
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, max_loss=0.05, threshold=0.2)
    assert [b.name for b in fast.result_.bounds] == ["accuracy at threshold 0.2", "ROC AUC"]
    assert fast.result_.confidence == 0.9
    p = fast.predict_proba(X_new)
    assert np.mean((p[:, 1] > 0.2) != y_new) < np.mean(y_new) + 0.01
    assert RocAuc()(p, y_new) > 0.9


@pytest.mark.parametrize("confidence", [0.9, None])
def test_decisions_at_a_threshold_are_to_be_those_of_the_full_model(confidence):
    X, y = make_classification(2_000, 10, n_informative=5, class_sep=0.7, random_state=0)
    asked = {"max_disagreement": 0.05, "threshold": 0.15, "confidence": confidence}
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, **asked)
    (bound,) = fast.result_.bounds
    assert bound.name == "labels changed at threshold 0.15"
    assert 0 <= bound.lost <= 0.05  # a share of rows, so that no row makes up for another one


def test_a_class_too_rare_to_be_ranked_is_said(hastie_rows, monkeypatch):
    monkeypatch.setattr(shape_rules, "MOST_JUDGING", 300)
    X, y, _, _ = hastie_rows
    rare = np.arange(len(y)) % 500 == 1
    with pytest.warns(mddag.DoubtfulResult, match="not ROC AUC"):
        fast = mddag.train(LGBMClassifier(**QUIET), X, rare, max_loss=0.1)
    assert [bound.name for bound in fast.result_.bounds] == ["accuracy"]


@pytest.mark.parametrize(
    ("estimator", "metric"),
    [
        (LGBMRegressor(objective="quantile", alpha=0.9, **QUIET), D2(Pinball(0.9))),
        (LGBMRegressor(objective="poisson", **QUIET), D2(PoissonDeviance())),
        (LGBMRegressor(objective="l1", **QUIET), D2(MeanAbsoluteError())),
    ],
)
def test_regressors_keep_their_objective(estimator, metric):
    random = np.random.default_rng(0)
    X = random.normal(size=(6_000, 4))
    y = np.exp(0.3 * X[:, 0]) + random.gamma(2, 0.5 + 0.5 * np.abs(X[:, 1]))
    fast = mddag.train(estimator, X[:3_000], y[:3_000], max_loss=0.05, confidence=None)
    measured, truth = fast.result_.metric(metric.name), y[3_000:]
    assert fast.result_.bounds[0].name == metric.name
    assert measured.sparse >= measured.full - 0.05
    assert metric(truth, fast.predict(X[3_000:])) == pytest.approx(measured.sparse, abs=0.05)
    if metric == D2(Pinball(0.9)):
        assert np.mean(truth <= fast.predict(X[3_000:])) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"metric": "r2"}, "not for a classifier"),
        ({"metric": "f1"}, "metric is 'f1'"),
        ({"threshold": 1.5}, "threshold is 1.5"),
        ({"threshold": 0.2, "metric": LogLoss()}, "threshold is 0.2"),
    ],
)
def test_what_cannot_be_protected(wrong, error, hastie_rows):
    X, y, _, _ = hastie_rows
    with pytest.raises(ValueError, match=error):
        mddag.train(LGBMClassifier(**QUIET), X, y, max_loss=0.05, **wrong)


@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=15, random_state=0),
        GradientBoostingClassifier(n_estimators=15, random_state=0),
        RandomForestClassifier(12, random_state=0),
        XGBClassifier(n_estimators=15, n_jobs=1, random_state=0),
        CatBoostClassifier(
            n_estimators=15, thread_count=1, verbose=False, allow_writing_files=False
        ),
        mddag.AdaBoostMHClassifier(n_rounds=15, random_state=0),
        make_pipeline(StandardScaler(), LGBMClassifier(**QUIET)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_libraries(estimator, hastie_rows):
    X, y, X_new, y_new = hastie_rows
    y = (y == "in").astype(int)
    fast = mddag.train(estimator, X[:600], y[:600], beta=1e-3)
    assert fast.score(X_new, y_new == "in") > 0.55
    assert not is_fitted(estimator)


def test_weights_reach_the_models(hastie_rows):
    X, y, X_new, _ = hastie_rows
    weight = np.where(y == "in", 50.0, 1.0)
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, beta=1e-4, sample_weight=weight)
    assert np.mean(fast.predict(X_new) == "in") > 0.6


def test_nothing_within_the_budget_is_said(hastie_rows):
    X, y, X_new, _ = hastie_rows
    with pytest.warns(mddag.DoubtfulResult, match="budget=0.01, but policies"):
        fast = mddag.train(LGBMClassifier(**QUIET), X, y, budget=0.01, objective="nodes")
    assert not fast.n_evaluated(X_new).any()
    assert len(set(fast.predict(X_new))) == 1
