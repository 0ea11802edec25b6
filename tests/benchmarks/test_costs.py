"""Costs at equal error."""

import numpy as np
import pytest

from benchmarks.costs.curves import path_groups
from benchmarks.costs.report import best_at, cost_at
from mddag.ensemble.feature_prices import FeaturePrices
from tests.engine.test_dag import stumps


def test_the_cost_is_read_between_points_of_the_edge():
    curve = np.array([[0.0, 1.0], [0.4, 0.5], [0.9, 0.6], [2.0, 0.1]])
    assert cost_at(curve, 0.2) == pytest.approx(0.75)
    assert cost_at(curve, 0.4) == pytest.approx(0.5)
    assert np.isnan(cost_at(curve[1:], 0.2))


def row(method, seed, knob, error, cost):
    keys = ("set", "seed", "method", "knob", "error", "cost", "waves", "macro_f1")
    values = ("adult", seed, method, knob, error, cost, 1, 0)
    return dict(zip(keys, map(str, values), strict=True))


def test_the_best_variant_counts_and_never_more_than_all():
    rows = [row("full", s, 0, 10, 20) for s in (0, 1)]
    rows += [row("cascade, labels", s, 0, 10.2, 8) for s in (0, 1)]
    rows += [row("cascade, teacher", s, 0, 10.2, 6 + 4 * s) for s in (0, 1)]
    rows += [row(method, s, 0, 30, 1) for s in (0, 1) for method in ("static", "static, chains")]
    assert best_at(rows, "adult", "cascade", 0.2) == pytest.approx((0.4, 0.4, 0.3))
    assert best_at(rows, "adult", "static", 0.2) == pytest.approx((1.0, 1.0, 1.0))


def test_a_row_pays_for_the_columns_on_its_paths():
    ensemble = stumps(4, seed=0)
    prices = FeaturePrices.of(ensemble.features, np.ones(2))
    read = np.unique(ensemble.nodes["feature"][ensemble.nodes["feature"] >= 0])
    found = path_groups(ensemble, prices, np.zeros((3, 2)))
    assert found[:, read].all()
    assert found.sum() == 3 * len(read)
