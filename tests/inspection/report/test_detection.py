from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2

from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag.inspection.report.summary import detection
from tests.inspection.report.reports import facts_of, page_of, share, two

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
