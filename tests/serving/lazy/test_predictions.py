"""Lazy predictions equal those of whole rows, whatever the model; what is bought is traced."""

import asyncio

import numpy as np
import pytest

import mddag
from mddag.ranking.predictor import RankPredictor
from mddag.serving.predictor import Predictor
from tests.serving.lazy.stores import Table
from tests.serving.model_file.agreement import rows_for
from tests.serving.model_file.kinds import KINDS

ORDINARY = [
    kind for kind in KINDS if kind != "patches" and KINDS[kind]().dag.ensemble.kind != "ranker"
]


def priced(kind):
    """A model with prices, and rows for it."""
    predictor = Predictor(KINDS[kind]())
    X = rows_for(predictor.model.dag.ensemble)[:100]
    if predictor.feature_prices is None:
        n = X.shape[1]
        groups = {"first": list(range(min(2, n)))}
        predictor = predictor.with_prices(np.arange(n, dtype=float), groups, 0.25)
    return predictor, X


def assert_bought_as_traced(result, predictor, X):
    trace = predictor.run(X)
    np.testing.assert_array_equal(result.groups, trace.groups)
    np.testing.assert_array_equal(result.waves, trace.waves)
    np.testing.assert_array_equal(result.feature_cost, trace.feature_cost)
    np.testing.assert_array_equal(result.scores, trace.scores)
    np.testing.assert_array_equal(result.exit_step, trace.exit_step)


@pytest.mark.parametrize("kind", ORDINARY)
def test_predictions_and_purchases_are_those_of_whole_rows(kind):
    predictor, X = priced(kind)
    fetch, wanted = Table(predictor, X), predictor.predict(X)
    result = predictor.predict_lazy(fetch, n_rows=len(X), return_details=True)
    np.testing.assert_array_equal(result.predictions, wanted)
    assert result.predictions.dtype == wanted.dtype
    assert_bought_as_traced(result, predictor, X)
    assert result.n_calls == len(fetch.calls)
    assert not result.failed.any()
    if result.probabilities is not None:
        np.testing.assert_array_equal(result.probabilities, predictor.predict_proba(X))
    np.testing.assert_array_equal(predictor.predict_lazy(fetch, n_rows=len(X)), wanted)


@pytest.mark.parametrize("kind", ORDINARY)
def test_one_row_and_async_give_the_same(kind):
    predictor, X = priced(kind)
    fetch, wanted = Table(predictor, X), predictor.predict(X)
    found = asyncio.run(predictor.predict_lazy_async(fetch.fetch, n_rows=len(X)))
    np.testing.assert_array_equal(found, wanted)
    for i in range(5):
        one = predictor.predict_one_lazy(fetch.one(i))
        assert type(one) is type(predictor.predict_one(X[i]))
        np.testing.assert_array_equal(one, wanted[i])


@pytest.mark.parametrize("kind", ["trees", "nominal", "whole_model"])
def test_without_prices_features_are_fetched_by_name(kind):
    predictor = Predictor(KINDS[kind]())
    X = rows_for(predictor.model.dag.ensemble)[:50]
    fetch = Table(predictor, X)
    np.testing.assert_array_equal(predictor.predict_lazy(fetch, n_rows=50), predictor.predict(X))
    assert {group for group, _ in fetch.calls} <= set(fetch.columns)


def test_one_call_for_each_group_and_wave():
    predictor, X = priced("prices")
    fetch = Table(predictor, X)
    result = predictor.predict_lazy(fetch, n_rows=len(X), return_details=True)
    assert result.n_calls <= result.n_rounds * len(result.names)
    for g, name in enumerate(result.names):
        assert sum(n for group, n in fetch.calls if group == name) == result.groups[:, g].sum()


def test_estimates_of_costs():
    predictor, X = priced("prices")
    trace = predictor.run(X)
    np.testing.assert_array_equal(predictor.feature_cost(X), trace.feature_cost)
    np.testing.assert_array_equal(predictor.groups_bought(X), trace.groups)


def test_prices_survive_saving(tmp_path):
    predictor, X = priced("nominal")
    predictor.save(tmp_path / "net.mddag")
    again = mddag.load(tmp_path / "net.mddag")
    assert again.feature_prices.names == predictor.feature_prices.names
    np.testing.assert_array_equal(again.feature_cost(X), predictor.feature_cost(X))


def test_what_cannot_be_predicted_lazily_is_refused():
    ranker = RankPredictor(next(m for m in (KINDS[k]() for k in KINDS) if m.dag.needs_queries))
    with pytest.raises(ValueError, match="it is a ranker, and a document has no place without"):
        ranker.predict_lazy(print, n_rows=1)
    priced = ranker.with_prices()
    assert isinstance(priced, RankPredictor)
    with pytest.raises(ValueError, match=r"use run\(X, qid\), whose Trace has groups"):
        priced.feature_cost(np.zeros((1, priced.n_features_in_)))
    with pytest.raises(ValueError, match="computed from the pixels of a patch"):
        Predictor(KINDS["patches"]()).predict_lazy(print, n_rows=1)
    with pytest.raises(ValueError, match="the model has no prices of features; give them by with"):
        Predictor(KINDS["trees"]()).feature_cost(np.zeros((1, 9)))
