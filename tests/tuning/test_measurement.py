"""Each number of a summary, reckoned again from the rows that it is said to be of."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.metrics import r2_score

import mddag
from mddag.solvers import Margin, Prefix
from mddag.tuning.front import Split
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
    told = fast.summary_
    at = part_of(X, "certify" if rows == "certifying" else "choose")
    assert (told.rows, told.n_rows, len(at)) == (rows, n_rows, n_rows)
    assert (told.kind, told.n_classifiers, told.measured_against) == ("classifier", 40, "labels")
    assert told.n_evaluated == fast.n_evaluated(X[at]).mean()
    assert told.sparse == pytest.approx(1 - fast.score(X[at], y[at]))
    assert told.full == pytest.approx(1 - model.score(X[at], y[at]))
    assert told.difference == np.mean(fast.predict(X[at]) != model.predict(X[at]))
    assert told.speed == fast.dag_.expected_speedup
    assert told.speed_one == fast.dag_.expected_speedup_one
    wanted = {"beta": None, "budget": None, "max_disagreement": told.difference}
    lost = wanted.get(told.knob, told.sparse - told.full)
    assert told.lost == (lost if lost is None else pytest.approx(lost))
    assert told.confidence == (0.9 if rows == "certifying" else None)


def test_regressors_are_measured_as_they_predict(friedman):
    model, X, y = friedman
    fast = mddag.sparsify(model, X, y, max_loss=0.05, solver=Prefix())
    at = part_of(X, "certify")
    assert fast.summary_.sparse == pytest.approx(fast.score(X[at], y[at]))
    assert fast.summary_.full == pytest.approx(model.score(X[at], y[at]))
    beside = r2_score(model.predict(X[at]), fast.predict(X[at]))
    assert fast.summary_.difference == pytest.approx(1 - beside)
    lost = fast.summary_.full - fast.summary_.sparse
    assert fast.summary_.lost == pytest.approx(lost, rel=0.1)  # the variance is that of all rows


def test_without_labels_nothing_is_called_an_error(hastie, friedman):
    for (model, X, _), solver in ((hastie, Margin()), (friedman, Prefix())):
        fast = mddag.sparsify(model, X, max_loss=0.05, solver=solver)
        told = fast.summary_
        assert (told.measured_against, fast.measured_against_) == ("model", "model")
        assert (told.full, told.sparse) == (None, None)
        assert told.lost == pytest.approx(told.difference, rel=0.1)


def test_a_policy_that_evaluates_nothing_has_no_speed(hastie):
    model, X, y = hastie
    told = mddag.sparsify(model, X, y, beta=1.0, solver=Prefix()).summary_
    assert (told.n_evaluated, told.speed) == (0.0, None)
    assert str(told).endswith("nothing is evaluated, and every row gets the same answer")
