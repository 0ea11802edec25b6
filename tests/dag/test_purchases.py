"""Groups, waves and feature costs of traces, against a plain count along each path."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.features.features import Features
from mddag.features.prices import FeaturePrices
from tests import strategies
from tests.dag.test_dag import stumps


@st.composite
def prices_of(draw, n_features):
    """Random groups of columns, some free."""
    label = [draw(st.integers(0, n_features - 1)) for _ in range(n_features)]
    groups = {f"g{v}": [c for c in range(n_features) if label[c] == v] for v in sorted(set(label))}
    costs = {name: draw(st.sampled_from([0, 1, 2.5])) for name in groups}
    wave_cost = draw(st.sampled_from([0.0, 0.5]))
    return FeaturePrices.of(Features(n_features), costs, groups, wave_cost)


def bought(purchases, path):
    """Groups, waves and cost of one path, step by step."""
    prices, had, waves = purchases.prices, set(), 0
    for j in path:
        lacking = set(np.flatnonzero(purchases.buys[j])) - had
        waves += any(prices.costs[g] > 0 for g in lacking)
        had |= lacking
    return had, waves, sum(prices.costs[g] for g in had) + prices.wave_cost * waves


def assert_priced(dag, X):
    trace = dag.run(X)
    for i in range(len(trace)):
        groups, waves, cost = bought(dag.purchases, trace.path(i))
        assert set(np.flatnonzero(trace.groups[i])) == groups
        assert trace.waves[i] == waves
        assert trace.feature_cost[i] == pytest.approx(cost)


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_rows_pay_once_for_what_their_path_reads(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    prices = data.draw(prices_of(ensemble.n_features))
    purchases = Purchases.of(prices, ensemble)
    assert_priced(mddag.compile(ensemble, policy, purchases=purchases), X)


def two_groups(buys, costs=(3, 4), wave_cost=0.5):
    """Callables over two features, with what each buys."""
    ensemble = Ensemble.from_callables([lambda X: X[:, 0]] * len(buys), n_features=2)
    prices = FeaturePrices.of(Features(2), list(costs), wave_cost=wave_cost)
    return mddag.compile(ensemble, purchases=Purchases(prices, np.array(buys, bool)))


def test_groups_of_one_step_make_one_wave():
    trace = two_groups([[1, 1], [1, 0]]).run(np.zeros((3, 2)))
    assert trace.groups.all()
    assert trace.waves.tolist() == [1, 1, 1]
    assert trace.feature_cost.tolist() == [7.5] * 3


def test_groups_of_two_steps_make_two_waves_and_free_ones_make_none():
    assert two_groups([[1, 0], [0, 1]]).run(np.zeros((1, 2))).waves.tolist() == [2]
    trace = two_groups([[1, 0], [0, 1]], costs=(0, 4)).run(np.zeros((1, 2)))
    assert trace.waves.tolist() == [1]
    assert trace.feature_cost.tolist() == [4.5]
    assert trace.groups.all()


def test_what_is_computed_brings_what_it_needs():
    groups = {"a": [0, 2], "b": [1, 2]}
    prices = FeaturePrices.of(Features(3), {"a": 3, "b": 4}, groups)
    assert prices.names == ("a", "b", "a+b")
    assert Purchases(prices, np.array([[False, False, True]])).buys.all()


def test_without_prices_there_are_none():
    ensemble = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    trace = mddag.compile(ensemble).run(np.zeros((2, 1)))
    assert trace.groups is None
    assert trace.feature_cost is None
    assert trace.waves is None


def test_faults():
    prices = FeaturePrices.of(Features(2))
    ensemble = Ensemble.from_callables([lambda X: X[:, 0]], n_features=2)
    with pytest.raises(ValueError, match="callables, whose features are not known; wanted Purch"):
        Purchases.of(prices, ensemble)
    with pytest.raises(ValueError, match=r"buys is an array of int64 .* wanted bools \(N, 2\)"):
        Purchases(prices, np.array([[1, 0]]))
    with pytest.raises(TypeError, match="prices is 3; wanted FeaturePrices"):
        Purchases(3, np.zeros((1, 2), bool))
    with pytest.raises(ValueError, match="purchases are of 2 base classifiers, but there are 1"):
        mddag.compile(ensemble, purchases=Purchases(prices, np.zeros((2, 2), bool)))
    trees = stumps(2)
    with pytest.raises(ValueError, match="base classifier 0 reads the group 0, which it does not"):
        mddag.compile(trees, purchases=Purchases(prices, np.zeros((2, 2), bool)))
    with pytest.raises(TypeError, match="purchases is 3; wanted Purchases or None"):
        mddag.compile(ensemble, purchases=3)
