"""Bad arguments of predict_lazy; prices and answers are in tests/ensemble and tests/serving."""

import asyncio

import numpy as np

from tests.messages.message import check, each
from tests.messages.models import X, fast

D = X.shape[1]


def lazy(fetch=print, n_rows=1, **given):
    return fast().predictor().predict_lazy(fetch, n_rows=n_rows, **given)


def awaited(fetch, **given):
    return asyncio.run(fast().predictor().predict_lazy_async(fetch, n_rows=2, **given))


async def of_strings(group, rows):
    return np.full((len(rows), 1), "high")


ROWS = [
    ("prices", lambda: fast().with_prices(np.ones(D + 1)), ValueError, rf"feature_costs.*{D + 1}"),
    ("price", lambda: fast().with_prices({0: -1}), ValueError, r"feature_costs\[0\] is -1"),
    ("group", lambda: fast().with_prices(None, {"lab": [D]}), ValueError, f"'lab' has {D}"),
    ("groups", lambda: fast().with_prices(None, 3), TypeError, "feature_groups is 3"),
    ("wave", lambda: fast().with_prices(None, wave_cost=-1), ValueError, "wave_cost is -1"),
    ("no prices", lambda: fast().feature_cost(X), ValueError, "with_prices"),
    ("fetch", lambda: lazy(X), TypeError, "fetch is an array"),
    (
        "fetch_one",
        lambda: fast().predictor().predict_one_lazy({}),
        TypeError,
        "fetch_one is a dict",
    ),
    ("n_rows", lambda: lazy(n_rows=0), ValueError, "n_rows is 0"),
    ("half a row", lambda: lazy(n_rows=1.5), ValueError, "n_rows is 1.5"),
    ("rows by truth", lambda: lazy(n_rows=True), ValueError, "n_rows is True"),
    ("on_error", lambda: lazy(on_error="ignore"), ValueError, "on_error is 'ignore'"),
    *(
        (
            f"timeout {value}",
            lambda value=value: lazy(timeout=value),
            ValueError,
            f"timeout is {value!r}",
        )
        for value in (0, -1, float("nan"), "1", True)
    ),
    (
        "max_concurrency",
        lambda: awaited(of_strings, max_concurrency=0),
        ValueError,
        "max_concurrency is 0",
    ),
    ("strings", lambda: awaited(of_strings), ValueError, "<U4"),
    ("plain", lambda: awaited(lambda g, rows: X[rows, :1]), TypeError, "async function"),
    ("async", lambda: lazy(of_strings), TypeError, "predict_lazy_async"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
