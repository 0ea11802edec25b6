"""Groups, waves and feature costs of traces, against a plain count along each path."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.purchases import Purchases
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features
from tests import strategies
from tests.engine.test_dag import stumps

N = 6
path_lists = st.lists(st.lists(st.integers(0, N - 1), unique=True), min_size=1, max_size=12)


def trace_of(paths):
    """A Trace with these paths; scores, exits and cost play no part here."""
    n = len(paths)
    indptr = np.concatenate([[0], np.cumsum([len(p) for p in paths])]).astype(np.int64)
    indices = np.array([j for path in paths for j in path], np.int32)
    return Trace(np.zeros((n, 1)), indptr, indices, np.zeros(n, np.int32), np.zeros(n))


def naive_edges(paths, groups):
    """Counter of (source, target, group)."""
    return Counter(
        (a, b, g) for path, g in zip(paths, groups, strict=True) for a, b in pairwise(path)
    )


@given(path_lists)
def test_edges_equal_a_naive_count(paths):
    counted = {(e["source"], e["target"], 0): e["count"] for e in trace_of(paths).edges()}
    assert counted == naive_edges(paths, [0] * len(paths))


@given(path_lists, st.data())
def test_edges_by_group_equal_a_naive_count(paths, data):
    labels = st.sampled_from(["cat", "dog", "owl"])
    groups = data.draw(st.lists(labels, min_size=len(paths), max_size=len(paths)))
    edges = trace_of(paths).edges(groups)
    names = sorted(set(groups))
    assert edges["count"].shape == (len(edges), len(names))
    naive = naive_edges(paths, groups)
    for edge in edges:
        for name, count in zip(names, edge["count"], strict=True):
            assert naive.pop((edge["source"], edge["target"], name), 0) == count
    assert not naive


@given(path_lists)
def test_uses_equal_a_naive_count(paths):
    uses = trace_of(paths).uses(N, groups=[i % 2 for i in range(len(paths))])
    for j in range(N):
        for g in range(uses.shape[1]):
            assert uses[j, g] == sum(j in path for path in paths[g::2])
    assert (trace_of(paths).uses(N)[:, 0] == uses.sum(axis=1)).all()


@given(path_lists)
def test_paths_equal_a_naive_count(paths):
    trace = trace_of(paths)
    counted = trace.paths()
    assert counted == Counter(map(tuple, paths))
    assert list(counted.values()) == sorted(counted.values(), reverse=True)
    assert trace.n_paths == len(set(map(tuple, paths)))
    assert [trace.path(i).tolist() for i in range(len(trace))] == paths
    assert trace.n_evaluated.tolist() == [len(p) for p in paths]


def test_a_trace_without_evaluations_has_no_edges():
    trace = trace_of([[], []])
    assert len(trace.edges()) == 0
    assert trace.edges(groups=[0, 1])["count"].shape == (0, 2)
    assert trace.uses(3).tolist() == [[0], [0], [0]]
    assert trace.uses(0).shape == (0, 1)
    assert trace.n_paths == 1


def test_what_does_not_fit_is_refused():
    trace = trace_of([[0, 5], [1]])
    with pytest.raises(ValueError, match=r"groups has shape \(3,\).*each of the 2 rows"):
        trace.edges(groups=[0, 1, 2])
    with pytest.raises(ValueError, match=r"evaluates base classifier 5.*got 3"):
        trace.uses(3)


def test_paths_count_from_the_end_too():
    trace = trace_of([[0, 5], [1], []])
    assert [trace.path(i).tolist() for i in (-1, -2, -3)] == [[], [1], [0, 5]]
    for i in (3, -4):
        with pytest.raises(IndexError, match=f"there is no row {i}; wanted a number from -3 to 2"):
            trace.path(i)


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


def test_purchases_of_another_model_raise():
    prices = FeaturePrices.of(Features(2))
    ensemble, none = Ensemble.from_callables([lambda X: X[:, 0]], n_features=2), np.zeros((2, 2))
    for purchases, model, error, words in [
        (Purchases(prices, none > 0), ensemble, ValueError, "are of 2 base classifiers, but there"),
        (Purchases(prices, none > 0), stumps(2), ValueError, "classifier 0 reads the group 0, wh"),
        (3, ensemble, TypeError, "purchases is 3; wanted Purchases or None"),
    ]:
        with pytest.raises(error, match=words):
            mddag.compile(model, purchases=purchases)
