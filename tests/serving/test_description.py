"""What print says of a Predictor."""

from dataclasses import replace

import pytest

from mddag import Predictor
from mddag.dag.purchases import Purchases
from mddag.features.prices import FeaturePrices
from tests.serving.model_file.models import whole_model


def test_the_summary_says_what_the_model_is():
    text = str(Predictor(whole_model()))
    assert "classifier of 2 base classifiers (3 trees)" in text
    assert "features: 2 (size, tøwn)" in text
    assert "classes: 3 (a, b, ccc)" in text
    assert "policy: 6 cells, decisions every 2 steps\n" in text
    assert text.endswith(f"\n{whole_model().summary}")
    alone = str(Predictor(replace(whole_model(), summary=None)))
    assert "policy: 6 cells, decisions every 2 steps, learned for beta = 0.001\n" in alone
    assert "\n" not in repr(Predictor(whole_model()))


@pytest.mark.parametrize(
    ("measured_against", "loss"),
    [
        ("labels", "loss"),
        ("probabilities", "loss expected by the probabilities given"),
        ("model", "loss by the model's own opinion, without labels,"),
        (None, "loss, by labels or by the model where there were none,"),
    ],
)
def test_without_a_summary_it_says_that_nothing_was_held_out(measured_against, loss):
    text = str(Predictor(whole_model(summary=None, measured_against=measured_against)))
    assert "\nmeasured on rows that also fitted policy or calibration, none held out:\n" in text
    assert f"\npolicy: 1.0 evaluations, {loss} 0.25\n" in text
    assert text.endswith(f"\neverything: 2.0 evaluations, {loss} 0.2")
    known = {"evaluation": None, "full": None, "summary": None}
    assert "measured" not in str(Predictor(whole_model(**known)))


def test_it_says_what_features_cost():
    model = whole_model()
    ensemble = model.dag.ensemble
    prices = FeaturePrices.of(ensemble.features)
    dag = replace(model.dag, purchases=Purchases.of(prices, ensemble))
    text = str(Predictor(replace(model, dag=dag)))
    assert "prices: 2 for 2 groups (size 1, tøwn 1)\n" in text
