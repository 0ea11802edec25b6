"""The sections with the summary and the trade-off."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag.inspection.report.summary import detection, r2, summary, tradeoff
from mddag.solvers import Margin
from tests.inspection.explanation.models import BETA, classifier, frame, labels
from tests.inspection.report.reports import bare, facts_of, numbers, page_of, share, two


def test_the_numbers_are_those_of_the_rows():
    facts = two()
    text = page_of(summary(facts)).text()
    error = 100 * share(facts.predicted != facts.codes)
    full = 100 * share(facts.full_predicted != facts.codes)
    assert f"{error:.2f} %" in text
    assert f"full model {full:.2f} %" in text
    assert f"{facts.trace.n_evaluated.mean():.1f}" in text
    assert f"{100 * share(facts.full_predicted == facts.predicted):.2f} %" in text
    assert "On the 400 rows given" in text


def test_without_targets_nothing_is_said_of_errors():
    text = page_of(summary(two(targets=False))).text()
    assert "No targets were given" in text
    assert "error" not in text.replace("errors", "")


def test_regressors_have_r2():
    facts = numbers()
    assert f"{r2(facts.predicted, facts.targets):.4f}" in page_of(summary(facts)).text()
    assert np.isnan(r2(np.zeros(3), np.ones(3)))
    assert r2(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == pytest.approx(1)


def test_without_rows_the_policy_rows_speak():
    text = page_of(summary(bare())).text()
    assert f"{bare().evaluation.n_evaluated:.1f}" in text
    assert "rows given" not in text


def curve(**more):
    betas = [5e-5, BETA, 0.03]
    return mddag.sweep(classifier(), frame(), labels(), betas=betas, solver=Margin(), **more)


def circles(page, beginning):
    said = [a["aria-label"] for a in page.all("circle")]
    return [words for words in said if words.startswith(beginning)]


def test_every_price_is_a_point_and_the_ring_is_the_model_on_the_rows_of_the_report():
    facts = replace(two(), curve=curve())
    page = page_of(tradeoff(facts))
    assert len(circles(page, "beta ")) == 3
    (here,) = circles(page, "this model")
    mean = facts.trace.n_evaluated.mean()
    assert here.startswith(f"this model, on the rows of this report: {mean:.1f} evaluations, Exp")
    assert len(circles(page, "full model: 30 evaluations, Exponential loss ")) == 1


def test_a_model_that_cannot_be_measured_has_no_ring():
    page = page_of(tradeoff(replace(two(targets=False), curve=curve())))
    assert len(circles(page, "beta ")) == 3
    assert not circles(page, "this model")
    assert "ring" not in page.text()


def test_without_a_curve_two_points_are_known():
    facts = bare()
    page = page_of(tradeoff(facts))
    assert len(page.all("circle")) == 2
    assert "beta = 0.0005" in page.text()
    assert tradeoff(replace(facts, evaluation=None)) is None


pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


@cache
def detector():
    X, y = make_hastie_10_2(2400, random_state=0)
    boost = AdaBoostMHClassifier(n_rounds=30, random_state=0).fit(X[:800], y[:800])
    model = MDDAGClassifier(boost, beta=0.003, target_fpr=0.1, random_state=0)
    return model.fit(X[800:1600], y[800:1600]), X[1600:], y[1600:]


def test_rates_and_rejects_are_shown():
    model, X, y = detector()
    facts = facts_of(model, X, y, rates=model.realised_rates_)
    text = page_of(detection(facts)).text()
    assert model.realised_rates_.line("fpr") in text
    found = share(model.predict(X[y == 1]) == 1)
    assert f"{found:.4g} of {np.sum(y == 1)} positives are called positive" in text
    assert "Not shown" in text


def test_rates_alone_without_rows():
    model, *_ = detector()
    page = page_of(detection(facts_of(model, rates=model.realised_rates_)))
    assert not page.all("svg")
    assert "negatives held out" in page.text()


def test_other_models_are_no_detectors():
    assert detection(two()) is None
