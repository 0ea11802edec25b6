"""Each number of a result, reckoned again from the rows that it is said to be of."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.metrics import log_loss, r2_score, roc_auc_score

import mddag
from mddag.solvers import Margin, Prefix
from mddag.tuning.problem import Split
from mddag.tuning.targets import LEARN_AND_CHOOSE, WITH_CERTIFYING


@pytest.fixture(scope="module")
def hastie():
    X, y = make_hastie_10_2(4000, random_state=0)
    y = np.where(y > 0, "in", "out")
    model = GradientBoostingClassifier(n_estimators=40, random_state=0).fit(X[:1000], y[:1000])
    return model, X[1000:], y[1000:]


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(4000, random_state=0)
    model = GradientBoostingRegressor(n_estimators=40, random_state=0).fit(X[:1000], y[:1000])
    return model, X[1000:], y[1000:]


def part_of(X, part):
    """The rows of a part that ``sparsify(random_state=0)`` makes."""
    shares = WITH_CERTIFYING if part == "certify" else LEARN_AND_CHOOSE
    return Split.random(len(X), shares, np.random.RandomState(0)).rows(part)


@pytest.mark.parametrize(
    ("knob", "rows", "n_rows"),
    [
        ({"beta": 1e-3}, "choosing", 1200),
        ({"budget": 10}, "choosing", 1200),
        ({"max_loss": 0.03, "confidence": None}, "choosing", 1200),
        ({"max_loss": 0.03}, "certifying", 1500),
        ({"max_disagreement": 0.03}, "certifying", 1500),
    ],
)
def test_numbers_are_those_of_the_rows_named(hastie, knob, rows, n_rows):
    model, X, y = hastie
    fast = mddag.sparsify(model, X, y, **knob, solver=Margin())
    told = fast.result_
    at = part_of(X, "certify" if rows == "certifying" else "choose")
    assert (told.rows, told.n_rows, len(at)) == (rows, n_rows, n_rows)
    assert (told.kind, told.n_classifiers, told.against) == ("classifier", 40, "labels")
    assert told.n_evaluated == fast.n_evaluated(X[at]).mean()
    accuracy, auc, loss = told.metrics
    assert accuracy.sparse == pytest.approx(fast.score(X[at], y[at]))
    assert accuracy.full == pytest.approx(model.score(X[at], y[at]))
    p = fast.predict_proba(X[at])
    assert auc.sparse == pytest.approx(roc_auc_score(y[at], p[:, 1]))
    assert auc.full == pytest.approx(roc_auc_score(y[at], model.decision_function(X[at])))
    assert loss.sparse == pytest.approx(log_loss(y[at], p))
    assert told.difference == np.mean(fast.predict(X[at]) != model.predict(X[at]))
    assert told.speed == fast.dag_.expected_speedup
    assert told.speed_one == fast.dag_.expected_speedup_one
    if told.target in ("beta", "budget"):
        assert told.bounds == ()
    else:
        bounded, *ranking = told.bounds
        if ranking:
            assert ranking[0].name == "ROC AUC"
            assert ranking[0].lost == pytest.approx(auc.full - auc.sparse)
        by_model = told.target == "max_disagreement"
        lost = told.difference if by_model else accuracy.full - accuracy.sparse
        assert bounded.name == ("labels changed" if by_model else "accuracy")
        assert bounded.lost == pytest.approx(lost)
    assert told.confidence == (0.9 if rows == "certifying" else None)


def test_regressors_are_measured_as_they_predict(friedman):
    model, X, y = friedman
    fast = mddag.sparsify(model, X, y, max_loss=0.05, solver=Prefix())
    at = part_of(X, "certify")
    r2, mae = fast.result_.metrics
    assert r2.sparse == pytest.approx(fast.score(X[at], y[at]))
    assert r2.full == pytest.approx(model.score(X[at], y[at]))
    assert mae.sparse == pytest.approx(np.abs(fast.predict(X[at]) - y[at]).mean())
    beside = r2_score(model.predict(X[at]), fast.predict(X[at]))
    assert fast.result_.difference == pytest.approx(1 - beside)
    lost = fast.result_.bounds[0].lost
    assert lost == pytest.approx(r2.full - r2.sparse, rel=0.1)  # the variance is that of all rows


def test_without_labels_nothing_is_called_an_error(hastie, friedman):
    for (model, X, _), solver in ((hastie, Margin()), (friedman, Prefix())):
        fast = mddag.sparsify(model, X, max_loss=0.05, solver=solver)
        told = fast.result_
        assert told.against == "model"
        assert told.metrics == ()
        assert told.bounds[0].lost == pytest.approx(told.difference, rel=0.1)


def test_a_policy_that_evaluates_nothing_has_no_speed(hastie):
    model, X, y = hastie
    told = mddag.sparsify(model, X, y, beta=1.0, solver=Prefix()).result_
    assert (told.n_evaluated, told.speed) == (0.0, None)
    assert str(told).endswith("nothing is evaluated, and every row gets the same answer")
