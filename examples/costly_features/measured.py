"""What fetching as needed takes, against fetching everything: batches, and rows by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from mddag.serving.predictor import Predictor

Fetch = Callable[[str, np.ndarray], Awaitable[np.ndarray]]


@dataclass(frozen=True)
class Line:
    """One line of the table, all numbers per row but the accuracy."""

    mode: str
    accuracy: float
    groups: float
    waves: float
    calls: float
    milliseconds: float

    def __str__(self) -> str:
        return (
            f"{self.mode:<34}{self.accuracy:9.4f}{self.groups:9.2f}{self.waves:8.2f}"
            f"{self.calls:9.3f}{self.milliseconds:11.3f}"
        )


HEAD = f"{'fetching':<34}{'accuracy':>9}{'groups':>9}{'waves':>8}{'calls':>9}{'ms a row':>11}"


async def batches(predictor: Predictor, fetch: Fetch, y: np.ndarray) -> list[Line]:
    """All rows at once."""
    began, n = perf_counter(), len(y)
    result = await predictor.predict_lazy_async(fetch, n_rows=n, return_details=True)
    seconds = perf_counter() - began
    lazy = _line("batch, as needed", result.predictions, y, seconds, result, result.n_calls)
    began = perf_counter()
    X = await everything(predictor, fetch, np.arange(n))
    full = predictor.predict(X)
    seconds = perf_counter() - began
    if not np.array_equal(full, result.predictions):
        raise AssertionError("lazy predictions differ from those of whole rows")
    return [lazy, _full_line("batch, everything", predictor, full, y, seconds, calls=1)]


async def single_rows(predictor: Predictor, fetch: Fetch, y: np.ndarray, n: int) -> list[Line]:
    """The first n rows, one after the other, as a server gets them."""
    began, results = perf_counter(), []
    for i in range(n):
        one = _of_row(fetch, i)
        results.append(await predictor.predict_lazy_async(one, n_rows=1, return_details=True))
    seconds = perf_counter() - began
    found = np.array([result.predictions[0] for result in results])
    groups = np.mean([result.groups.sum() for result in results])
    waves = np.mean([result.waves[0] for result in results])
    calls = np.mean([result.n_calls for result in results])
    accuracy = np.mean(found == y[:n])
    lazy = Line("single rows, as needed", accuracy, groups, waves, calls, 1e3 * seconds / n)
    began, full = perf_counter(), []
    for i in range(n):
        X = await everything(predictor, fetch, np.array([i]))
        full.append(predictor.predict_one(X[0]))
    seconds = perf_counter() - began
    if not np.array_equal(full, found):
        raise AssertionError("lazy predictions differ from those of whole rows")
    name = "single rows, everything"
    return [lazy, _full_line(name, predictor, np.array(full), y[:n], seconds, calls=n)]


async def everything(predictor: Predictor, fetch: Fetch, rows: np.ndarray) -> np.ndarray:
    """Whole rows: all groups, fetched together."""
    prices = predictor.feature_prices
    assert prices is not None
    X = np.empty((len(rows), predictor.n_features_in_))
    parts = await asyncio.gather(*(fetch(name, rows) for name in prices.names))
    for columns, values in zip(prices.columns, parts, strict=True):
        X[:, columns] = values
    return X


def _of_row(fetch: Fetch, i: int) -> Fetch:
    row = np.array([i])
    return lambda group, _: fetch(group, row)


def _line(mode, found, y, seconds, result, calls) -> Line:
    n = len(y)
    groups, waves = result.groups.sum(axis=1).mean(), result.waves.mean()
    return Line(mode, np.mean(found == y), groups, waves, calls / n, 1e3 * seconds / n)


def _full_line(mode, predictor, found, y, seconds, calls) -> Line:
    n, n_groups = len(y), predictor.feature_prices.n_groups
    return Line(mode, np.mean(found == y), n_groups, 1.0, calls * n_groups / n, 1e3 * seconds / n)
