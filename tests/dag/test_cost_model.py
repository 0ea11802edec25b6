from dataclasses import replace

import numpy as np
import pytest

from mddag.dag.cost_model import MANY_ROWS, Costs
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from tests.native.test_walk import forest


def policy_of(n_steps, action, every=1):
    grid = Grid(np.zeros(1))
    actions = np.full((-(-n_steps // every), 2), EVAL)
    actions[:, 0] = action
    return Policy(actions, grid, np.arange(n_steps), every)


def test_evaluating_everything_expects_all_and_a_policy_half():
    ensemble = forest(8)
    assert Costs.of(ensemble, policy_of(30, EVAL), 3.0).evaluations == 30
    assert Costs.of(ensemble, policy_of(30, QUIT)).evaluations == 15
    assert Costs.of(ensemble, policy_of(30, QUIT), 3.0).evaluations == 3


def test_skipped_steps_are_passed():
    costs = Costs.of(forest(8), policy_of(30, SKIP), 10.0)
    assert costs.steps == pytest.approx(20.0)


def test_fewer_evaluations_and_decisions_cost_less():
    ensemble = forest(8, n_trees=300)
    often, seldom = (Costs.of(ensemble, policy_of(300, QUIT, k), 30.0) for k in (1, 10))
    assert seldom.by_blocks(MANY_ROWS) < often.by_blocks(MANY_ROWS)
    fewer = Costs.of(ensemble, policy_of(300, QUIT), 3.0)
    for by in (Costs.by_walk, Costs.by_blocks, Costs.by_steps):
        assert by(fewer, MANY_ROWS) < by(often, MANY_ROWS)
    assert fewer.by_all(MANY_ROWS) == often.by_all(MANY_ROWS)


def test_larger_trees_and_nominal_ones_cost_more():
    tree = TreeBuilder()
    leaves = tree.leaf([0.0]), tree.leaf([1.0])
    split_by_set = tree.finish(tree.nominal_split(0, np.array([1]), *leaves, missing_left=False))
    by_sets = Ensemble.from_trees([split_by_set] * 30, features=Features(4))
    kinds = forest(2), forest(8), forest(40), by_sets
    stump, bush, large, nominal = (Costs.of(e, policy_of(30, QUIT)) for e in kinds)
    assert stump.walk < bush.walk < large.walk
    assert stump.block < bush.block < large.block
    assert bush.walk < nominal.walk
    assert large.block < nominal.block


def stumps_on(columns):
    """A stump on each of the columns."""
    trees = []
    for column in columns:
        tree = TreeBuilder()
        leaves = tree.leaf([0.0]), tree.leaf([1.0])
        trees.append(tree.finish(tree.split(column, 0.5, *leaves, missing_left=False)))
    return Ensemble.from_trees(trees, features=Features(max(columns) + 1))


def test_columns_that_rows_seldom_get_to_are_loaded_seldom():
    ensemble = stumps_on(range(300))
    soon, late = (Costs.of(ensemble, policy_of(300, QUIT), mean) for mean in (3.0, 200.0))
    assert soon.load < late.load


def test_columns_are_loaded_in_the_order_of_the_policy():
    few_first = stumps_on([0] * 150 + list(range(150)))
    forwards = policy_of(300, QUIT)
    backwards = replace(forwards, order=np.arange(300)[::-1])
    few, many = (Costs.of(few_first, policy, 30.0) for policy in (forwards, backwards))
    assert few.load < many.load
    assert few.all == many.all


def test_wide_rows_cost_more_and_come_in_smaller_blocks():
    narrow, wide = (
        Costs.of(stumps_on(np.arange(300) % n), policy_of(300, QUIT), 30.0) for n in (5, 300)
    )
    for by in (Costs.by_walk, Costs.by_blocks, Costs.by_all):
        assert by(narrow, MANY_ROWS) < by(wide, MANY_ROWS)
    assert wide.block_rows < narrow.block_rows


def test_loading_eats_what_a_policy_saves():
    narrow, wide = (
        Costs.of(forest(8, 300, n_features=n), policy_of(300, QUIT, 16), 40.0) for n in (4, 2000)
    )
    of_narrow, of_wide = (c.by_all(MANY_ROWS) / c.by_blocks(MANY_ROWS) for c in (narrow, wide))
    assert 1.0 < of_wide < of_narrow


def test_one_row_is_walked_and_many_are_not():
    costs = Costs.of(forest(8, n_trees=300), policy_of(300, EVAL))
    assert costs.by_walk(1) < costs.by_all(1)
    assert costs.by_walk(MANY_ROWS) > costs.by_all(MANY_ROWS)


def test_a_row_by_itself_gains_by_leaving_trees_out_but_not_stumps_of_few_columns():
    for ensemble, gains in ((forest(8, n_trees=300), True), (stumps_on(np.arange(300) % 5), False)):
        full, sparse = (Costs.of(ensemble, policy_of(300, a), 15.0) for a in (EVAL, QUIT))
        assert (sparse.one < full.one) == gains
    bush, large = (Costs.of(forest(n), policy_of(30, QUIT), 5.0) for n in (8, 40))
    assert bush.one < large.one
    assert Costs.of(forest(8), policy_of(30, QUIT, 10), 5.0).one < bush.one


def test_an_ensemble_of_nothing_costs_little():
    empty = forest(8).truncated(0)
    costs = Costs.of(empty, policy_of(0, EVAL))
    assert costs.by_walk(10) == costs.by_steps(10) == 0
