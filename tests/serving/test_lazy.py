"""Lazy predictions: equal to those of whole rows whatever the model, and bought as traced."""

import asyncio
import threading

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.engine.dag import Dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ranking.predictor import RankPredictor
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from tests.serving.model_file.agreement import Table, rows_for
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


@pytest.mark.parametrize("kind", ["classes", "nominal", "regressor", "stages", "prices"])
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


def all_at_once():
    """A model whose first step wants every group."""
    dag = KINDS["trees"]().dag
    prices = FeaturePrices.of(dag.ensemble.features)
    buys = np.ones((len(dag.ensemble), prices.n_groups), bool)
    return Predictor(Model(Dag(dag.ensemble, dag.policy, purchases=Purchases(prices, buys))))


@pytest.mark.parametrize("most", [1, 3, 100])
def test_bounded_concurrency(most):
    predictor = all_at_once()
    X = rows_for(predictor.model.dag.ensemble)[:20]
    table, running, peak = Table(predictor, X), 0, 0

    async def fetch(group, rows):
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.01)
        running -= 1
        return table(group, rows)

    result = asyncio.run(
        predictor.predict_lazy_async(fetch, n_rows=20, max_concurrency=most, return_details=True)
    )
    np.testing.assert_array_equal(result.predictions, predictor.predict(X))
    assert peak == min(most, 9)
    assert (result.n_rounds, result.n_calls) == (1, 9)
    assert result.waves.tolist() == [1] * 20


def test_what_is_computed_is_fetched_after_what_it_needs():
    predictor = Predictor(KINDS["prices"]())
    X = rows_for(predictor.model.dag.ensemble)[:50]
    table, had = Table(predictor, X), {}

    async def fetch(group, rows):
        if group == "form+bank":
            assert all(set(rows) <= had[part] for part in ("form", "bank"))
        await asyncio.sleep(0)
        had.setdefault(group, set()).update(rows)
        return table(group, rows)

    found = asyncio.run(predictor.predict_lazy_async(fetch, n_rows=len(X)))
    np.testing.assert_array_equal(found, predictor.predict(X))
    assert "form+bank" in had


def test_a_time_limit_moves_calls_into_threads():
    predictor, X = priced("prices")
    table, seen = Table(predictor, X), set()

    def fetch(group, rows):
        seen.add(threading.current_thread() is threading.main_thread())
        return table(group, rows)

    for timeout, main in ((None, True), (60, False)):
        found = predictor.predict_lazy(fetch, n_rows=len(X), timeout=timeout)
        np.testing.assert_array_equal(found, predictor.predict(X))
        assert seen == {main}
        seen.clear()


def test_groups_are_not_fetched_for_rows_that_have_failed_in_the_same_wave():
    asked = []

    def fetch(group, rows):
        asked.append(group)
        raise OSError("gone")

    with pytest.warns(mddag.DoubtfulResult, match="20 of 20"):
        result = all_at_once().predict_lazy(fetch, n_rows=20, on_error="quit", return_details=True)
    assert len(asked) == len(result.faults) == 1
    assert str(result.faults[0]) == f"group {asked[0]!r}, 20 rows: OSError: gone"


FEATURES = Features(4, ("age", "town", "pay", "debt"), {1: ("ulm", "bonn")})


def of_towns():
    """Three stumps, of which each vote tells on which side a row was: 1, 2 and 4."""
    trees = []
    for feature, threshold in ((3, 5.5), (1, None), (2, 3.5)):
        tree, vote = TreeBuilder(), np.array([2.0 ** len(trees)])
        left, right = tree.leaf(vote), tree.leaf(-vote)
        if threshold is None:
            root = tree.nominal_split(feature, np.array([1]), left, right, missing_left=False)
        else:
            root = tree.split(feature, threshold, left, right, missing_left=False)
        trees.append(tree.finish(root))
    ensemble = mddag.Ensemble.from_trees(trees, features=FEATURES, classes=[0, 1])
    predictor = Predictor(Model(mddag.compile(ensemble)))
    return predictor.with_prices(None, {"bank": ["debt", "town"], "work": ["pay"]})


def scores_of(answers, n_rows):
    def fetch(group, rows):
        assert rows.tolist() == list(range(n_rows))
        return answers[group]

    result = of_towns().predict_lazy(fetch, n_rows=n_rows, return_details=True)
    return result.scores[:, 0].tolist()


BANK, WORK = np.array([[5, 1], [6, 0]]), [[3], [4]]
SIDES = [1 + 2 + 4, -1 - 2 - 4]  # of rows with these


@pytest.mark.parametrize(
    "answer",
    [
        BANK,
        BANK.tolist(),
        BANK.astype(object),
        pd.DataFrame({"debt": [5, 6], "town": ["bonn", "ulm"]}),
        np.ma.masked_array(BANK, False),
    ],
)
def test_arrays_hold_codes_and_dataframes_values(answer):
    assert scores_of({"bank": answer, "work": WORK}, 2) == SIDES


@pytest.mark.parametrize("answer", [[3, 4], np.array([3.0, 4]), pd.Series([3, 4]), WORK])
def test_a_single_column_may_stand_alone(answer):
    assert scores_of({"bank": BANK, "work": answer}, 2) == SIDES


@pytest.mark.parametrize("answer", [[None, np.nan], np.ma.masked_array([3, 4], True)])
def test_missing_and_masked_values_are_missing(answer):
    assert scores_of({"bank": BANK, "work": answer}, 2) == [1 + 2 - 4, -1 - 2 - 4]


def test_a_dataframe_of_other_columns_raises():
    table = pd.DataFrame({"town": ["ulm"], "debt": [1]})
    with pytest.raises(ValueError, match=r"the group 'bank' gave what cannot be read: .* order"):
        scores_of({"bank": table, "work": [3]}, 1)


@pytest.mark.parametrize(
    "answer", [[5, 1], (5.0, "bonn"), {"town": "bonn", "debt": 5}, np.array([[5, 1]])]
)
def test_one_row_in_any_form(answer):
    answers = {"bank": answer, "work": 3}
    result = of_towns().predict_one_lazy(answers.get, return_details=True)
    assert result.scores.tolist() == [[7]]
    assert of_towns().predict_one_lazy(answers.get) == 1
