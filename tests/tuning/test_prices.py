"""objective="nodes": prices are mean nodes, and what is chosen is counted exactly."""

import numpy as np
import pytest

import mddag
from mddag.ensemble.costs import LeafDepths
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, Policy
from mddag.solvers import Prefix
from mddag.tuning.prices import NodePrices, node_prices
from mddag.tuning.row_parts import RowParts
from tests.tuning.small_models import FAST


def test_prices_are_mean_nodes(hastie):
    model, X, _, _, _ = hastie
    ensemble = mddag.as_ensemble(model)
    votes = ensemble.votes(X[:200])
    prices = NodePrices.of(ensemble, votes)
    nodes = LeafDepths.of(ensemble).of_rows(votes.codes)
    np.testing.assert_allclose(prices.means, nodes.mean(axis=0))
    np.testing.assert_array_equal(prices.on(votes).everything(), nodes.sum(axis=1))
    policy = Policy.constant(EVAL, len(ensemble), Grid(np.empty(0), 1))
    np.testing.assert_array_equal(prices.on(votes).under(policy), nodes.sum(axis=1))
    weight = np.arange(200.0)
    weighted = NodePrices.of(ensemble, votes, weight)
    np.testing.assert_allclose(weighted.means, weight @ nodes / weight.sum())


def test_rows_that_certify_have_no_part_in_prices(hastie):
    model, X, y, _, _ = hastie
    random = np.random.RandomState(0)
    parts = RowParts.of(mddag.as_ensemble(model), X, y, certified=True, random=random)
    nodes = LeafDepths.of(parts.ensemble).of_rows(parts.votes.codes)
    np.testing.assert_allclose(node_prices(parts).means, nodes[parts.seen].mean(axis=0))


def test_a_budget_is_in_nodes(hastie):
    model, X, y, X_new, _ = hastie
    fast = mddag.sparsify(model, X, y, budget=30, objective="nodes", **FAST)
    assert fast.summary_.n_nodes <= 30 < fast.summary_.n_nodes_full
    assert fast.n_nodes(X_new).mean() == pytest.approx(30, rel=0.2)
    assert f"nodes per row: {fast.summary_.n_nodes:.1f} of" in str(fast)
    by_evaluations = mddag.sparsify(model, X, y, budget=30, **FAST)
    assert by_evaluations.summary_.n_nodes is None
    assert by_evaluations.n_nodes(X_new).mean() > 40


def test_nodes_are_kept_in_the_model_file(hastie, tmp_path):
    model, X, y, X_new, _ = hastie
    fast = mddag.sparsify(model, X, y, max_disagreement=0.05, objective="nodes", **FAST)
    fast.save(tmp_path / "fast.mddag")
    served = mddag.load(tmp_path / "fast.mddag")
    assert served.model.summary == fast.summary_
    np.testing.assert_array_equal(served.n_nodes(X_new), fast.n_nodes(X_new))


def test_a_node_has_a_price(hastie):
    model, X, y, _, _ = hastie
    cheap, dear = (
        mddag.sparsify(model, X, y, beta=beta, objective="nodes", **FAST) for beta in (1e-5, 1e-2)
    )
    assert dear.summary_.n_nodes < cheap.summary_.n_nodes
    assert not dear.ensemble_.priced  # prices were for learning


def test_nothing_within_the_budget_is_said(hastie):
    model, X, y, _, _ = hastie
    with pytest.warns(mddag.DoubtfulResult, match=r"visit [\d.]+ nodes per row or more"):
        mddag.sparsify(model, X, y, budget=0.5, objective="nodes", solver=Prefix())
