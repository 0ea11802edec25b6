"""What is said of bad input: prices of features, and fetching as needed."""

import asyncio

import numpy as np

from tests.messages.message import check, each
from tests.messages.models import X, fast

D = X.shape[1]


def predictor():
    return fast().predictor()


def priced():
    return predictor().with_prices(np.ones(D))


def waited(*arguments, **settings):
    return asyncio.run(predictor().predict_lazy_async(*arguments, **settings))


async def of_strings(group, rows):
    return np.full((len(rows), 1), "high")


ROWS = [
    (
        "costs of other features",
        lambda: fast().with_prices(np.ones(D + 1)),
        ValueError,
        rf"feature_costs has shape \({D + 1},\); wanted one number per feature, \({D},\)",
    ),
    (
        "costs as a word",
        lambda: fast().with_prices("free"),
        ValueError,
        "feature_costs is 'free'; wanted one number per feature",
    ),
    (
        "a negative cost",
        lambda: fast().with_prices({0: -1}),
        ValueError,
        r"feature_costs\[0\] is -1; wanted a finite number, 0 or more: 0 for what is free",
    ),
    (
        "no cost",
        lambda: fast().with_prices({0: 1}),
        ValueError,
        "feature_costs has no price for the feature 1; give one for each feature or group, 0 for",
    ),
    (
        "an unknown feature in a group",
        lambda: fast().with_prices(None, {"lab": [D]}),
        ValueError,
        rf"the group 'lab' has {D}, which is no feature; wanted a position, 0 to {D - 1}",
    ),
    (
        "groups as a number",
        lambda: fast().with_prices(None, 3),
        TypeError,
        r"feature_groups is 3; wanted a dict \{name: \[features\]\}",
    ),
    (
        "a negative wave_cost",
        lambda: fast().with_prices(None, wave_cost=-1),
        ValueError,
        "wave_cost is -1; wanted a finite number, 0 or more",
    ),
    (
        "cost without prices",
        lambda: fast().feature_cost(X),
        ValueError,
        r"the model has no prices of features; give them by with_prices\(feature_costs=",
    ),
    (
        "fetch is no function",
        lambda: predictor().predict_lazy(X, n_rows=3),
        TypeError,
        r"fetch is an array .*; wanted a function fetch\(group, rows\) that gives values",
    ),
    (
        "fetch_one is no function",
        lambda: predictor().predict_one_lazy({}),
        TypeError,
        r"fetch_one is a dict; wanted a function fetch_one\(group\) that gives values",
    ),
    (
        "n_rows",
        lambda: predictor().predict_lazy(print, n_rows=0),
        ValueError,
        "n_rows is 0; wanted a whole number, 1 or more",
    ),
    (
        "on_error",
        lambda: predictor().predict_lazy(print, n_rows=1, on_error="ignore"),
        ValueError,
        "on_error is 'ignore'; wanted one of 'raise', 'quit'",
    ),
    (
        "timeout",
        lambda: predictor().predict_lazy(print, n_rows=1, timeout=0),
        ValueError,
        "timeout is 0; wanted a number above 0",
    ),
    (
        "max_concurrency",
        lambda: waited(of_strings, n_rows=1, max_concurrency=0),
        ValueError,
        "max_concurrency is 0; wanted a whole number, 1 or more",
    ),
    (
        "nothing is fetched",
        lambda: predictor().predict_lazy(lambda group, rows: None, n_rows=2),
        ValueError,
        r"the fetch of the group \d+ gave None; wanted numbers of shape \(2, 1\)",
    ),
    (
        "too few rows are fetched",
        lambda: priced().predict_lazy(lambda group, rows: [[1.0]], n_rows=2),
        ValueError,
        r"gave shape \(1, 1\); wanted numbers of shape \(2, 1\)",
    ),
    (
        "strings are fetched",
        lambda: waited(of_strings, n_rows=2),
        ValueError,
        "gave what cannot be read: X has dtype <U4; mddag reads numbers",
    ),
    (
        "a plain fetch where an async one is wanted",
        lambda: waited(lambda group, rows: X[rows, :1], n_rows=2),
        TypeError,
        "fetch gave an array .*; wanted an async function, or use predict_lazy",
    ),
    (
        "an async fetch where a plain one is wanted",
        lambda: predictor().predict_lazy(of_strings, n_rows=2),
        TypeError,
        "fetch is an async function; wanted a plain one, or use predict_lazy_async",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
