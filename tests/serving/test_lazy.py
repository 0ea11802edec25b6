"""Lazy predictions: equal to those of whole rows whatever the model, and bought as traced."""

import asyncio
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.engine.dag import Dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features
from mddag.ranking.predictor import RankPredictor
from mddag.serving.lazy_predictions import call_each, check_fetch, checked_timeout
from mddag.serving.lazy_session import Answers, Fault, Plan, Session, columns_of
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from tests.serving.model_file.agreement import rows_for
from tests.serving.model_file.kinds import KINDS
from tests.serving.stores import Table

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

    def call(request):
        seen.add(threading.current_thread() is threading.main_thread())
        return table(request.name, request.rows)

    for timeout, main in ((None, True), (60, False)):
        session = Session(Plan.of(predictor.model.dag), len(X))
        call_each(session, call, session.answer, timeout)
        assert seen == {main}
        seen.clear()
        np.testing.assert_array_equal(session.walk.finish()[0], predictor.scores(X))


def test_groups_are_not_fetched_for_rows_that_have_failed_in_the_same_wave():
    predictor, _ = priced("prices")
    asked = []

    def call(request):
        asked.append(request.name)
        raise OSError

    session = Session(Plan.of(predictor.model.dag), 5, "quit")
    call_each(session, call, session.answer, None)
    assert len(asked) == 1
    assert session.failed.all()


def test_arguments():
    with pytest.raises(TypeError, match=r"fetch is 3; wanted a function fetch\(group\)"):
        check_fetch("fetch", 3, "fetch(group)")
    for timeout in (0, -1, np.nan, "1", True):
        with pytest.raises(ValueError, match=r"timeout is .*; wanted a number above 0"):
            checked_timeout(timeout)


def opened(n_rows=4, on_error="raise"):
    predictor, X = priced("prices")
    return Session(Plan.of(predictor.model.dag), n_rows, on_error), Table(predictor, X)


def test_requests_are_one_for_each_group_and_computed_groups_come_last():
    predictor, X = priced("prices")
    dag, table = predictor.model.dag, Table(predictor, X)
    buys = np.ones_like(dag.purchases.buys)
    dag = replace(dag, purchases=replace(dag.purchases, buys=buys))
    session = Session(Plan.of(dag), 50)
    while wave := session.next_wave():
        names = [request.name for phase in wave for request in phase]
        assert len(set(names)) == len(names)
        assert "form+bank" not in names or names[-1] == "form+bank"
        assert [len(phase) for phase in wave] == [4, 1]
        for phase in wave:
            for request in phase:
                assert (np.diff(request.rows) > 0).all()
                session.answer(request, table(request.name, request.rows))
    assert session.n_rounds == 1
    assert not session.faults


def test_a_wave_that_is_not_answered_comes_again():
    session, _ = opened()
    first, again = session.next_wave(), session.next_wave()
    assert [r.name for p in first for r in p] == [r.name for p in again for r in p]


def test_a_failed_request_stops_its_rows():
    session, _ = opened(on_error="quit")
    request = session.next_wave()[0][0]
    session.fail(request, OSError("gone"))
    assert session.failed[request.rows].all()
    assert len(session.remaining(request).rows) == 0
    assert session.next_wave() == []


def test_waves_of_free_groups_cost_nothing():
    predictor, X = priced("prices")
    free = predictor.with_prices(np.zeros(X.shape[1]), wave_cost=5.0)
    result = free.predict_lazy(Table(free, X), n_rows=len(X), return_details=True)
    assert result.n_rounds > 0
    assert not result.waves.any()
    assert not result.feature_cost.any()


def test_rows_and_on_error():
    plan = Plan.of(priced("prices")[0].model.dag)
    for n_rows in (0, -1, 1.5, None, True):
        with pytest.raises(ValueError, match=r"n_rows is .*; wanted a whole number, 1 or more"):
            Session(plan, n_rows)
    with pytest.raises(ValueError, match="on_error is 'skip'; wanted one of 'raise', 'quit'"):
        Session(plan, 1, "skip")


def test_a_result_says_what_it_is():
    predictor, X = priced("prices")
    result = predictor.predict_lazy(Table(predictor, X), n_rows=len(X), return_details=True)
    assert len(result) == len(X)
    assert repr(result).startswith(f"<LazyResult of {len(X)} rows: ")
    assert "of 5 groups each on average" in repr(result)
    assert "failed" not in repr(result)


def test_a_fault_says_what_failed():
    fault = Fault("bank", np.arange(3), OSError("gone"))
    assert str(fault) == "group 'bank', 3 rows: OSError: gone"


FEATURES = Features(4, ("age", "town", "pay", "debt"), {1: ("ulm", "bonn")})
PRICES = FeaturePrices.of(FEATURES, None, {"bank": ["debt", "town"], "work": ["pay"]})
ANSWERS = Answers(FEATURES, PRICES)
BANK, WORK = 0, 1


def test_columns_keep_names_and_categories():
    bank = columns_of(FEATURES, (3, 1))
    assert bank.names == ("debt", "town")
    assert bank.categories == {1: ("ulm", "bonn")}


@pytest.mark.parametrize(
    "answer",
    [
        np.array([[5, 1], [6, 0]]),
        [[5.0, 1], [6, 0]],
        np.array([[5, 1], [6, 0]], object),
        pd.DataFrame({"debt": [5, 6], "town": ["bonn", "ulm"]}),
    ],
)
def test_arrays_hold_codes_and_frames_values(answer):
    assert ANSWERS.of_rows(BANK, answer, 2).tolist() == [[5, 1], [6, 0]]


@pytest.mark.parametrize("answer", [[3, 4], np.array([3.0, 4]), pd.Series([3, 4]), [[3], [4]]])
def test_a_single_column_may_stand_alone(answer):
    assert ANSWERS.of_rows(WORK, answer, 2).tolist() == [[3], [4]]


def test_masked_values_are_missing():
    answer = np.ma.masked_array([[5, 1], [6, 0]], [[True, False], [False, False]])
    np.testing.assert_array_equal(ANSWERS.of_rows(BANK, answer, 2), [[np.nan, 1], [6, 0]])
    np.testing.assert_array_equal(ANSWERS.of_one(BANK, answer[0]), [[np.nan, 1]])


def test_missing_values_are_values():
    assert np.isnan(ANSWERS.of_rows(WORK, [None, np.nan], 2)).all()


def test_a_frame_of_other_columns_is_refused():
    frame = pd.DataFrame({"town": ["ulm"], "debt": [1]})
    with pytest.raises(ValueError, match=r"the group 'bank' gave what cannot be read: .* order"):
        ANSWERS.of_rows(BANK, frame, 1)


@pytest.mark.parametrize(
    "answer", [[5, 1], (5.0, "bonn"), {"town": "bonn", "debt": 5}, np.array([[5, 1]])]
)
def test_one_row_in_any_form(answer):
    assert ANSWERS.of_one(BANK, answer).tolist() == [[5, 1]]


def test_one_number():
    assert ANSWERS.of_one(WORK, 7).tolist() == [[7]]
    assert np.isnan(ANSWERS.of_one(WORK, None)).all()
    with pytest.raises(ValueError, match=r"the group 'work' gave what cannot be read: .*'high'"):
        ANSWERS.of_one(WORK, "high")
    with pytest.raises(ValueError, match="the group 'bank' gave what cannot be read: x is an int"):
        ANSWERS.of_one(BANK, 3)
