"""Targets by themselves; tests/tuning/test_sparsify.py has the calls of sparsify."""

import numpy as np
import pytest

from mddag.ensemble.ensemble import Ensemble
from mddag.metrics import Accuracy, LogLoss, RocAuc
from mddag.tuning.targets import (
    check_confidence,
    check_provable,
    measure_of,
    metric_of,
    one_target,
    supported,
)


def ensemble(kind, link="identity"):
    return Ensemble.from_callables([np.sum], n_features=1, kind=kind, link=link)


def test_one_number_is_the_target():
    assert one_target(beta=None, budget=20, max_loss=None) == ("budget", 20.0)
    with pytest.raises(ValueError, match="got beta=1, budget=2; wanted exactly one of beta, bud"):
        one_target(beta=1, budget=2)


@pytest.mark.parametrize("value", [0, 1, -0.5, True, "0.1", np.nan])
def test_a_bound_lies_between_0_and_1(value):
    with pytest.raises(ValueError, match="wanted a number above 0 and below 1"):
        one_target(max_loss=value)


@pytest.mark.parametrize("confidence", [0.4, 1.0, "0.9"])
def test_a_confidence_is_at_least_a_half(confidence):
    check_confidence(None, "max_loss", 0.1)
    check_confidence(0.5, "max_loss", 0.1)
    with pytest.raises(ValueError, match=r"wanted a number from 0\.5 to below 1"):
        check_confidence(confidence, "max_loss", 0.1)


def test_only_rows_that_count_alike_prove_anything():
    check_provable("max_loss", 0.9, None)
    check_provable("max_loss", 0.9, np.ones(3))
    with pytest.raises(ValueError, match="sample_weight differs from row to row"):
        check_provable("max_loss", 0.9, np.array([1.0, 2.0]))


def test_a_task_decides_what_is_measured():
    classifier, regressor = ensemble("classifier"), ensemble("regressor")
    assert measure_of(classifier.task, "max_disagreement") == "share"
    assert measure_of(classifier.task, "max_loss") == "difference"
    assert measure_of(regressor.task, "max_loss") == "mean"
    assert supported(regressor, "max_loss") is regressor


@pytest.mark.parametrize(
    ("model", "knob", "message"),
    [
        (ensemble("regressor"), "max_disagreement", "no labels to disagree on; .* units of R2"),
        (ensemble("regressor", "unknown"), "beta", "neither its scores nor exp of them"),
    ],
)
def test_what_cannot_be_made_sparse_is_refused(model, knob, message):
    with pytest.raises(ValueError, match=message):
        supported(model, knob)


def test_bounds_are_in_units_of_the_metric():
    assert one_target(LogLoss(), max_loss=1.5) == ("max_loss", 1.5)
    with pytest.raises(ValueError, match=r"max_loss is 1.5; wanted a number above 0 and below 1"):
        one_target(RocAuc(), max_loss=1.5)


def test_a_metric_decides_what_is_measured():
    classifier = ensemble("classifier")
    assert measure_of(classifier.task, "max_loss", RocAuc()) == "asymptotic"
    assert measure_of(classifier.task, "max_loss", LogLoss(0.01)) == "bounded"
    assert metric_of(classifier, None) is metric_of(classifier, Accuracy()) is None
    assert metric_of(classifier, RocAuc()) == RocAuc()
