"""Groups of one wave are fetched together, so many at a time as allowed."""

import asyncio

import numpy as np
import pytest

from mddag.dag.dag import Dag
from mddag.dag.purchases import Purchases
from mddag.features.prices import FeaturePrices
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from tests.serving.lazy.stores import Table
from tests.serving.model_file.agreement import rows_for
from tests.serving.model_file.kinds import KINDS


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
