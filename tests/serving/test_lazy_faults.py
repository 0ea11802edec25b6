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


def short(values):
    return values[:-1]


FAULTS = {
    "short": (short, "gave shape .*; wanted numbers of shape"),
    "narrow": (lambda v: v[:, :-1], "wanted numbers of shape"),
    "wide": (lambda v: np.hstack([v, v]), "wanted numbers of shape"),
    "nothing": (lambda v: None, "gave None; wanted numbers of shape"),
    "ragged": (lambda v: [[1], [2, 3]], "wanted numbers of shape"),
    "flat": (lambda v: v.ravel(), "wanted numbers of shape"),
    "strings": (lambda v: v.astype(str), "gave what cannot be read: X has dtype <U"),
    "objects": (lambda v: np.full(v.shape, "high", object), "values that are not numbers"),
    "complex": (lambda v: v + 1j, "X is complex"),
    "dates": (lambda v: np.full(v.shape, np.datetime64("2024-01-01")), "X has dtype datetime64"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("spoilt", ["form", "lab"])
def test_what_cannot_be_read(fault, spoilt):
    predictor, X = model()
    change, message = FAULTS[fault]
    check_fault(predictor, X, spoilt, lambda fetch, g, r: change(fetch(g, r)), ValueError, message)


def test_a_fetch_that_raises():
    def broken(fetch, group, rows):
        raise ConnectionError("the store is down")

    predictor, X = model()
    check_fault(predictor, X, "bank", broken, ConnectionError, "the store is down")


def test_a_fetch_that_is_late():
    def slow(fetch, group, rows):
        time.sleep(5)

    predictor, X = model()
    began = time.monotonic()
    check_fault(predictor, X, "lab", slow, TimeoutError, "no answer within 0.1 s", timeout=0.1)
    assert time.monotonic() - began < 4


def check_fault(predictor, X, spoilt, change, kind, message, **settings):
    """One group fails for all rows that want it: those quit, the others are as ever."""
    table = Table(predictor, X)

    def fetch(group, rows):
        return change(table, group, rows) if group == spoilt else table(group, rows)

    async def fetch_async(group, rows):
        if group == spoilt and settings:  # late
            await asyncio.sleep(5)
        return fetch(group, rows)

    with pytest.raises(kind, match=message) as caught:
        predictor.predict_lazy(fetch, n_rows=len(X), **settings)
    assert f"while the group '{spoilt}' was fetched for" in caught.value.__notes__[0]
    with pytest.raises(kind, match=message):
        asyncio.run(predictor.predict_lazy_async(fetch_async, n_rows=len(X), **settings))
    quiet = {"n_rows": len(X), "on_error": "quit", "return_details": True, **settings}
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


def test_interruptions_are_not_swallowed():
    def interrupted(group, rows):
        raise KeyboardInterrupt

    predictor, _ = model()
    for timeout in (None, 5):
        with pytest.raises(KeyboardInterrupt):
            predictor.predict_lazy(interrupted, n_rows=3, on_error="quit", timeout=timeout)


def test_a_fetch_that_is_cancelled_by_others_stops_everything():
    async def cancelled(group, rows):
        raise asyncio.CancelledError

    def plain(group, rows):
        raise asyncio.CancelledError

    predictor, _ = model()
    for timeout in (None, 5):
        given = {"n_rows": 3, "on_error": "quit", "timeout": timeout}
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(predictor.predict_lazy_async(cancelled, **given))
        with pytest.raises(asyncio.CancelledError):
            predictor.predict_lazy(plain, **given)


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
