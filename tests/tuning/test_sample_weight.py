"""Rows that count differently in sparsify."""

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.solvers import (
    Prefix,
)
from tests.tuning.small_models import FAST, assert_same

KNOBS = [
    {"beta": 0.003},
    {"budget": 20},
    {"max_loss": 0.02, "confidence": None},
    {"max_disagreement": 0.02, "confidence": None},
]


@pytest.mark.parametrize("knob", KNOBS, ids=str)
def test_a_common_factor_of_weights_changes_nothing(hastie, knob):
    model, X, y, _, _ = hastie
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    one, *others = (
        mddag.sparsify(model, X, y, **knob, sample_weight=w, **FAST)
        for w in (weight, weight / 7, 1e6 * weight)
    )
    for other in others:
        assert_same(one, other)
    plain = mddag.sparsify(model, X, y, **knob, **FAST)
    assert_same(plain, mddag.sparsify(model, X, y, **knob, sample_weight=[0.3] * len(y), **FAST))
    assert not np.array_equal(plain.calibration_.factors, one.calibration_.factors)


def test_a_common_factor_changes_nothing_for_the_default_solver(hastie):
    model, X, y, _, _ = hastie
    weight = np.random.default_rng(0).uniform(0.1, 3, 1000)
    one, other = (
        mddag.sparsify(model, X[:1000], y[:1000], budget=10, sample_weight=w)
        for w in (weight, 3 * weight)
    )
    assert_same(one, other)


@pytest.mark.parametrize("knob", [*KNOBS, {"max_disagreement": 0.02}], ids=str)
def test_rows_of_weight_zero_are_as_if_they_were_not_given(hastie, knob):
    model, X, y, _, _ = hastie
    weight = (np.arange(len(y)) % 3 > 0).astype(int)
    frame = pd.DataFrame(X, columns=model.feature_name_)
    among = mddag.sparsify(model, frame, y.tolist(), **knob, sample_weight=weight, **FAST)
    alone = mddag.sparsify(model, frame[weight > 0], y[weight > 0], **knob, **FAST)
    assert_same(among, alone)
    assert (among.result_.confidence is not None) == (knob == {"max_disagreement": 0.02})


def test_without_labels_weights_count_as_well(hastie):
    model, X, _, _, _ = hastie
    weight = np.where(np.arange(len(X)) < 3000, 1.0, 0.0)
    settings = {"max_disagreement": 0.02, "confidence": None, **FAST}
    assert_same(
        mddag.sparsify(model, X, sample_weight=weight, **settings),
        mddag.sparsify(model, X[:3000], **settings),
    )


def test_a_budget_is_a_weighted_mean(hastie):
    model, X, y, _, _ = hastie
    margin = np.abs(model.predict(X, raw_score=True))
    weight = np.where(margin < np.median(margin), 10.0, 0.1)  # hard rows count
    plain = mddag.sparsify(model, X, y, budget=15, **FAST)
    heavy = mddag.sparsify(model, X, y, budget=15, sample_weight=weight, **FAST)
    assert np.average(plain.n_evaluated(X), weights=weight) > 17
    assert np.average(heavy.n_evaluated(X), weights=weight) < 15.5
    assert heavy.result_.evaluation.n_evaluated < 15.5


def test_harm_is_a_weighted_mean(hastie):
    model, X, y, _, _ = hastie
    margin = np.abs(model.predict(X, raw_score=True))
    weight = np.where(margin > np.median(margin), 10.0, 0.1)  # easy rows count
    settings = {"max_disagreement": 0.02, "confidence": None, **FAST}
    plain = mddag.sparsify(model, X, y, **settings)
    heavy = mddag.sparsify(model, X, y, sample_weight=weight, **settings)
    changed = heavy.predict(X) != model.predict(X)
    assert np.average(changed, weights=weight) < 0.025 < 0.04 < changed.mean()
    assert heavy.n_evaluated(X).mean() < 0.8 * plain.n_evaluated(X).mean()


@pytest.mark.parametrize("knob", [{"max_loss": 0.05}, {"max_disagreement": 0.05}])
def test_rows_that_count_differently_prove_nothing(hastie, knob):
    model, X, y, _, _ = hastie
    weight = np.linspace(1, 2, len(y))
    with pytest.raises(ValueError, match=r"sample_weight differs .* give confidence=None for the"):
        mddag.sparsify(model, X, y, **knob, sample_weight=weight, **FAST)
    equal = mddag.sparsify(model, X, y, **knob, sample_weight=np.full(len(y), 2), **FAST)
    assert equal.result_.value == 0.05


def test_numbers_are_weighed_in_the_unit_the_harm_and_the_lines(friedman):
    model, X, y, _, _ = friedman
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    settings = {"max_loss": 0.03, "confidence": None, "solver": Prefix()}
    one, other = (
        mddag.sparsify(model, X, y, sample_weight=w, **settings) for w in (weight, 5 * weight)
    )
    assert_same(one, other)
    mean = np.average(y, weights=weight)
    adopted = mddag.MDDAGRegressor(model, beta=0.1).adopt(one.policy_, X, y, weight)
    unit = np.average((y - mean) ** 2, weights=weight)
    value = adopted.result_.evaluation
    assert value.objective - value.loss == pytest.approx(0.1 * unit * value.cost)
    with pytest.raises(ValueError, match="sample_weight differs from row to row, but what proves"):
        mddag.sparsify(model, X, y, max_loss=0.03, sample_weight=weight)
