from dataclasses import replace

import mddag
from mddag.inspection.report.tradeoff import tradeoff
from mddag.solvers import Margin
from tests.inspection.explanation.models import BETA, classifier, frame, labels
from tests.inspection.report.reports import bare, page_of, two


def curve():
    betas = [5e-5, BETA, 0.03]
    return mddag.sweep(classifier(), frame(), labels(), betas=betas, solver=Margin())


def test_every_price_is_a_point_and_the_model_has_its_place():
    swept = curve()
    page = page_of(tradeoff(replace(two(), curve=swept)))
    said = [a["aria-label"] for a in page.all("circle")]
    assert sum(words.startswith("beta ") for words in said) == 3
    (here,) = (words for words in said if words.startswith("this model"))
    assert here.startswith("this model, beta 0.0005:")
    (full,) = (words for words in said if words.startswith("full model"))
    assert full.startswith("full model: 30 evaluations, Exponential loss ")
    assert "The ring is the price of this model." in page.text()


def test_a_price_that_was_not_swept_has_no_place():
    page = page_of(tradeoff(replace(two(), curve=curve(), beta=0.5)))
    assert not [a for a in page.all("circle") if "this model" in a["aria-label"]]


def test_without_a_curve_two_points_are_known():
    facts = bare()
    page = page_of(tradeoff(facts))
    assert len(page.all("circle")) == 2
    assert "beta = 0.0005" in page.text()
    assert tradeoff(replace(facts, evaluation=None)) is None
