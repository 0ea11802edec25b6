"""What rows pay for features, against a twin that counts groups one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.purchases import Purchases
from mddag.features.features import Features
from mddag.features.prices import FeaturePrices
from mddag.mdp.charges import Charges
from mddag.mdp.paid import Paid
from mddag.ordering.arrangement import Arrangement
from tests import strategies
from tests.dag.test_dag import stumps
from tests.dag.test_purchases import prices_of
from tests.reference import charges as twin

BOTH = pytest.mark.parametrize("charge", ["tree", "path"])


@st.composite
def problems(draw):
    """An ensemble with prices, rows, and a policy of any state that has a rollout."""
    ensemble = draw(strategies.ensembles().filter(len))
    X = draw(strategies.rows(ensemble.n_features))
    kinds = (strategies.policies, strategies.staged_policies, strategies.paid_policies)
    policy = draw(draw(st.sampled_from(kinds))(len(ensemble), ensemble.n_scores))
    return ensemble, X, policy, draw(prices_of(ensemble.n_features))


def bill(ensemble, prices, charge, path, row):
    """What one row pays on its path, tree by tree."""
    paid, total, rounds = frozenset(), 0.0, ensemble.tables.rounds
    group = prices.group_of(ensemble.n_features)
    for j in path:
        trees = [ensemble.tree(t) for t in range(rounds[j], rounds[j + 1])]
        read = frozenset().union(*(twin.groups_on_the_way(prices, t, row) for t in trees))
        if charge == "tree":
            features = {f for t in trees for f in t.records["feature"].tolist() if f >= 0}
            read = twin.with_needs(prices, {int(group[f]) for f in features})
        total += twin.price(prices, read - paid, charge)
        paid |= read
    return paid, total


@given(problems(), st.sampled_from(["tree", "path"]))
@settings(deadline=None, max_examples=200)
def test_rollouts_and_traces_have_the_bill_of_each_row(problem, charge):
    ensemble, X, policy, prices = problem
    charges = Charges.of(prices, ensemble, charge)
    labels = np.zeros(len(X), int)
    mdp = mddag.MDP(ensemble.votes(X), labels, charges=charges)
    dag = mddag.compile(ensemble, policy, purchases=Purchases.of(prices, ensemble, charge))
    trace, (_, _, cost) = dag.run(X), mdp.rollout(policy, n_threads=2)
    plain = mddag.MDP(ensemble.votes(X), labels).rollout(policy)
    np.testing.assert_array_equal(plain[0], mdp.rollout(policy)[0])
    steps = mddag.dag.executors.steps.Steps(dag.program).run(X, 1)  # in float64, as rollouts are
    for i, row in enumerate(X):
        assert cost[i] == pytest.approx(bill(ensemble, prices, charge, steps.path(i), row)[1])
        groups, wanted = bill(ensemble, prices, charge, trace.path(i), row)
        assert set(np.flatnonzero(trace.groups[i])) == groups
        assert trace.feature_cost[i] == pytest.approx(wanted)


@BOTH
def test_an_order_takes_its_charges_along(charge):
    ensemble = stumps(8)
    prices = FeaturePrices.of(ensemble.features, np.arange(1.0, ensemble.n_features + 1))
    X = np.random.default_rng(0).normal(size=(40, ensemble.n_features))
    order = np.random.default_rng(1).permutation(8)
    of = Charges.of(prices, ensemble, charge)
    mdp = mddag.MDP(ensemble.votes(X), np.zeros(40, int), charges=of)
    there = mdp.arranged(Arrangement(order))
    wanted = Charges.of(prices, ensemble.reordered(order), charge)
    np.testing.assert_array_equal(there.charges.wants, wanted.wants)
    np.testing.assert_array_equal(there.charges.leaves, wanted.leaves)
    assert there.evaluate_full().cost == pytest.approx(mdp.evaluate_full().cost)
    assert isinstance(there.state, Paid)


def test_by_path_a_row_pays_no_more_than_by_tree():
    ensemble = stumps(8)
    prices = FeaturePrices.of(ensemble.features)
    X = np.random.default_rng(0).normal(size=(40, ensemble.n_features))
    tree, path = (
        mddag.MDP(ensemble.votes(X), np.zeros(40, int), charges=Charges.of(prices, ensemble, way))
        for way in ("tree", "path")
    )
    assert path.evaluate_full().cost <= tree.evaluate_full().cost


def test_costs_of_evaluations_are_added():
    ensemble = stumps(4)
    X, prices = np.zeros((3, ensemble.n_features)), FeaturePrices.of(ensemble.features)
    charges = Charges.of(prices, ensemble)
    alone = mddag.MDP(ensemble.votes(X), [0, 1, 0], charges=charges).evaluate_full()
    both = mddag.MDP(ensemble.votes(X), [0, 1, 0], charges=charges, costs=np.full(4, 0.5))
    assert both.evaluate_full().cost == pytest.approx(alone.cost + 2.0)


def test_sets_of_other_sizes_are_refused():
    ensemble = stumps(4)
    of = Charges.of(FeaturePrices.of(ensemble.features), ensemble)
    with pytest.raises(ValueError, match="wants is"):
        Charges(of.prices, of.wants[:3], of.leaves, of.tables)
    with pytest.raises(ValueError, match="leaves is"):
        Charges(of.prices, of.wants, of.leaves.astype(int), of.tables)


def test_it_says_what_it_is():
    ensemble = stumps(4)
    of = Charges.of(FeaturePrices.of(Features(ensemble.n_features)), ensemble, "path")
    assert repr(of) == (f"<Charges by path of {ensemble.n_features} groups for 4 base classifiers>")
