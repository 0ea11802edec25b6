"""What may go wrong with a fetch: it raises, is late, gives too little, too much, or no numbers.

The rows quit with what they have, marked, or the error is raised. Nothing hangs, and no answer is
wrong in silence.
"""

import asyncio
import time
import warnings

import numpy as np
import pytest

from mddag import DoubtfulResult
from tests.serving.model_file.agreement import Table
from tests.serving.test_lazy import priced

N = 40


def model():
    predictor, X = priced("prices")
    return predictor, X[:N]


def broken(values):
    raise ConnectionError("the store is down")


def slow(values):
    time.sleep(3)


FAULTS = {
    "short": (lambda v: v[:-1], ValueError, "gave shape .*; wanted numbers of shape"),
    "narrow": (lambda v: v[:, :-1], ValueError, "wanted numbers of shape"),
    "wide": (lambda v: np.hstack([v, v]), ValueError, "wanted numbers of shape"),
    "nothing": (lambda v: None, ValueError, "gave None; wanted numbers of shape"),
    "ragged": (lambda v: [[1], [2, 3]], ValueError, "wanted numbers of shape"),
    "flat": (lambda v: v.ravel(), ValueError, "wanted numbers of shape"),
    "strings": (lambda v: v.astype(str), ValueError, "gave what cannot be read: X has dtype <U"),
    "objects": (lambda v: np.full(v.shape, "a", object), ValueError, "values that are not numbers"),
    "complex": (lambda v: v + 1j, ValueError, "X is complex"),
    "dates": (lambda v: np.zeros(v.shape, "M8[D]"), ValueError, "X has dtype datetime64"),
    "broken": (broken, ConnectionError, "the store is down"),
    "late": (slow, TimeoutError, "no answer within 0.1 s"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("spoilt", ["form", "lab"])
def test_one_group_fails_for_all_rows_that_want_it(fault, spoilt):
    """Those rows quit, or the error is raised; the others are as ever."""
    predictor, X = model()
    change, kind, message = FAULTS[fault]
    table, given = Table(predictor, X), {"n_rows": len(X)}
    given |= {"timeout": 0.1} if fault == "late" else {}
    quiet = given | {"on_error": "quit", "return_details": True}

    def fetch(group, rows):
        values = table(group, rows)
        return change(values) if group == spoilt else values

    async def fetch_async(group, rows):
        if group == spoilt and fault == "late":
            await asyncio.sleep(3)
        return fetch(group, rows)

    began = time.monotonic()
    with pytest.raises(kind, match=message) as caught:
        predictor.predict_lazy(fetch, **given)
    assert f"while the group '{spoilt}' was fetched for" in caught.value.__notes__[0]
    with pytest.raises(kind, match=message):
        asyncio.run(predictor.predict_lazy_async(fetch_async, **given))
    assert time.monotonic() - began < 2.5
    with pytest.warns(DoubtfulResult, match="rows quit early, since a fetch failed"):
        result = predictor.predict_lazy(fetch, **quiet)
    assert_quit(result, predictor, X, spoilt, kind)
    with pytest.warns(DoubtfulResult, match="rows quit early, since a fetch failed"):
        again = asyncio.run(predictor.predict_lazy_async(fetch_async, **quiet))
    assert_quit(again, predictor, X, spoilt, kind)


def assert_quit(result, predictor, X, spoilt, kind):
    trace, g = predictor.run(X), result.names.index(spoilt)
    np.testing.assert_array_equal(result.failed, trace.groups[:, g])
    assert result.failed.any()
    well = ~result.failed
    np.testing.assert_array_equal(result.predictions[well], predictor.predict(X)[well])
    assert not result.groups[:, g].any()
    assert (result.exit_step[result.failed] < trace.exit_step[result.failed]).all()
    by_scores = (result.scores[:, 0] > 0).astype(int)
    np.testing.assert_array_equal(result.predictions[result.failed], by_scores[result.failed])
    assert all(isinstance(fault.error, kind) for fault in result.faults)
    assert set().union(*(fault.rows for fault in result.faults)) == set(
        np.flatnonzero(result.failed)
    )


def test_a_missing_value_that_was_bought_is_no_fault():
    predictor, X = model()
    X = X.copy()
    X[::2, predictor.feature_prices.columns[1]] = np.nan
    found = predictor.predict_lazy(Table(predictor, X), n_rows=len(X), on_error="quit")
    np.testing.assert_array_equal(found, predictor.predict(X))


def test_nan_is_a_fault_where_the_model_knows_none():
    predictor, X = priced("calibrated")
    table = Table(predictor, X)
    with pytest.raises(ValueError, match=r"contains NaN .* impute them first"):
        predictor.predict_lazy(lambda g, r: table(g, r) * np.nan, n_rows=3)


def test_of_one_row():
    predictor, X = model()
    one = Table(predictor, X).one(0)
    with pytest.raises(ZeroDivisionError):
        predictor.predict_one_lazy(lambda group: 1 / 0)
    with pytest.warns(DoubtfulResult, match="1 of 1 rows quit early"):
        label = predictor.predict_one_lazy(lambda group: 1 / 0, on_error="quit")
    assert label == (predictor.model.dag.ensemble.bias[0] > 0)
    with pytest.raises(ValueError, match="gave what cannot be read: x is a list of 0 values"):
        predictor.predict_one_lazy(lambda group: [])
    assert predictor.predict_one_lazy(one) == predictor.predict(X[:1])[0]


def test_the_wrong_sort_of_function_is_always_an_error():
    predictor, X = model()
    table = Table(predictor, X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as coroutines that were never awaited
        with pytest.raises(TypeError, match="fetch is an async function; wanted a plain one, or"):
            predictor.predict_lazy(table.fetch, n_rows=len(X), on_error="quit")
        with pytest.raises(TypeError, match="wanted an async function, or use predict_lazy"):
            asyncio.run(predictor.predict_lazy_async(table, n_rows=len(X), on_error="quit"))


@pytest.mark.parametrize("timeout", [None, 5])
@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
def test_interruptions_and_cancellation_stop_everything(error, timeout):
    def stopped(group, rows):
        raise error

    async def stopped_async(group, rows):
        raise error

    predictor, _ = model()
    given = {"n_rows": 3, "on_error": "quit", "timeout": timeout}
    with pytest.raises(error):
        predictor.predict_lazy(stopped, **given)
    if error is asyncio.CancelledError:
        with pytest.raises(error):
            asyncio.run(predictor.predict_lazy_async(stopped_async, **given))


def test_a_fetch_that_does_not_let_itself_be_cancelled_holds_nobody_up():
    predictor, X = model()
    table = Table(predictor, X)
    released = asyncio.Event()

    async def stubborn(group, rows):
        while not released.is_set():
            try:
                await asyncio.wait_for(released.wait(), 3)
            except asyncio.CancelledError:
                continue
        return table(group, rows)

    async def work():
        began = time.monotonic()
        found = await predictor.predict_lazy_async(
            stubborn, n_rows=3, on_error="quit", timeout=0.05, return_details=True
        )
        released.set()
        return found, time.monotonic() - began

    with pytest.warns(DoubtfulResult):
        found, seconds = asyncio.run(work())
    assert found.failed.all()
    assert seconds < 2


def test_cancelling_cancels_the_fetches():
    predictor, _ = model()
    seen = []

    async def waiting(group, rows):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append(group)
            raise

    async def work():
        task = asyncio.ensure_future(predictor.predict_lazy_async(waiting, n_rows=3))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    asyncio.run(work())
    assert seen


@pytest.mark.parametrize("timeout", [float("inf"), 1e10, np.float32(5)])
def test_a_long_timeout_is_none(timeout):
    predictor, X = model()
    found = predictor.predict_lazy(Table(predictor, X), n_rows=len(X), timeout=timeout)
    np.testing.assert_array_equal(found, predictor.predict(X))


class LostConnection:
    def __array__(self, *args, **kwargs):
        raise OSError("connection lost")


@pytest.mark.parametrize("answer", [lambda n: [[10**400]] * n, lambda n: LostConnection()])
def test_rows_quit_whatever_reading_an_answer_raises(answer):
    with pytest.warns(DoubtfulResult, match="20 of 20"):
        found = model()[0].predict_lazy(
            lambda group, rows: answer(len(rows)), n_rows=20, on_error="quit", return_details=True
        )
    assert found.failed.all()
