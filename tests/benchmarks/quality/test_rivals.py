"""Rivals on walks are the same as their policies, compiled."""

from types import SimpleNamespace

import numpy as np
import pytest

import mddag
from benchmarks.quality.boosters import Shape, further_shapes, smoothed
from benchmarks.quality.nodes import depths_of, mean_nodes, walk, walked
from benchmarks.quality.rivals import measured, with_margin
from benchmarks.quality.rows import SHARES, Sample, parts
from mddag.solvers import Portfolio
from tests.benchmarks.quality.models import ensemble, rows


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("every", [1, 3])
def test_a_margin_rule_ends_where_its_policy_quits(n_classes, every):
    X, y = rows(n_classes)
    model = ensemble(X, y, 12)
    whole = walk(model, model.votes(X), y)
    margin = float(np.quantile(whole.margin, 0.6))
    by_walk = whole.ended(np.minimum(whole.first_above(margin, every), 9))
    small, policy = with_margin(model, 9, margin, every)
    assert by_walk == pytest.approx(
        measured(policy, small.votes(X), Sample(X, y), depths_of(small))
    )
    dag = mddag.compile(small, policy)
    assert dag.run(X).n_evaluated.mean() == pytest.approx(by_walk[1])
    assert 1 < by_walk[1] < 9


def test_without_a_margin_it_is_a_smaller_model():
    X, y = rows()
    model = ensemble(X, y)
    small, policy = with_margin(model, 5, np.inf)
    assert policy is None
    assert len(small) == 5
    whole = walk(model, model.votes(X), y)
    assert whole.errors[4] == np.mean(small.labels(small.scores(X)) != y)


def visited(tree, x):
    """The splits on the way of one row, node by node."""
    at, n = 0, 0
    while tree["feature"][at] >= 0:
        node = tree[at]
        at, n = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"], n + 1
    return n


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nodes_of_a_policy_are_those_of_its_paths(n_classes):
    X, y = rows(n_classes)
    model = ensemble(X, y)
    votes = model.votes(X)
    policy = Portfolio(random_state=0).solve(mddag.MDP(votes, y, beta=0.005))
    found = walked(policy, votes, depths_of(model))
    trace = mddag.compile(model, policy).run(X)
    np.testing.assert_array_equal(found.evaluations, trace.n_evaluated)
    np.testing.assert_array_equal(found.winners, trace.verdict)
    for i in range(0, len(X), 37):
        trees = [t for j in trace.path(i) for t in range(*model.tables.rounds[j : j + 2])]
        assert found.nodes[i] == sum(visited(model.tree(t).records, X[i]) for t in trees)


def test_mean_nodes_of_base_classifiers():
    X, y = rows(3)
    model = ensemble(X, y)
    per_tree = [
        np.mean([visited(model.tree(t).records, x) for x in X]) for t in range(model.n_trees)
    ]
    expected = np.reshape(per_tree, (-1, 3)).sum(axis=1)
    np.testing.assert_allclose(mean_nodes(model.votes(X), depths_of(model)), expected)


@pytest.mark.parametrize(
    ("name", "n_classes", "n_columns"), [("ringnorm", 2, 20), ("waveform", 3, 21)]
)
def test_parts_of_made_sets(name, n_classes, n_columns):
    made = parts(name, seed=1, shrink=10)
    assert made.n_classes == n_classes
    assert made.train.X.shape == (800, n_columns)
    seen = [set(map(bytes, getattr(made, part).X)) for part in SHARES]
    assert len(set.union(*seen)) == sum(map(len, seen))  # no row is in two parts
    shares = np.bincount(made.policy.y) / len(made.policy.y)
    np.testing.assert_allclose(shares, 1 / n_classes, atol=0.01)


def test_smoothed_errors_are_means_over_neighbouring_rounds():
    errors = np.arange(40.0)
    found = smoothed(errors)
    assert found[0] == 0
    assert found[19] == np.mean(errors[16:23])  # rounds 17 … 23 around 20
    assert found[39] == np.mean(errors[33:])


def test_one_lucky_number_of_rounds_does_not_win():
    errors = np.full(100, 0.2)
    errors[60:] = 0.15
    errors[40] = 0.1
    assert smoothed(errors).argmin() > 60


def test_the_best_two_are_tried_at_a_lower_rate_and_with_more_leaves():
    grid = [
        SimpleNamespace(shape=Shape(n, 0.1), best_error=e) for n, e in ((8, 3), (32, 1), (128, 2))
    ]
    assert further_shapes("LightGBM", grid) == [Shape(32, 0.05), Shape(128, 0.05), Shape(255, 0.1)]
